# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Choosing a driver, the commands of kind, the driver current, missing packages, and the command line."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

import pytest
import yaml
from kubernetes import client

from tools.local_cluster import api, cli, current, kind, local, packages
from tools.local_cluster.driver import choose_driver
from tools.local_cluster.errors import ClusterError
from tools.local_cluster.kind import KindCluster
from tools.local_cluster.paths import ClusterPaths
from tools.local_cluster.processes import ProcessIdentity
from tools.local_cluster.record import Driver, Record, load


class FakeRunner:
    """Takes notes of commands; `answers` gives output, or an error, by the beginning of a command."""

    def __init__(self, answers: dict[str, str | ClusterError] | None = None) -> None:
        self.answers = answers or {}
        self.commands: list[str] = []

    def __call__(self, command: Sequence[str], *, stdin: IO[bytes] | None = None) -> str:
        text = " ".join(command)
        self.commands.append(text)
        answer = next((value for start, value in self.answers.items() if text.startswith(start)), "")
        if isinstance(answer, ClusterError):
            raise answer
        return answer


def having(*programs: str) -> Callable[[str], str | None]:
    return lambda program: f"/bin/{program}" if program in programs else None


NO_DOCKER = {"docker info": ClusterError("Cannot connect to the Docker daemon")}


@pytest.mark.parametrize(
    ("wanted", "programs", "answers", "expected"),
    [
        ("auto", ("kind", "docker"), {}, Driver.KIND),
        ("auto", ("kind", "docker"), NO_DOCKER, Driver.LOCAL),
        ("auto", ("docker",), {}, Driver.LOCAL),
        ("auto", ("kind",), {}, Driver.LOCAL),
        ("local", ("kind", "docker"), {}, Driver.LOCAL),
        ("kind", (), NO_DOCKER, Driver.KIND),
        ("current", ("kind", "docker"), {}, Driver.CURRENT),
    ],
)
def test_the_driver(wanted: str, programs: Sequence[str], answers: dict[str, Any], expected: Driver) -> None:
    assert choose_driver(wanted, FakeRunner(answers), having(*programs)) is expected


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ClusterPaths:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return ClusterPaths.of("it-k")


class FakeApi:
    """Stands for the API server of a new kind cluster."""

    made: list[str]

    def __init__(self, kubeconfig: Path, *, direct: bool) -> None:
        FakeApi.made = []

    def create_storage_classes(self, classes: Sequence[api.StorageClass]) -> None:
        FakeApi.made += [each.name for each in classes]

    def only_default_class(self, name: str) -> None:
        FakeApi.made.append(f"default {name}")

    def has_default_service_account(self) -> bool:
        return True

    def version(self) -> str:
        return "v1.2.3"


class KindRunner(FakeRunner):
    """A kind that makes and removes clusters."""

    def __init__(self, *clusters: str) -> None:
        super().__init__()
        self.clusters = list(clusters)

    def __call__(self, command: Sequence[str], *, stdin: IO[bytes] | None = None) -> str:
        super().__call__(command, stdin=stdin)
        if "get" in command:
            return "\n".join(self.clusters)
        name = command[command.index("--name") + 1]
        if "create" in command:
            self.clusters.append(name)
            Path(command[command.index("--kubeconfig") + 1]).write_text("")
        if "delete" in command:
            self.clusters.remove(name)
        return ""


def kind_cluster(paths: ClusterPaths, runner: KindRunner, said: list[str] | None = None) -> KindCluster:
    return KindCluster("it-k", paths, runner, (said if said is not None else []).append)


@pytest.fixture
def kind_api(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "Api", FakeApi)


@pytest.mark.usefixtures("kind_api")
def test_kind_creates_a_cluster(paths: ClusterPaths) -> None:
    runner = KindRunner("other")

    kind_cluster(paths, runner).up()

    directory = paths.directory
    assert runner.commands == [
        "kind get clusters",
        f"kind create cluster --name it-k --config {directory}/config/kind.yaml "
        f"--kubeconfig {directory}/kubeconfig --wait 180s",
    ]
    assert load(paths.record) == Record(Driver.KIND, str(paths.kubeconfig), ready=True)
    assert paths.kubeconfig.stat().st_mode & 0o777 == 0o600
    assert FakeApi.made == ["local", "local-retain", "default local"]


@pytest.mark.usefixtures("kind_api")
def test_kind_finds_a_cluster_that_runs(paths: ClusterPaths) -> None:
    runner = KindRunner()
    kind_cluster(paths, runner).up()
    said: list[str] = []

    kind_cluster(paths, runner, said).up()

    assert said == ["cluster it-k is already running"]
    assert [each for each in runner.commands if "create" in each] == runner.commands[1:2]


@pytest.mark.usefixtures("kind_api")
def test_kind_makes_a_cluster_anew_that_is_half_done(paths: ClusterPaths) -> None:
    Record(Driver.KIND, str(paths.kubeconfig)).save(paths.record)
    runner = KindRunner("it-k")

    kind_cluster(paths, runner).up()

    assert [each.split()[1] for each in runner.commands] == ["get", "get", "delete", "create"]


def test_kind_leaves_a_cluster_of_others_alone(paths: ClusterPaths) -> None:
    runner = KindRunner("it-k")
    with pytest.raises(ClusterError, match="not made here"):
        kind_cluster(paths, runner).up()
    assert kind_cluster(paths, runner).down() is False
    assert runner.clusters == ["it-k"]


@pytest.mark.usefixtures("kind_api")
def test_kind_deletes_its_cluster(paths: ClusterPaths) -> None:
    runner = KindRunner("other")
    kind_cluster(paths, runner).up()

    assert kind_cluster(paths, runner).down() is True

    assert runner.commands[-1] == f"kind delete cluster --name it-k --kubeconfig {paths.kubeconfig}"
    assert runner.clusters == ["other"]
    assert not paths.directory.exists()


def test_kind_loads_images(paths: ClusterPaths) -> None:
    runner = KindRunner()
    kind_cluster(paths, runner).load_images([Path("/a.tar"), Path("/b.tar")])
    assert runner.commands == [
        "kind load image-archive /a.tar --name it-k",
        "kind load image-archive /b.tar --name it-k",
    ]


@pytest.mark.parametrize(
    ("clusters", "ready", "state"),
    [(["it-k"], True, "ready"), (["it-k"], False, "starting"), ([], True, "ended: kind knows no such cluster")],
)
def test_kind_tells_the_state(clusters: list[str], ready: bool, state: str, paths: ClusterPaths) -> None:
    status = kind_cluster(paths, KindRunner(*clusters)).status(Record(Driver.KIND, "", ready))
    assert status == {"state": state, "audit-log": str(paths.audit_log)}


def test_kind_is_told_to_audit_and_admit_as_the_driver_local_does() -> None:
    loaded = yaml.safe_load(kind.kind_config(policy=Path("/state/policy.yaml"), audit=Path("/state/audit")))

    (node,) = loaded["nodes"]
    assert [each["hostPath"] for each in node["extraMounts"]] == ["/state/policy.yaml", "/state/audit"]
    old, new = (yaml.safe_load(each) for each in loaded["kubeadmConfigPatches"])
    assert (old["apiVersion"], new["apiVersion"]) == ("kubeadm.k8s.io/v1beta3", "kubeadm.k8s.io/v1beta4")
    arguments = old["apiServer"]["extraArgs"]
    assert arguments["enable-admission-plugins"] == "NodeRestriction,OwnerReferencesPermissionEnforcement"
    assert {each["name"]: each["value"] for each in new["apiServer"]["extraArgs"]} == arguments
    inside = {each["containerPath"] for each in node["extraMounts"]}
    assert {each["hostPath"] for each in new["apiServer"]["extraVolumes"]} == inside


def test_current_is_recorded_and_never_changed(
    paths: ClusterPaths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "Api", FakeApi)
    kubeconfig = tmp_path / "mine"
    kubeconfig.write_text("content")
    monkeypatch.setenv("KUBECONFIG", str(kubeconfig))
    cluster = current.CurrentCluster("it-k", paths, lambda _: None)

    cluster.up()
    assert load(paths.record) == Record(Driver.CURRENT, str(kubeconfig), ready=True)
    assert FakeApi.made == []

    assert cluster.down() is True
    assert kubeconfig.read_text() == "content"
    assert not paths.directory.exists()


def test_current_loads_no_images(paths: ClusterPaths) -> None:
    with pytest.raises(ClusterError, match="cannot be loaded"):
        current.CurrentCluster("it-k", paths, lambda _: None).load_images([Path("/a.tar")])


def test_missing_packages_are_found() -> None:
    assert packages.missing_packages(having(*packages.NEEDED.values())) == []
    assert packages.missing_packages(having("containerd", "nft", "ip")) == [
        "runc",
        "containernetworking-plugins",
        "iptables",
        "conntrack",
        "util-linux",
    ]


def test_missing_packages_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda *_, **__: "/usr/bin/apt-get")
    runner, said = FakeRunner(), list[str]()

    packages.ensure_packages(runner, said.append, ["runc", "conntrack"])

    assert said == ["installing the Debian packages runc conntrack"]
    assert runner.commands[0] == "apt-get -qq update"
    assert runner.commands[1].endswith(" install runc conntrack")


def test_nothing_missing_is_nothing_to_do() -> None:
    runner = FakeRunner()
    packages.ensure_packages(runner, pytest.fail, [])
    assert runner.commands == []


def test_missing_packages_are_named_where_apt_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    with pytest.raises(ClusterError, match="Debian packages runc conntrack"):
        packages.ensure_packages(FakeRunner(), pytest.fail, ["runc", "conntrack"])


def test_local_needs_root(paths: ClusterPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    runner = FakeRunner()
    with pytest.raises(ClusterError, match="needs root"):
        local.LocalCluster("it-k", paths, runner, lambda _: None).up()
    assert runner.commands == []


def test_local_tells_of_a_cluster_that_a_restart_has_ended(paths: ClusterPaths) -> None:
    own = ProcessIdentity.of(os.getpid())
    cluster = local.LocalCluster("it-k", paths, FakeRunner(), lambda _: None)
    before = Record(Driver.LOCAL, "", True, ProcessIdentity(own.pid, own.start, "the boot before"))
    assert cluster.status(Record(Driver.LOCAL, "", True, own))["state"] == "ready"
    assert cluster.status(Record(Driver.LOCAL, "", False, own))["state"] == "starting"
    assert cluster.status(before)["state"] == "ended: the supervisor was killed, or the machine was restarted"

    paths.directory.mkdir(parents=True)
    paths.failure.write_text("etcd ended with exit code 1\n")
    assert cluster.status(before)["state"] == "ended: etcd ended with exit code 1"


def test_the_storage_classes() -> None:
    classes = api.storage_classes("example/p", immediate=True)
    assert [(each.name, each.binding, each.reclaim, each.default) for each in classes] == [
        ("local", "WaitForFirstConsumer", "Delete", True),
        ("local-retain", "WaitForFirstConsumer", "Retain", False),
        ("local-immediate", "Immediate", "Delete", False),
    ]
    assert [each.name for each in api.storage_classes("example/p", immediate=False)] == ["local", "local-retain"]


def test_one_storage_class_is_the_default() -> None:
    bodies = [api.storage_class_body(each) for each in api.storage_classes("example/p", immediate=True)]
    marked = [each["metadata"]["name"] for each in bodies if each["metadata"]["annotations"]]
    assert marked == ["local"]
    assert {each["provisioner"] for each in bodies} == {"example/p"}


def node(ready: str = "True", unschedulable: bool | None = None, taints: list[Any] | None = None) -> Any:
    conditions = [client.V1NodeCondition(type="Ready", status=ready)]
    return client.V1Node(
        spec=client.V1NodeSpec(unschedulable=unschedulable, taints=taints),
        status=client.V1NodeStatus(conditions=conditions),
    )


def test_a_node_that_pods_can_go_to() -> None:
    taint = client.V1Taint(key="node.kubernetes.io/not-ready", effect="NoSchedule")
    assert api.is_schedulable(node())
    assert not api.is_schedulable(node(ready="False"))
    assert not api.is_schedulable(node(unschedulable=True))
    assert not api.is_schedulable(node(taints=[taint]))
    assert not api.is_schedulable(client.V1Node(spec=client.V1NodeSpec(), status=client.V1NodeStatus()))


REFUSING = """
apiVersion: v1
kind: Config
current-context: a
contexts: [{name: a, context: {cluster: a, user: a}}]
clusters: [{name: a, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: a, user: {}}]
"""


@pytest.mark.parametrize(("direct", "refused"), [(True, "port=1\\)"), (False, "port=2\\)")])
def test_a_cluster_of_this_machine_is_not_asked_through_a_proxy(
    direct: bool, refused: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:2")
    (tmp_path / "kubeconfig").write_text(REFUSING)
    with pytest.raises(ClusterError, match=f"asking for the version: the API server does not answer: .*{refused}"):
        api.Api(tmp_path / "kubeconfig", direct=direct).version()


def test_a_kubeconfig_that_is_none_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "kubeconfig").write_text("a: b\n")
    with pytest.raises(ClusterError, match="cannot use the kubeconfig"):
        api.Api(tmp_path / "kubeconfig", direct=True)


def test_down_of_nothing_succeeds_and_says_so(paths: ClusterPaths, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["down", "--name", "it-k"]) == 0
    assert capsys.readouterr().out == "cluster it-k is not up\n"
    assert not paths.directory.parent.parent.exists()


@pytest.mark.parametrize("command", [["kubeconfig"], ["load-image", "a.tar"], ["logs"]])
def test_without_a_cluster_the_rest_is_an_error(
    command: list[str], paths: ClusterPaths, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([*command, "--name", "it-k"]) == 1
    assert "error: cluster it-k is not up; make it with: " in capsys.readouterr().err


def test_status_without_a_cluster(paths: ClusterPaths, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["status", "--name", "it-k"]) == 1
    assert capsys.readouterr().out == "name: it-k\nstate: not up\n"


def test_kubeconfig_prints_the_path_alone(paths: ClusterPaths, capsys: pytest.CaptureFixture[str]) -> None:
    Record(Driver.CURRENT, "/mine", ready=True).save(paths.record)
    assert cli.main(["kubeconfig", "--name", "it-k"]) == 0
    assert capsys.readouterr().out == "/mine\n"


def test_a_missing_archive_is_named(paths: ClusterPaths, capsys: pytest.CaptureFixture[str]) -> None:
    Record(Driver.CURRENT, "/mine", ready=True).save(paths.record)
    assert cli.main(["load-image", "--name", "it-k", "/no/such.tar"]) == 1
    assert capsys.readouterr().err == "error: no such file: /no/such.tar\n"


def test_a_bad_name_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["up", "--name", "Not_A_Name"]) == 1
    assert "is no name for a cluster" in capsys.readouterr().err


def test_another_driver_than_the_recorded_one_is_refused(
    paths: ClusterPaths, capsys: pytest.CaptureFixture[str]
) -> None:
    Record(Driver.CURRENT, "/mine", ready=True).save(paths.record)
    assert cli.main(["up", "--name", "it-k", "--driver", "local"]) == 1
    assert "is there with the driver current" in capsys.readouterr().err
    assert load(paths.record) == Record(Driver.CURRENT, "/mine", ready=True)


def test_the_default_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "_status", lambda options, _: 0 if options.name == "porter" else 3)
    assert cli.main(["status"]) == 0
