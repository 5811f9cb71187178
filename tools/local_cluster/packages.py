# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The programs of the operating system that the driver `local` needs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from .errors import ClusterError
from .runner import Runner

CNI_PLUGINS = Path("/usr/lib/cni")
# What proves that a Debian package is there.
NEEDED = {
    "containerd": "containerd",
    "runc": "runc",
    "containernetworking-plugins": str(CNI_PLUGINS / "ptp"),
    "iptables": "iptables",
    "nftables": "nft",
    "conntrack": "conntrack",
    "iproute2": "ip",
    "util-linux": "unshare",
}
# Debian has some of the programs where the search path of a plain user does not lead.
SEARCH_PATH = f"{os.environ.get('PATH', '')}:/usr/local/sbin:/usr/sbin:/sbin"


def missing_packages(find: Callable[[str], str | None] | None = None) -> list[str]:
    """Return the Debian packages whose programs are not there.

    Args:
        find: returns where a program is, given a name or a path; the machine's search by default.
    """
    look = find or (lambda program: shutil.which(program, path=SEARCH_PATH))
    return [package for package, program in NEEDED.items() if look(program) is None]


def ensure_packages(run: Runner, say: Callable[[str], None], missing: Sequence[str] | None = None) -> None:
    """Install what is missing with apt-get, where there is one.

    Args:
        run: runs the commands.
        say: receives one line of progress.
        missing: packages; looked up by default.

    Raises:
        ClusterError: they cannot be installed; the message names them.
    """
    packages = missing_packages() if missing is None else list(missing)
    if not packages:
        return
    names = " ".join(packages)
    if shutil.which("apt-get") is None:
        raise ClusterError(f"missing programs: install what your system calls the Debian packages {names}")
    say(f"installing the Debian packages {names}")
    run(["apt-get", "-qq", "update"])
    run(
        [
            "env",
            "DEBIAN_FRONTEND=noninteractive",
            "apt-get",
            "-qq",
            "-y",
            "--no-install-recommends",
            "install",
            *packages,
        ]
    )
