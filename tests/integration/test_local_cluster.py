# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Two real clusters of the driver `local` side by side: they work, survive a crash and leave nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from kubernetes import client, config

from tests.support.cluster_tool import Tool, finish
from tools.image_archive import ImageFile, write_image_archive
from tools.local_cluster.names import interface

NAMES = ("it-a", "it-b")
PAUSE = "getporter.local/pause:1"
WAIT_SECONDS = 60


@dataclass(frozen=True)
class Traces:
    """What a cluster could leave on the machine, apart from its files.

    Other clusters may come and go meanwhile: their processes, interfaces and control groups are left out.
    """

    processes: frozenset[str]
    mounts: frozenset[str]
    interfaces: frozenset[str]
    network_namespaces: str
    packet_filter_tables: str
    control_groups: frozenset[str]
    system_directories: frozenset[str]
    kernel_settings: str


def traces(state: Path) -> Traces:
    return Traces(
        processes=frozenset(each for each in command_lines() if str(state) in each),
        mounts=frozenset(Path("/proc/mounts").read_text(encoding="utf-8").splitlines()),
        interfaces=frozenset(interfaces(state)),
        network_namespaces=output("ip", "netns"),
        packet_filter_tables=output("nft", "list", "tables"),
        control_groups=frozenset(str(each) for each in Path("/sys/fs/cgroup").rglob("*getporter-it-*")),
        system_directories=frozenset(
            str(each)
            for parent in ("/etc/cni", "/opt", "/run", "/usr/libexec", "/var/lib", "/var/log")
            for each in Path(parent).glob("*")
        ),
        kernel_settings=output("sysctl", "vm.overcommit_memory", "kernel.panic", "kernel.panic_on_oops"),
    )


def interfaces(state: Path) -> Iterator[str]:
    clusters = state / "getporter-porter" / "clusters"
    own = {interface(clusters / name) for name in NAMES}
    for each in json.loads(output("ip", "-json", "link")):
        if each["ifname"] in own or not each["ifname"].startswith("gp-"):
            yield each["ifname"]


def command_lines() -> Iterator[str]:
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield process.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue  # ended meanwhile


def output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Cluster:
    """A cluster as its administrator sees it."""

    def __init__(self, kubeconfig: str) -> None:
        configuration = client.Configuration()
        config.load_kube_config(kubeconfig, client_configuration=configuration)
        self.core = client.CoreV1Api(client.ApiClient(configuration))

    def node(self) -> Any:
        (node,) = self.core.list_node().items
        return node

    def address(self) -> str:
        (address,) = (each.address for each in self.node().status.addresses if each.type == "InternalIP")
        return str(address)

    def is_ready(self) -> bool:
        return any(each.type == "Ready" and each.status == "True" for each in self.node().status.conditions)

    def run_pod(self, name: str, *, claim: str = "") -> None:
        container: dict[str, Any] = {"name": "pause", "image": PAUSE, "imagePullPolicy": "Never"}
        spec: dict[str, Any] = {"containers": [container]}
        if claim:
            container["volumeMounts"] = [{"name": "data", "mountPath": "/data"}]
            spec["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]
        self.core.create_namespaced_pod("default", {"metadata": {"name": name}, "spec": spec})
        wait(lambda: self.core.read_namespaced_pod(name, "default").status.phase == "Running", f"pod {name} runs")

    def claim(self, name: str, storage_class: str | None, mode: str = "ReadWriteOnce") -> None:
        spec: dict[str, Any] = {"accessModes": [mode], "resources": {"requests": {"storage": "1Mi"}}}
        if storage_class is not None:
            spec["storageClassName"] = storage_class
        self.core.create_namespaced_persistent_volume_claim("default", {"metadata": {"name": name}, "spec": spec})

    def volume_of(self, claim: str) -> str:
        def bound() -> bool:
            return bool(self.core.read_namespaced_persistent_volume_claim(claim, "default").status.phase == "Bound")

        wait(bound, f"claim {claim} is bound")
        return str(self.core.read_namespaced_persistent_volume_claim(claim, "default").spec.volume_name)

    def messages(self, name: str, reason: str) -> list[str]:
        events = self.core.list_namespaced_event(
            "default", field_selector=f"involvedObject.name={name},reason={reason}"
        )
        return [each.message for each in events.items]


def wait(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"not within {WAIT_SECONDS} s: {what}"
        time.sleep(0.1)


@dataclass(frozen=True)
class World:
    """The tool, its state directory, and the machine as it was before the first cluster."""

    tool: Tool
    state: Path
    before: Traces


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    # Longer than the path of a Unix socket may be.
    state = tmp_path_factory.mktemp("state") / ("long-" * 20)
    state.mkdir()
    tool = Tool(state)
    before = traces(state)
    try:
        yield World(tool, state, before)
    finally:
        for name in NAMES:
            tool.run("down", "--name", name)


@pytest.fixture(scope="module")
def clusters(world: World) -> dict[str, Cluster]:
    starting = [world.tool.start("up", "--driver", "local", "--name", name) for name in NAMES]
    for process in starting:
        finish(process)
    return {name: connect(world.tool, name) for name in NAMES}


def connect(tool: Tool, name: str) -> Cluster:
    return Cluster(tool.kubeconfig(name))


def test_both_nodes_are_ready_at_their_own_address(clusters: dict[str, Cluster]) -> None:
    assert [clusters[name].node().metadata.name for name in NAMES] == list(NAMES)
    assert all(each.is_ready() for each in clusters.values())
    assert len({each.address() for each in clusters.values()}) == len(NAMES)


def test_up_again_finds_the_cluster(world: World, clusters: dict[str, Cluster]) -> None:
    before = world.tool.record(NAMES[0])

    said = world.tool.run("up", "--name", NAMES[0])

    assert said == f"cluster {NAMES[0]} is already running\n"
    assert world.tool.record(NAMES[0]) == before


def test_up_with_another_driver_is_refused(world: World, clusters: dict[str, Cluster]) -> None:
    said = world.tool.run("up", "--name", NAMES[0], "--driver", "kind", code=1)

    assert "with the driver local" in said


@pytest.mark.parametrize("name", NAMES)
def test_a_pod_runs(name: str, clusters: dict[str, Cluster]) -> None:
    clusters[name].run_pod("alone")


@pytest.mark.parametrize("name", NAMES)
def test_a_claim_is_bound_before_any_pod(name: str, clusters: dict[str, Cluster]) -> None:
    clusters[name].claim("immediate", "local-immediate")

    volume = clusters[name].core.read_persistent_volume(clusters[name].volume_of("immediate"))

    assert volume.spec.persistent_volume_reclaim_policy == "Delete"
    assert volume.spec.node_affinity.required.node_selector_terms[0].match_expressions[0].values == [name]
    # The agents that write there are not root.
    assert Path(volume.spec.host_path.path).stat().st_mode & 0o777 == 0o777


@pytest.mark.parametrize(("storage_class", "policy"), [(None, "Delete"), ("local-retain", "Retain")])
def test_a_claim_waits_for_its_pod(storage_class: str | None, policy: str, clusters: dict[str, Cluster]) -> None:
    cluster = clusters[NAMES[0]]
    name = f"waiting-{policy.lower()}"
    cluster.claim(name, storage_class)
    wait(lambda: bool(cluster.messages(name, "WaitForFirstConsumer")), "the claim waits for a pod")

    cluster.run_pod(name, claim=name)

    volume = cluster.core.read_persistent_volume(cluster.volume_of(name))
    assert volume.spec.persistent_volume_reclaim_policy == policy


def test_a_deleted_claim_takes_its_directory_along(clusters: dict[str, Cluster]) -> None:
    cluster = clusters[NAMES[0]]
    cluster.claim("short-lived", "local-immediate")
    directory = Path(cluster.core.read_persistent_volume(cluster.volume_of("short-lived")).spec.host_path.path)
    assert directory.is_dir()

    cluster.core.delete_namespaced_persistent_volume_claim("short-lived", "default")

    wait(lambda: not directory.exists(), "the directory is gone")


def test_a_mode_that_directories_do_not_have_is_refused_in_words(clusters: dict[str, Cluster]) -> None:
    cluster = clusters[NAMES[0]]
    cluster.claim("shared", "local-immediate", mode="ReadWriteMany")

    wait(lambda: bool(cluster.messages("shared", "ProvisioningFailed")), "the claim has an event")

    assert "access mode ReadWriteMany is not supported" in cluster.messages("shared", "ProvisioningFailed")[0]


def test_an_image_can_be_loaded(world: World, clusters: dict[str, Cluster], tmp_path: Path) -> None:
    archive = tmp_path / "image.tar"
    write_image_archive(archive, tag="getporter.local/loaded:1", files=[ImageFile("/a", b"content")], entrypoint=["/a"])

    world.tool.run("load-image", "--name", NAMES[1], str(archive))

    def known() -> bool:
        images = clusters[NAMES[1]].node().status.images or []
        return any("getporter.local/loaded:1" in each.names for each in images)

    wait(known, "the node knows the image")


def test_the_audit_log_tells_who_wrote_what(world: World, clusters: dict[str, Cluster]) -> None:
    lines = dict(line.split(": ", 1) for line in world.tool.run("status", "--name", NAMES[0]).splitlines())
    clusters[NAMES[0]].core.create_namespaced_config_map("default", {"metadata": {"name": "audited"}})

    def written() -> list[Any]:
        events = [json.loads(line) for line in Path(lines["audit-log"]).read_text(encoding="utf-8").splitlines()]
        return [each for each in events if each.get("objectRef", {}).get("name") == "audited"]

    wait(lambda: bool(written()), "the audit log has the request")
    assert [(each["verb"], each["user"]["username"], each["level"]) for each in written()] == [
        ("create", "kubernetes-admin", "Metadata")
    ]


def test_the_admission_of_owner_references_is_enforced(world: World, clusters: dict[str, Cluster]) -> None:
    flags = Path(f"/proc/{api_server(world.tool, NAMES[0])}/cmdline").read_text(encoding="utf-8")

    assert "--enable-admission-plugins=NodeRestriction,OwnerReferencesPermissionEnforcement" in flags


def api_server(tool: Tool, name: str) -> str:
    wanted = str(tool.clusters / name)
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = process.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        if "\0kube-apiserver\0" in line and wanted in line:
            return process.parent.name
    raise AssertionError("there is no API server")


def test_logs_are_shown(world: World, clusters: dict[str, Cluster]) -> None:
    assert "kube-apiserver" in world.tool.run("logs", "--name", NAMES[0])
    assert "Version" in world.tool.run("logs", "kube-apiserver", "--name", NAMES[0])
    assert "there are: containerd, etcd" in world.tool.run("logs", "nothing", "--name", NAMES[0], code=1)


# The tests from here on end clusters, and run in this order.


def test_a_component_that_ends_is_not_hidden(world: World, clusters: dict[str, Cluster]) -> None:
    os.kill(int(api_server(world.tool, NAMES[1])), signal.SIGKILL)

    def ended() -> bool:
        status = world.tool.start("status", "--name", NAMES[1])
        return "state: ended: kube-apiserver ended with signal SIGKILL" in status.communicate()[0]

    wait(ended, "the status tells")
    said = world.tool.run("up", "--name", NAMES[1])
    assert "removed what was left" in said
    assert connect(world.tool, NAMES[1]).is_ready()


def test_up_after_a_crash_of_the_supervisor(world: World, clusters: dict[str, Cluster]) -> None:
    os.kill(world.tool.record(NAMES[0])["supervisor"]["pid"], signal.SIGKILL)

    said = world.tool.run("up", "--name", NAMES[0])

    assert "removed what was left" in said
    again = connect(world.tool, NAMES[0])
    assert again.is_ready()
    again.run_pod("after-the-crash")
    # The other one has not noticed.
    assert "state: ready" in world.tool.run("status", "--name", NAMES[1])


@pytest.mark.parametrize("seconds", [0.5, 1.0, 2.0, 5.0])
def test_up_that_is_killed_leaves_what_down_can_find(
    seconds: float, world: World, clusters: dict[str, Cluster]
) -> None:
    world.tool.run("down", "--name", NAMES[1])
    starting = world.tool.start("up", "--driver", "local", "--name", NAMES[1])
    time.sleep(seconds)
    starting.kill()
    starting.communicate()

    world.tool.run("down", "--name", NAMES[1])

    left = traces(world.state)
    assert [each for each in left.processes if f"/{NAMES[1]}/" in each] == []
    assert [each for each in left.control_groups if f"-{NAMES[1]}-" in each] == []
    assert not (world.tool.clusters / NAMES[1]).exists()
    # One supervisor, with its unshare, is the other cluster's.
    assert len([each for each in left.processes if "tools.local_cluster.supervisor" in each]) == 2
    assert len(left.interfaces - world.before.interfaces) == 1


def test_down_leaves_nothing(world: World, clusters: dict[str, Cluster]) -> None:
    world.tool.run("up", "--name", NAMES[1])
    for name in NAMES:
        assert world.tool.run("down", "--name", name) == f"cluster {name} is removed\n"

    assert traces(world.state) == world.before
    assert list(world.state.iterdir()) == []


def test_down_again_has_nothing_to_do(world: World, clusters: dict[str, Cluster]) -> None:
    assert world.tool.run("down", "--name", NAMES[0]) == f"cluster {NAMES[0]} is not up\n"
    assert "not up" in world.tool.run("status", "--name", NAMES[0], code=1)
    assert "is not up" in world.tool.run("kubeconfig", "--name", NAMES[0], code=1)
