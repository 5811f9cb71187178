# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The test feed as its owner sees it, through the API server: a cluster's own addresses may not be reachable."""

from __future__ import annotations

import json

from kubernetes import client

from tests.support.feed import NAME, NAMESPACE


def downloads(api: client.ApiClient, channel: str) -> int:
    """How many times a plugin was fetched from the channel."""
    counts: dict[str, int] = json.loads(_ask(api, "GET", "requests"))
    prefix = f"/channel/{channel}/"
    return sum(count for path, count in counts.items() if path.startswith(prefix) and not path.endswith("/atom.xml"))


def publish(api: client.ApiClient, channel: str, plugin: str, version: str) -> None:
    """Make this the plugin's newest version in the channel."""
    _ask(api, "POST", f"control/latest/{plugin}/{version}", channel=channel)


def _ask(api: client.ApiClient, method: str, path: str, **query: str) -> bytes:
    url = f"/api/v1/namespaces/{NAMESPACE}/services/{NAME}:80/proxy/{path}"
    request = api.param_serialize(method, url, query_params=list(query.items()), auth_settings=["BearerToken"])
    response = api.call_api(*request)
    content: bytes = response.read()
    assert response.status < 300, f"{method} {url}: {response.status} {content!r}"
    return content
