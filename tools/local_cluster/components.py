# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The programs that make up a cluster of the driver `local`, with their arguments."""

from __future__ import annotations

from pathlib import Path

from . import network
from .configs import CONTAINERD_SOCKET
from .paths import ClusterPaths
from .plan import Component

ETCD = "http://127.0.0.1:2379"
API_PORT = 6443
SCHEDULER_PORT = 10259
# The components are in one network namespace, so loopback is theirs alone.
LOCAL_API = f"https://127.0.0.1:{API_PORT}"
ADMISSION = ("NodeRestriction", "OwnerReferencesPermissionEnforcement")


def components(*, program: Path, paths: ClusterPaths, name: str, link: network.Link) -> list[Component]:
    """Return the components, in the order in which they are to start.

    Args:
        program: the executable that has all of Kubernetes in it.
        paths: the cluster's files.
        name: name of the cluster and of its node.
        link: the node's addresses.
    """
    containerd = ("containerd", "--config", str(paths.config / "containerd.toml"))
    api_ready = f"{LOCAL_API}/readyz"
    runtime_ready = f"unix://{CONTAINERD_SOCKET}"

    def kubernetes(component: str, arguments: list[str], *, after: str = "") -> Component:
        return Component(component, (str(program), component, *arguments), after)

    return [
        Component("containerd", containerd),
        kubernetes("etcd", _etcd(paths)),
        kubernetes("kube-apiserver", _apiserver(paths, link)),
        kubernetes("kubelet", _kubelet(paths, name, link), after=runtime_ready),
        kubernetes("kube-controller-manager", _controller_manager(paths), after=api_ready),
        kubernetes("kube-scheduler", _scheduler(paths), after=api_ready),
        kubernetes("kube-proxy", _proxy(paths, name), after=api_ready),
        kubernetes("provisioner", _provisioner(paths, name), after=api_ready),
    ]


def _etcd(paths: ClusterPaths) -> list[str]:
    peer = "http://127.0.0.1:2380"
    return [
        f"--data-dir={paths.data / 'etcd'}",
        f"--listen-client-urls={ETCD}",
        f"--advertise-client-urls={ETCD}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        # Nothing of a cluster is to outlive a crash.
        "--unsafe-no-fsync",
    ]


def _apiserver(paths: ClusterPaths, link: network.Link) -> list[str]:
    pki = paths.pki
    return [
        f"--etcd-servers={ETCD}",
        f"--secure-port={API_PORT}",
        f"--advertise-address={link.node}",
        f"--client-ca-file={pki / 'ca.crt'}",
        f"--tls-cert-file={pki / 'apiserver.crt'}",
        f"--tls-private-key-file={pki / 'apiserver.key'}",
        f"--service-account-key-file={pki / 'service-accounts.key'}",
        f"--service-account-signing-key-file={pki / 'service-accounts.key'}",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-cluster-ip-range={network.SERVICES}",
        "--authorization-mode=Node,RBAC",
        f"--enable-admission-plugins={','.join(ADMISSION)}",
        "--kubelet-preferred-address-types=InternalIP",
        f"--kubelet-certificate-authority={pki / 'ca.crt'}",
        f"--kubelet-client-certificate={pki / 'apiserver-kubelet.crt'}",
        f"--kubelet-client-key={pki / 'apiserver-kubelet.key'}",
        f"--audit-policy-file={paths.config / 'audit-policy.yaml'}",
        f"--audit-log-path={paths.audit_log}",
    ]


def _kubelet(paths: ClusterPaths, name: str, link: network.Link) -> list[str]:
    return [
        f"--config={paths.config / 'kubelet.yaml'}",
        f"--kubeconfig={paths.config / 'kubelet.kubeconfig'}",
        f"--hostname-override={name}",
        f"--node-ip={link.node}",
    ]


def _controller_manager(paths: ClusterPaths) -> list[str]:
    return [
        *_client(paths, "controller-manager"),
        *_server(paths, "controller-manager"),
        f"--service-account-private-key-file={paths.pki / 'service-accounts.key'}",
        f"--root-ca-file={paths.pki / 'ca.crt'}",
        f"--cluster-signing-cert-file={paths.pki / 'ca.crt'}",
        f"--cluster-signing-key-file={paths.pki / 'ca.key'}",
        f"--flex-volume-plugin-dir={paths.data / 'flexvolumes'}",
        "--use-service-account-credentials=true",
        "--leader-elect=false",
    ]


def _scheduler(paths: ClusterPaths) -> list[str]:
    return [*_client(paths, "scheduler"), *_server(paths, "scheduler"), "--leader-elect=false"]


def _proxy(paths: ClusterPaths, name: str) -> list[str]:
    return [
        *_client(paths, "proxy"),
        f"--hostname-override={name}",
        "--proxy-mode=nftables",
        f"--cluster-cidr={network.PODS}",
        # The kernel keeps these for the whole machine: leave them as they are.
        "--conntrack-max-per-core=0",
        "--conntrack-min=0",
        "--conntrack-tcp-timeout-established=0s",
        "--conntrack-tcp-timeout-close-wait=0s",
    ]


def _provisioner(paths: ClusterPaths, name: str) -> list[str]:
    return [*_client(paths, "provisioner"), f"--root={paths.data / 'volumes'}", f"--node={name}"]


def _client(paths: ClusterPaths, user: str) -> list[str]:
    return [f"--kubeconfig={paths.config / f'{user}.kubeconfig'}"]


def _server(paths: ClusterPaths, name: str) -> list[str]:
    return [f"--tls-cert-file={paths.pki / f'{name}.crt'}", f"--tls-private-key-file={paths.pki / f'{name}.key'}"]
