# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The network of a cluster: a pair of interfaces, one on the host and one in the cluster.

The cluster's side is alone in its network namespace, with no route but to the host: nothing in
a cluster can reach another network, and nothing but this host can reach the cluster.
"""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import ClusterError
from .locks import network_lock
from .runner import Runner

Network = ipaddress.IPv4Network

# Where the small network of each cluster is taken from: private addresses that few others choose.
POOL = Network("10.213.0.0/16")
LINK_PREFIX = 30
# These are inside the cluster's namespace only, and so the same in every cluster.
PODS = Network("10.244.0.0/16")
SERVICES = Network("10.96.0.0/16")
API_SERVICE = SERVICES[1]
INTERFACE = "eth0"


@dataclass(frozen=True)
class Link:
    """The addresses of a cluster's link to the host."""

    network: Network

    @property
    def host(self) -> ipaddress.IPv4Address:
        """Address of the host."""
        return self.network[1]

    @property
    def node(self) -> ipaddress.IPv4Address:
        """Address of the cluster's node, and of its API server."""
        return self.network[2]


def used_networks(routes: str, addresses: str) -> list[Network]:
    """Return the networks in use on the host.

    Args:
        routes: output of `ip -json -4 route show table all`.
        addresses: output of `ip -json -4 address show`.
    """
    destinations = [route["dst"] for route in _json_list(routes) if route["dst"] != "default"]
    own = [
        f"{info['local']}/{info['prefixlen']}"
        for interface in _json_list(addresses)
        for info in interface.get("addr_info", [])
        if info.get("family") == "inet"
    ]
    return [Network(each, strict=False) for each in (*destinations, *own)]


def free_link(used: Iterable[Network]) -> Link:
    """Return the first link of the pool that overlaps no network in use.

    A route that covers the whole pool (a VPN's, say) does not count: the link's own route is more
    specific, and only a network of at most the pool's size is likely to be a neighbour's.

    Raises:
        ClusterError: all are in use.
    """
    taken = [each for each in used if each.prefixlen >= POOL.prefixlen]
    for network in _candidates():
        if not any(network.overlaps(each) for each in taken):
            return Link(network)
    raise ClusterError(f"no free network of size /{LINK_PREFIX} is left in {POOL}")


def connect(run: Runner, pid: int, interface: str, label: str) -> Link:
    """Join the network namespace of a process to the host, at addresses that nothing else has.

    The interfaces end with the namespace.

    Args:
        run: runs the commands.
        pid: ID of the process.
        interface: name of the host's interface.
        label: what `ip link` shows beside it.

    Raises:
        ClusterError: no address is free, or the kernel refuses.
    """
    # From the choice until the address is there for others to see.
    with network_lock():
        link = free_link(
            used_networks(
                run(["ip", "-json", "-4", "route", "show", "table", "all"]),
                run(["ip", "-json", "-4", "address", "show"]),
            )
        )
        for command in host_commands(link, pid, interface, label):
            run(command)
    for command in node_commands(link):
        run(["nsenter", f"--net=/proc/{pid}/ns/net", *command])
    return link


def host_commands(link: Link, pid: int, interface: str, label: str) -> list[list[str]]:
    """Return the commands that make the pair and set up the host's end."""
    peer = ["peer", "name", INTERFACE, "netns", str(pid)]
    return [
        ["ip", "link", "add", interface, "type", "veth", *peer],
        ["ip", "link", "set", interface, "alias", label],
        ["ip", "address", "add", f"{link.host}/{LINK_PREFIX}", "dev", interface],
        ["ip", "link", "set", interface, "up"],
    ]


def node_commands(link: Link) -> list[list[str]]:
    """Return the commands that set up the cluster's end, from inside its namespace."""
    return [
        ["ip", "link", "set", "lo", "up"],
        ["ip", "address", "add", f"{link.node}/{LINK_PREFIX}", "dev", INTERFACE],
        ["ip", "link", "set", INTERFACE, "up"],
        # kube-proxy changes the destination, but only of packets that have a route.
        ["ip", "route", "add", str(SERVICES), "dev", "lo", "src", str(link.node)],
    ]


def interface_exists(interface: str) -> bool:
    """Return whether the host has a network interface of that name."""
    return Path("/sys/class/net", interface).exists()


def _candidates() -> Iterator[Network]:
    return POOL.subnets(new_prefix=LINK_PREFIX)


def _json_list(text: str) -> list[dict[str, Any]]:
    parsed: list[dict[str, Any]] = json.loads(text or "[]")
    return parsed
