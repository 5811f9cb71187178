# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The driver `kind`: Kubernetes in a Docker container, by the command of that name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from . import configs
from .components import ADMISSION
from .driver import Say
from .errors import ClusterError
from .files import write_file
from .paths import ClusterPaths
from .record import Driver, Record, load
from .runner import Runner
from .tree import remove_tree
from .waiting import wait_for

# kind comes with this provisioner. It asks for a pod's node, so there is no class
# `local-immediate` here: claims of such a class would fail for ever.
PROVISIONER = "rancher.io/local-path"
READY_SECONDS = 180
# Inside the node's container.
AUDIT = "/var/log/kubernetes/audit"
POLICY = "/etc/kubernetes/audit-policy.yaml"


class KindCluster:
    """One cluster of the driver `kind`; see `ClusterDriver` for the methods without a docstring of their own."""

    def __init__(self, name: str, paths: ClusterPaths, run: Runner, say: Say) -> None:
        """Take the cluster's name and files, and how to run commands and to report."""
        self._name = name
        self._paths = paths
        self._run = run
        self._say = say

    def up(self) -> None:
        record = load(self._paths.record)
        exists = self._exists()
        if record is not None and record.ready and exists:
            self._say(f"cluster {self._name} is already running")
            return
        if exists and record is None:
            raise ClusterError(
                f"kind has a cluster {self._name} that was not made here; use another --name, or --driver current"
            )
        if self.down():
            self._say(f"removed what was left of an earlier cluster {self._name}")
        self._say(f"creating the kind cluster {self._name}")
        self._create()
        self._say(f"cluster {self._name} is ready")

    def down(self) -> bool:
        # Never a cluster that merely has the same name: only one that is on record.
        if load(self._paths.record) is not None and self._exists():
            self._run(["kind", "delete", "cluster", "--name", self._name, "--kubeconfig", str(self._paths.kubeconfig)])
        return remove_tree(self._paths.directory)

    def status(self, record: Record) -> Mapping[str, str]:
        state = "ready" if record.ready else "starting"
        if not self._exists():
            state = "ended: kind knows no such cluster"
        return {"state": state, "audit-log": str(self._paths.audit_log)}

    def load_images(self, archives: Sequence[Path]) -> None:
        for archive in archives:
            self._run(["kind", "load", "image-archive", str(archive), "--name", self._name])

    def logs(self) -> Mapping[str, Path]:
        target = self._paths.logs
        self._run(["kind", "export", "logs", str(target), "--name", self._name])
        return {str(each.relative_to(target).with_suffix("")): each for each in sorted(target.rglob("*.log"))}

    def _exists(self) -> bool:
        return self._name in self._run(["kind", "get", "clusters"]).split()

    def _create(self) -> None:
        paths = self._paths
        record = Record(Driver.KIND, str(paths.kubeconfig))
        # Before the cluster: an interrupted creation must be found.
        record.save(paths.record)
        paths.audit_log.parent.mkdir(parents=True, exist_ok=True)
        policy = paths.config / "audit-policy.yaml"
        write_file(policy, configs.audit_policy())
        file = paths.config / "kind.yaml"
        write_file(file, kind_config(policy=policy, audit=paths.audit_log.parent))
        self._run(create_command(self._name, file, paths.kubeconfig))
        paths.kubeconfig.chmod(0o600)
        self._finish()
        Record(Driver.KIND, record.kubeconfig, ready=True).save(paths.record)

    def _finish(self) -> None:
        # Imported here, as that takes longer than most commands do.
        from .api import Api, storage_classes

        api = Api(self._paths.kubeconfig, direct=True)
        api.create_storage_classes(storage_classes(PROVISIONER, immediate=False))
        api.only_default_class("local")
        wait_for(
            "the default service account exists",
            api.has_default_service_account,
            timeout=READY_SECONDS,
        )


def create_command(name: str, config: Path, kubeconfig: Path) -> list[str]:
    """Return the command that creates a cluster and waits until its node is ready."""
    options = ["--config", str(config), "--kubeconfig", str(kubeconfig), "--wait", f"{READY_SECONDS}s"]
    return ["kind", "create", "cluster", "--name", name, *options]


def kind_config(*, policy: Path, audit: Path) -> str:
    """Return kind's configuration (YAML): one node, with the audit log and the admission plugins of `local`.

    Args:
        policy: file with the audit policy.
        audit: directory for `audit.log`.
    """
    node = {
        "role": "control-plane",
        "extraMounts": [
            {"hostPath": str(policy), "containerPath": POLICY, "readOnly": True},
            {"hostPath": str(audit), "containerPath": AUDIT},
        ],
    }
    arguments = {
        "enable-admission-plugins": ",".join(ADMISSION),
        "audit-policy-file": POLICY,
        "audit-log-path": f"{AUDIT}/audit.log",
    }
    # kubeadm has changed the form of the arguments; kind applies the patch for the version in use.
    as_map = _kubeadm_patch("v1beta3", arguments)
    as_list = _kubeadm_patch("v1beta4", [{"name": name, "value": value} for name, value in arguments.items()])
    return yaml.safe_dump(
        {
            "kind": "Cluster",
            "apiVersion": "kind.x-k8s.io/v1alpha4",
            "nodes": [node],
            "kubeadmConfigPatches": [as_map, as_list],
        },
        sort_keys=False,
    )


def _kubeadm_patch(version: str, arguments: object) -> str:
    volumes = [
        {"name": "audit-policy", "hostPath": POLICY, "mountPath": POLICY, "readOnly": True, "pathType": "File"},
        {"name": "audit-log", "hostPath": AUDIT, "mountPath": AUDIT, "pathType": "DirectoryOrCreate"},
    ]
    return yaml.safe_dump(
        {
            "kind": "ClusterConfiguration",
            "apiVersion": f"kubeadm.k8s.io/{version}",
            "apiServer": {"extraArgs": arguments, "extraVolumes": volumes},
        },
        sort_keys=False,
    )
