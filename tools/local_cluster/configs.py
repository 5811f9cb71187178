# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Configuration files of the components of the driver `local`, as text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from . import network
from .packages import CNI_PLUGINS

# Private directories of the cluster (see `mounts.py`), hence the same in every cluster: their
# paths are short whatever the state directory's is, as the 107 bytes of a socket's path demand.
CONTAINERD_SOCKET = "/run/containerd/containerd.sock"
PAUSE_IMAGE = "getporter.local/pause:1"


def containerd_config(*, data: Path, cni: Path, snapshotter: str) -> str:
    """Return containerd's configuration (TOML).

    Args:
        data: directory for what containerd keeps.
        cni: directory with the network configuration.
        snapshotter: `overlayfs` or `native`.
    """
    # A JSON string is a TOML string, escapes included.
    return f"""version = 2
root = {json.dumps(str(data / "root"))}
state = "/run/containerd"

[grpc]
  address = {json.dumps(CONTAINERD_SOCKET)}

[plugins."io.containerd.internal.v1.opt"]
  path = {json.dumps(str(data / "opt"))}

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = {json.dumps(PAUSE_IMAGE)}
  # Without CAP_SYS_RESOURCE runc cannot lower the score, and no pod would start.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = {json.dumps(str(CNI_PLUGINS))}
    conf_dir = {json.dumps(str(cni))}
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = {json.dumps(snapshotter)}
"""


def cni_config() -> str:
    """Return the network configuration of pods (JSON): a link of its own to the node for each."""
    # Not a bridge: packets between two pods of a bridge may pass by the node's rules for Services.
    pods = {"type": "host-local", "ranges": [[{"subnet": str(network.PODS)}]], "routes": [{"dst": "0.0.0.0/0"}]}
    plugins = [
        {"type": "ptp", "ipMasq": True, "ipam": pods},
        {"type": "portmap", "capabilities": {"portMappings": True}},
    ]
    return json.dumps({"cniVersion": "1.0.0", "name": "pods", "plugins": plugins}, indent=2)


def kubelet_config(*, pki: Path, cgroup_root: str, flexvolumes: Path, dns: str) -> str:
    """Return the kubelet's configuration (YAML).

    Args:
        pki: directory with `ca.crt`, `kubelet.crt` and `kubelet.key`.
        cgroup_root: control group under which those of the pods are, from the root of the hierarchy.
        flexvolumes: directory for a kind of plugins that nobody has; by default one of the machine's is made.
        dns: address of the name server of pods.
    """
    return _yaml(
        {
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "kind": "KubeletConfiguration",
            "authentication": {
                "anonymous": {"enabled": False},
                "webhook": {"enabled": True},
                "x509": {"clientCAFile": str(pki / "ca.crt")},
            },
            "authorization": {"mode": "Webhook"},
            "tlsCertFile": str(pki / "kubelet.crt"),
            "tlsPrivateKeyFile": str(pki / "kubelet.key"),
            "containerRuntimeEndpoint": f"unix://{CONTAINERD_SOCKET}",
            "cgroupDriver": "cgroupfs",
            "cgroupRoot": cgroup_root,
            "cgroupsPerQOS": True,
            "enforceNodeAllocatable": [],
            # Both are the machine's business, and tests have to run on what is there.
            "failCgroupV1": False,
            "failSwapOn": False,
            # The disk is not the cluster's alone: its filling up must not evict pods or delete images.
            "evictionHard": {},
            "imageGCHighThresholdPercent": 100,
            "volumePluginDir": str(flexvolumes),
            "clusterDNS": [dns],
            "clusterDomain": "cluster.local",
            "resolvConf": "",
            "nodeStatusUpdateFrequency": "5s",
            "syncFrequency": "10s",
        }
    )


def audit_policy() -> str:
    """Return the API server's audit policy (YAML): who did what to which object, without contents."""
    return _yaml(
        {
            "apiVersion": "audit.k8s.io/v1",
            "kind": "Policy",
            "omitStages": ["RequestReceived"],
            "rules": [{"level": "Metadata"}],
        }
    )


def _yaml(data: dict[str, Any]) -> str:
    return yaml.safe_dump(data, sort_keys=False)
