# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Asking a server whether it is there, with the standard library alone."""

from __future__ import annotations

import socket
import ssl
import urllib.request

TIMEOUT_SECONDS = 2.0


def answers(url: str, authority: str) -> bool:
    """Return whether something accepts connections at a unix URL, or says 200 at an https URL.

    Args:
        url: such as `unix:///run/a.sock` or `https://127.0.0.1:6443/readyz`.
        authority: path of the certificate that the server's one is checked against.
    """
    if url.startswith("unix://"):
        return _accepts(url.removeprefix("unix://"))
    return _is_ok(url, authority)


def _accepts(path: str) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        try:
            client.connect(path)
        except OSError:
            return False
    return True


def _is_ok(url: str, authority: str) -> bool:
    opener = urllib.request.build_opener(
        # The addresses asked are this machine's own: no proxy knows them.
        urllib.request.ProxyHandler({}),
        urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=authority)),
    )
    try:
        with opener.open(url, timeout=TIMEOUT_SECONDS) as response:
            return bool(response.status == 200)
    except OSError:  # refused, not yet ready (500), not yet allowed (403)
        return False
