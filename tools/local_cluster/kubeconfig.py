# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Kubeconfig files: written for the clusters made here, and found for the user's own."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from pathlib import Path

import yaml

from .errors import ClusterError
from .pki import KeyPair


def render_kubeconfig(*, cluster: str, server: str, authority: bytes, user: str, pair: KeyPair) -> str:
    """Return a kubeconfig with everything in it.

    Args:
        cluster: name of the cluster, which the context gets too.
        server: URL of the API server.
        authority: certificate of the cluster's authority (PEM).
        user: name of the credentials.
        pair: the credentials.
    """
    return yaml.safe_dump(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {
                    "name": cluster,
                    "cluster": {"server": server, "certificate-authority-data": _base64(authority)},
                }
            ],
            "users": [
                {
                    "name": user,
                    "user": {
                        "client-certificate-data": _base64(pair.certificate),
                        "client-key-data": _base64(pair.key),
                    },
                }
            ],
            "contexts": [{"name": cluster, "context": {"cluster": cluster, "user": user}}],
            "current-context": cluster,
        },
        sort_keys=False,
    )


def current_kubeconfig(environment: Mapping[str, str], home: Path) -> Path:
    """Return the kubeconfig that the user has already.

    Args:
        environment: KUBECONFIG is looked up there.
        home: the user's home directory, with `.kube/config` as the default.

    Raises:
        ClusterError: there is none, or KUBECONFIG names several.
    """
    configured = [each for each in environment.get("KUBECONFIG", "").split(os.pathsep) if each]
    if len(configured) > 1:
        raise ClusterError("KUBECONFIG names several files; the driver current needs one")
    path = Path(configured[0]) if configured else home / ".kube" / "config"
    if not path.is_file():
        raise ClusterError(f"there is no kubeconfig {path}; the driver current uses KUBECONFIG or ~/.kube/config")
    return path.resolve()


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
