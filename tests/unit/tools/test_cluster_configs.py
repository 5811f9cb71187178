# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Configuration files and arguments of the components."""

from __future__ import annotations

import ipaddress
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tools.local_cluster import blueprint, configs
from tools.local_cluster.components import components
from tools.local_cluster.errors import ClusterError
from tools.local_cluster.network import Link
from tools.local_cluster.paths import ClusterPaths
from tools.local_cluster.plan import Plan

LINK = Link(ipaddress.IPv4Network("10.213.0.8/30"))
PATHS = ClusterPaths(Path("/state/it-a"))
PROGRAM = Path("/cache/kubelocal-1")
CRI = "io.containerd.grpc.v1.cri"
# Of the kernel, for the path of a Unix socket with its end.
SOCKET_PATH_BYTES = 108


def containerd(snapshotter: str = "overlayfs", data: str = "/state/data") -> dict[str, Any]:
    return tomllib.loads(configs.containerd_config(data=Path(data), cni=Path("/state/cni"), snapshotter=snapshotter))


def kubelet() -> dict[str, Any]:
    text = configs.kubelet_config(
        pki=Path("/state/pki"), cgroup_root="/group", flexvolumes=Path("/state/flex"), dns="10.213.0.10"
    )
    loaded: dict[str, Any] = yaml.safe_load(text)
    return loaded


def test_containerd_keeps_its_data_in_the_state_directory() -> None:
    loaded = containerd()
    assert loaded["root"] == "/state/data/root"
    assert loaded["plugins"]["io.containerd.internal.v1.opt"]["path"] == "/state/data/opt"
    assert loaded["plugins"][CRI]["cni"]["conf_dir"] == "/state/cni"


def test_containerd_can_run_pods_without_all_capabilities() -> None:
    assert containerd()["plugins"][CRI]["restrict_oom_score_adj"] is True


def test_containerd_uses_the_image_that_is_loaded() -> None:
    assert containerd()["plugins"][CRI]["sandbox_image"] == configs.PAUSE_IMAGE


def test_containerd_uses_the_given_snapshotter() -> None:
    assert containerd("native")["plugins"][CRI]["containerd"]["snapshotter"] == "native"


def test_any_path_is_good_in_the_configuration_of_containerd() -> None:
    assert containerd(data='/a "b" \\ c')["root"] == '/a "b" \\ c/root'


def test_pods_have_links_and_addresses_of_their_own() -> None:
    first, second = json.loads(configs.cni_config())["plugins"]
    assert first["type"] == "ptp"
    assert first["ipam"]["ranges"] == [[{"subnet": "10.244.0.0/16"}]]
    assert second["type"] == "portmap"


def test_the_kubelet_stays_within_the_control_group_of_the_cluster() -> None:
    assert kubelet()["cgroupRoot"] == "/group"
    assert kubelet()["cgroupDriver"] == "cgroupfs"


def test_the_kubelet_lets_nobody_in_without_a_certificate() -> None:
    assert kubelet()["authentication"]["anonymous"] == {"enabled": False}
    assert kubelet()["authentication"]["x509"] == {"clientCAFile": "/state/pki/ca.crt"}
    assert kubelet()["authorization"] == {"mode": "Webhook"}


def test_a_full_disk_evicts_no_pod() -> None:
    assert kubelet()["evictionHard"] == {}
    assert kubelet()["imageGCHighThresholdPercent"] == 100


def test_every_request_is_audited_without_its_content() -> None:
    assert yaml.safe_load(configs.audit_policy())["rules"] == [{"level": "Metadata"}]


def commands() -> dict[str, tuple[str, ...]]:
    return {each.name: each.command for each in components(program=PROGRAM, paths=PATHS, name="it-a", link=LINK)}


def test_all_components_run() -> None:
    assert list(commands()) == [
        "containerd",
        "etcd",
        "kube-apiserver",
        "kubelet",
        "kube-controller-manager",
        "kube-scheduler",
        "kube-proxy",
        "provisioner",
    ]
    kubernetes = {name: command for name, command in commands().items() if name != "containerd"}
    assert all(command[:2] == (str(PROGRAM), name) for name, command in kubernetes.items())


@pytest.mark.parametrize(
    ("component", "flag"),
    [
        ("kube-apiserver", "--enable-admission-plugins=NodeRestriction,OwnerReferencesPermissionEnforcement"),
        ("kube-apiserver", "--advertise-address=10.213.0.10"),
        ("kube-apiserver", "--authorization-mode=Node,RBAC"),
        ("kube-apiserver", "--audit-log-path=/state/it-a/audit/audit.log"),
        ("kubelet", "--hostname-override=it-a"),
        ("kubelet", "--node-ip=10.213.0.10"),
        ("kube-proxy", "--hostname-override=it-a"),
        ("provisioner", "--node=it-a"),
        ("provisioner", "--root=/state/it-a/data/volumes"),
    ],
)
def test_arguments(component: str, flag: str) -> None:
    assert flag in commands()[component]


def test_components_wait_for_what_they_need() -> None:
    after = {each.name: each.after for each in components(program=PROGRAM, paths=PATHS, name="it-a", link=LINK)}
    assert after["etcd"] == after["kube-apiserver"] == after["containerd"] == ""
    assert after["kubelet"] == "unix:///run/containerd/containerd.sock"
    assert after["kube-scheduler"] == "https://127.0.0.1:6443/readyz"


def test_the_plan_survives_its_journey() -> None:
    plan = blueprint.make_plan(PATHS, "it-a", LINK, PROGRAM)
    assert Plan.from_json(plan.to_json()) == plan


def test_what_components_have_built_in_is_private() -> None:
    private = blueprint.make_plan(PATHS, "it-a", LINK, PROGRAM).private
    assert private["/var/lib/kubelet"] == "/state/it-a/data/kubelet"
    assert {"/run/containerd", "/run/netns", "/var/lib/cni", "/var/log/pods", "/var/log/containers"} <= set(private)


def test_sockets_have_short_paths_whatever_the_state_directory() -> None:
    long = ClusterPaths(Path("/") / ("x" * 200) / "it-a")
    plan = blueprint.make_plan(long, "it-a", LINK, PROGRAM)
    assert len(configs.CONTAINERD_SOCKET.encode()) < SOCKET_PATH_BYTES
    assert str(Path(configs.CONTAINERD_SOCKET).parent) in plan.private


def test_the_components_see_no_proxy_of_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example")
    assert set(blueprint.make_plan(PATHS, "it-a", LINK, PROGRAM).environment) == {"PATH", "TMPDIR"}


def test_the_version_comes_from_go_mod(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text(
        "replace k8s.io/api => k8s.io/api v0.1.0\nrequire (\n\tk8s.io/kubernetes v1.2.3\n)\n"
    )
    assert blueprint.kubernetes_version(tmp_path / "go.mod") == "v1.2.3"


def test_a_go_mod_without_kubernetes_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("module m\n")
    with pytest.raises(ClusterError, match="requires no"):
        blueprint.kubernetes_version(tmp_path / "go.mod")


MOUNTS = "overlay / overlay rw 0 0\n/dev/a /state ext4 rw 0 0\noverlay /state/merged overlay rw 0 0\n"


@pytest.mark.parametrize(
    ("directory", "expected"),
    [("/home/me", "native"), ("/state/it-a", "overlayfs"), ("/state/merged/a", "native"), ("/statement", "native")],
)
def test_the_snapshotter_suits_the_file_system(directory: str, expected: str) -> None:
    assert blueprint.snapshotter(Path(directory), MOUNTS) == expected
