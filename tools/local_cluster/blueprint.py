# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""A cluster of the driver `local` on paper: its configuration files, and the plan for its supervisor."""

from __future__ import annotations

import re
from pathlib import Path

from . import components, configs, credentials
from .errors import ClusterError
from .files import write_file
from .network import Link
from .packages import SEARCH_PATH
from .paths import ClusterPaths
from .plan import Plan

DATA = ("containerd", "flexvolumes", "kubelet", "pod-logs", "tmp", "volumes")


def make_directories(paths: ClusterPaths) -> None:
    """Make the directories that the components expect."""
    for directory in (paths.logs, paths.audit_log.parent, paths.config, *(paths.data / each for each in DATA)):
        directory.mkdir(parents=True, exist_ok=True)


def write_files(paths: ClusterPaths, name: str, link: Link, cgroup: str) -> None:
    """Write credentials and configuration of all components.

    Args:
        paths: the cluster's files.
        name: name of the cluster and of its node.
        link: the node's addresses.
        cgroup: name of the cluster's control group.
    """
    credentials.write(paths, name, link)
    containerd = configs.containerd_config(
        data=paths.data / "containerd", cni=paths.config / "cni", snapshotter=snapshotter(paths.directory)
    )
    kubelet = configs.kubelet_config(
        pki=paths.pki,
        cgroup_root=f"/{cgroup}",
        flexvolumes=paths.data / "flexvolumes",
        # There is no name server. At the node's address a look-up is refused at once, where any
        # other would have it wait for its time to run out.
        dns=str(link.node),
    )
    write_file(paths.config / "containerd.toml", containerd)
    write_file(paths.config / "cni" / "10-pods.conflist", configs.cni_config())
    write_file(paths.config / "kubelet.yaml", kubelet)
    write_file(paths.config / "audit-policy.yaml", configs.audit_policy())


def make_plan(paths: ClusterPaths, name: str, link: Link, program: Path) -> Plan:
    """Return what the supervisor is to do.

    Args:
        paths: the cluster's files.
        name: name of the cluster and of its node.
        link: the node's addresses.
        program: the executable that has all of Kubernetes in it.
    """
    return Plan(
        hostname=name,
        logs=str(paths.logs),
        failure=str(paths.failure),
        authority=str(paths.pki / "ca.crt"),
        # Paths that the components have built in, or that have to be short.
        private={
            "/run/containerd": "",
            "/run/netns": "",
            "/run/runc": "",
            "/var/lib/cni": "",
            "/var/lib/containerd": "",
            "/var/lib/kubelet": str(paths.data / "kubelet"),
            "/var/log/containers": "",
            "/var/log/pods": str(paths.data / "pod-logs"),
        },
        environment={"PATH": SEARCH_PATH, "TMPDIR": str(paths.data / "tmp")},
        components=tuple(components.components(program=program, paths=paths, name=name, link=link)),
    )


def kubernetes_version(go_mod: Path) -> str:
    """Return the version of Kubernetes that a go.mod requires, such as `v1.36.3`.

    Raises:
        ClusterError: it requires none.
    """
    match = re.search(r"^\s*k8s\.io/kubernetes (v\S+)", go_mod.read_text(encoding="utf-8"), re.MULTILINE)
    if match is None:
        raise ClusterError(f"{go_mod} requires no k8s.io/kubernetes")
    return match.group(1)


def snapshotter(directory: Path, mounts: str | None = None) -> str:
    """Return how containerd is to keep images: overlayfs, which is no use on an overlayfs itself.

    Args:
        directory: where containerd keeps its data.
        mounts: content of /proc/mounts; read by default.
    """
    table = Path("/proc/mounts").read_text(encoding="utf-8") if mounts is None else mounts
    kinds = {fields[1]: fields[2] for fields in (line.split() for line in table.splitlines())}
    below = next(kinds[str(each)] for each in (directory, *directory.parents) if str(each) in kinds)
    return "native" if below == "overlay" else "overlayfs"
