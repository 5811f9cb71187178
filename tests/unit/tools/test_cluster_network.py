# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Choosing a network that nothing else uses."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Sequence
from ipaddress import IPv4Network
from typing import IO

import pytest

from tools.local_cluster import network
from tools.local_cluster.errors import ClusterError
from tools.local_cluster.locks import network_lock

ROUTES = json.dumps(
    [
        {"dst": "default", "gateway": "192.0.2.1", "dev": "eth0"},
        {"dst": "192.0.2.0/24", "dev": "eth0"},
        {"type": "local", "dst": "10.213.0.1", "dev": "gp-1", "table": "local"},
    ]
)
ADDRESSES = json.dumps(
    [
        {"ifname": "lo", "addr_info": [{"family": "inet", "local": "127.0.0.1", "prefixlen": 8}]},
        {"ifname": "gp-2", "addr_info": [{"family": "inet", "local": "10.213.0.5", "prefixlen": 30}]},
        {},
    ]
)


def test_used_networks_are_those_of_routes_and_addresses() -> None:
    used = network.used_networks(ROUTES, ADDRESSES)
    assert [str(each) for each in used] == ["192.0.2.0/24", "10.213.0.1/32", "127.0.0.0/8", "10.213.0.4/30"]


def test_no_output_is_no_networks() -> None:
    assert network.used_networks("", "") == []


def test_the_first_free_network_is_taken() -> None:
    link = network.free_link(network.used_networks(ROUTES, ADDRESSES))
    assert (str(link.network), str(link.host), str(link.node)) == ("10.213.0.8/30", "10.213.0.9", "10.213.0.10")


def test_a_larger_network_within_the_pool_is_avoided() -> None:
    assert network.free_link([IPv4Network("10.213.0.0/17")]).network == IPv4Network("10.213.128.0/30")


def test_a_route_to_much_more_than_the_pool_does_not_count() -> None:
    assert network.free_link([IPv4Network("10.0.0.0/8"), IPv4Network("0.0.0.0/0")]).network == IPv4Network(
        "10.213.0.0/30"
    )


def test_a_full_pool_is_an_error() -> None:
    with pytest.raises(ClusterError, match="no free network"):
        network.free_link([network.POOL])


def test_the_networks_do_not_overlap() -> None:
    all_networks = [network.POOL, network.PODS, network.SERVICES]
    assert not any(one.overlaps(two) for one in all_networks for two in all_networks if one is not two)


class Host:
    """Answers the commands of a host that has the given addresses, and takes notes."""

    def __init__(self) -> None:
        self.commands: list[str] = []
        self.locked: list[bool] = []

    def __call__(self, command: Sequence[str], *, stdin: IO[bytes] | None = None) -> str:
        text = " ".join(command)
        self.commands.append(text)
        self.locked.append(is_locked())
        if "route show" in text:
            return ROUTES
        return ADDRESSES if "address show" in text else ""


def is_locked() -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind("\0getporter-porter-network")
        except OSError:
            return True
    return False


def test_a_cluster_is_connected_under_the_lock() -> None:
    host = Host()

    link = network.connect(host, 42, "gp-3", "getporter.porter a")

    assert str(link.node) == "10.213.0.10"
    assert host.commands[2:6] == [
        "ip link add gp-3 type veth peer name eth0 netns 42",
        "ip link set gp-3 alias getporter.porter a",
        "ip address add 10.213.0.9/30 dev gp-3",
        "ip link set gp-3 up",
    ]
    inside = host.commands[6:]
    assert inside and all(each.startswith("nsenter --net=/proc/42/ns/net ip ") for each in inside)
    assert not any("default" in each for each in inside)  # no way out
    assert host.locked == [True] * 6 + [False] * len(inside)


def test_the_lock_is_waited_for() -> None:
    entered = threading.Event()

    def enter() -> None:
        with network_lock():
            entered.set()

    with network_lock():
        other = threading.Thread(target=enter)
        other.start()
        assert not entered.wait(0.2)
    assert entered.wait(5)
    other.join()
