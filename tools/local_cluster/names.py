# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Names: of a cluster, and those made from it."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from .errors import ClusterError

# kind calls its node NAME-control-plane, which has to fit a host name of 63 characters.
MAX_LENGTH = 63 - len("-control-plane")
_DNS_1123_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")


def check_name(name: str) -> str:
    """Return the name of a cluster if it is one.

    Raises:
        ClusterError: it is not a DNS-1123 label, or it is too long.
    """
    if not _DNS_1123_LABEL.fullmatch(name) or len(name) > MAX_LENGTH:
        raise ClusterError(
            f"{name!r} is no name for a cluster: at most {MAX_LENGTH} lower case letters, "
            "digits and hyphens, a letter or digit at both ends"
        )
    return name


def identity(directory: Path) -> str:
    """Return 8 hex digits that stand for a cluster among all those of the machine.

    A name is unique in one state directory only, and the machine can have many of these.

    Args:
        directory: absolute path of the cluster's directory.
    """
    return hashlib.sha256(str(directory).encode()).hexdigest()[:8]


def interface(directory: Path) -> str:
    """Return the name of the host's network interface to a cluster (the kernel allows 15 characters)."""
    return f"gp-{identity(directory)}"


def cgroup(name: str, directory: Path) -> str:
    """Return the name of the control group of a cluster."""
    return f"getporter-{name}-{identity(directory)}"
