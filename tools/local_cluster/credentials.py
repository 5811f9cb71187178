# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Who is who in a cluster of the driver `local`: certificates and kubeconfigs."""

from __future__ import annotations

from . import network
from .components import API_PORT, LOCAL_API
from .files import write_file
from .kubeconfig import render_kubeconfig
from .paths import ClusterPaths
from .pki import Authority, KeyPair, Subject, key_pem, new_key

ADMIN = Subject("kubernetes-admin", group="system:masters")


def write(paths: ClusterPaths, name: str, link: network.Link) -> None:
    """Write a new authority, all keys and certificates, and the kubeconfigs of users and components.

    Args:
        paths: the cluster's files.
        name: name of the cluster and of its node.
        link: the node's addresses.
    """
    authority = Authority(f"{name} authority")
    authority.pair.save(paths.pki, "ca")
    write_file(paths.pki / "service-accounts.key", key_pem(new_key()))
    for file, subject in servers(name, link).items():
        authority.issue(subject).save(paths.pki, file)
    certificate = authority.pair.certificate

    def kubeconfig(user: str, server: str, pair: KeyPair) -> str:
        return render_kubeconfig(cluster=name, server=server, authority=certificate, user=user, pair=pair)

    for user, subject in clients(name).items():
        write_file(paths.config / f"{user}.kubeconfig", kubeconfig(user, LOCAL_API, authority.issue(subject)))
    address = f"https://{link.node}:{API_PORT}"
    write_file(paths.kubeconfig, kubeconfig(ADMIN.name, address, authority.issue(ADMIN)))


def servers(name: str, link: network.Link) -> dict[str, Subject]:
    """Return whom the certificates in files are for: all but one are servers."""
    service = ("kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local")
    own = ("127.0.0.1", str(link.node))
    return {
        "apiserver": Subject("kube-apiserver", dns=("localhost", *service), addresses=(*own, str(network.API_SERVICE))),
        "apiserver-kubelet": Subject("kube-apiserver-kubelet-client", group="system:masters"),
        "controller-manager": Subject("kube-controller-manager", addresses=own),
        "scheduler": Subject("kube-scheduler", addresses=own),
        "kubelet": Subject(f"system:node:{name}", group="system:nodes", dns=(name,), addresses=own),
    }


def clients(name: str) -> dict[str, Subject]:
    """Return whom the kubeconfigs of the components are for, each a user of its own in the audit log."""
    return {
        "controller-manager": Subject("system:kube-controller-manager"),
        "scheduler": Subject("system:kube-scheduler"),
        "proxy": Subject("system:kube-proxy"),
        "kubelet": Subject(f"system:node:{name}", group="system:nodes"),
        "provisioner": Subject("local-provisioner", group="system:masters"),
    }
