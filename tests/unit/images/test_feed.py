# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The feed: each behaviour that a URL can choose."""

from __future__ import annotations

import base64
import json
import subprocess
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.images.local import ANSWER_SECONDS, LocalFeed
from tools.image_archive import go_architecture

ATOM = "{http://www.w3.org/2005/Atom}"
ARCH = go_architecture()


def entries(document: bytes) -> dict[tuple[str, str], list[str]]:
    """The links of a feed by plugin and version."""
    found = {}
    for entry in ElementTree.fromstring(document).iter(f"{ATOM}entry"):  # noqa: S314 - our own feed
        category = entry.find(f"{ATOM}category")
        assert category is not None
        key = (category.attrib["term"], entry.findtext(f"{ATOM}content") or "")
        links = entry.iter(f"{ATOM}link")
        found[key] = [link.attrib["href"] for link in links if link.attrib["rel"] == "download"]
    return found


def versions(feed: LocalFeed, prefix: str, name: str) -> list[str]:
    answer = feed.ask(f"{prefix}/plugins/atom.xml")
    assert answer.status == 200
    return [version for plugin, version in entries(answer.body) if plugin == name]


def test_feed_lists_the_catalogue(feed: LocalFeed) -> None:
    listed = entries(feed.ask("/plugins/atom.xml").body)
    assert set(listed) == {
        ("azure", "v1.0.1"),
        ("azure", "v1.2.0"),
        ("azure", "v1.3.0-rc.1"),
        ("hashicorp", "v1.0.0"),
        ("kubernetes", "v1.0.0"),
        ("kubernetes", "v1.0.1"),
    }
    link = f"{feed.url}/azure/v1.2.0/azure-linux-{ARCH}"
    assert link in listed["azure", "v1.2.0"]


def test_links_lead_to_the_host_that_was_asked(feed: LocalFeed) -> None:
    headers = {"Host": "feed.example:8080"}
    document = feed.ask("/slow/0/plugins/atom.xml", headers=headers).body
    [link, *_others] = entries(document)["kubernetes", "v1.0.1"]
    assert link.startswith("http://feed.example:8080/slow/0/kubernetes/v1.0.1/kubernetes-linux-")


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (["version"], "azure v1.2.0 (1b94848) by Porter stand-in\n"),
        (["version", "-o", "json"], None),
        (["version", "--output", "json"], None),
    ],
)
def test_download_is_a_plugin_that_knows_itself(
    feed: LocalFeed, tmp_path: Path, arguments: list[str], output: str | None
) -> None:
    program = tmp_path / "azure"
    program.write_bytes(feed.ask(f"/azure/v1.2.0/azure-linux-{ARCH}").body)
    program.chmod(0o755)
    done = subprocess.run([str(program), *arguments], capture_output=True, text=True, check=True)
    if output is None:
        assert json.loads(done.stdout) == {
            "name": "azure",
            "version": "v1.2.0",
            "commit": "1b94848",
            "author": "Porter stand-in",
            "implementations": [
                {"type": "secrets", "implementation": "keyvault"},
                {"type": "storage", "implementation": "blob"},
            ],
        }
    else:
        assert done.stdout == output


def test_latest_is_a_version_in_the_path_too(feed: LocalFeed) -> None:
    latest = feed.ask(f"/azure/latest/azure-linux-{ARCH}")
    assert latest.status == 200
    assert latest == feed.ask(f"/azure/v1.2.0/azure-linux-{ARCH}")


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/plugins",
        "/azure/v9.9.9/azure-linux-amd64",
        "/unknown/v1.0.0/unknown-linux-amd64",
        "/azure/v1.2.0/azure-linux-s390x",
        "/azure/v1.2.0/kubernetes-linux-amd64",
    ],
)
def test_what_is_not_published_is_not_found(feed: LocalFeed, path: str) -> None:
    assert feed.ask(path).status == 404


@pytest.mark.parametrize("path", ["/slow/soon/plugins/atom.xml", "/newest/canary/plugins/atom.xml", "/flaky"])
def test_wrong_use_is_told(feed: LocalFeed, path: str) -> None:
    assert feed.ask(path).status == 400


def test_broken_has_entries_without_downloads(feed: LocalFeed) -> None:
    listed = entries(feed.ask("/broken/plugins/atom.xml").body)
    [link, *_others] = listed["azure", "v1.2.0"]
    assert link.startswith(f"{feed.url}/broken/azure/")
    assert feed.ask(link.removeprefix(feed.url)).status == 404


def test_flaky_fails_once_for_each_token(feed: LocalFeed, token: str) -> None:
    path = f"/flaky/{token}/plugins/atom.xml"
    assert [feed.ask(path).status for _number in range(3)] == [500, 200, 200]
    assert feed.ask(f"/flaky/{token}-2/plugins/atom.xml").status == 500


def test_always500_never_works(feed: LocalFeed) -> None:
    path = "/always500/plugins/atom.xml"
    assert [feed.ask(path).status for _number in range(3)] == [500, 500, 500]


def test_slow_delays_downloads_but_not_the_feed(feed: LocalFeed) -> None:
    # A delay longer than any answer is awaited here.
    assert feed.ask(f"/slow/{10 * ANSWER_SECONDS}/plugins/atom.xml").status == 200
    started = time.monotonic()
    assert feed.ask(f"/slow/0.5/azure/v1.2.0/azure-linux-{ARCH}").status == 200
    assert time.monotonic() - started >= 0.5


@pytest.mark.parametrize(
    ("credentials", "status"),
    [("user:pass", 200), ("user:other", 401), ("other:pass", 401), (None, 401)],
)
def test_secret_needs_its_credentials(feed: LocalFeed, credentials: str | None, status: int) -> None:
    headers = {}
    if credentials is not None:
        code = base64.b64encode(credentials.encode()).decode()
        headers["Authorization"] = f"Basic {code}"
    for rest in ("plugins/atom.xml", f"azure/v1.2.0/azure-linux-{ARCH}"):
        assert feed.ask(f"/secret/user/70617373/{rest}", headers=headers).status == status


@pytest.mark.parametrize(
    ("newest", "listed"),
    [
        ("v2.0.0", ["v1.0.0", "v1.0.1", "v2.0.0"]),
        ("v1.0.1", ["v1.0.0", "v1.0.1"]),
        ("v1.0.0", ["v1.0.0"]),
    ],
)
def test_newest_decides_the_latest_kubernetes(feed: LocalFeed, newest: str, listed: list[str]) -> None:
    assert versions(feed, f"/newest/{newest}", "kubernetes") == listed
    assert versions(feed, f"/newest/{newest}", "hashicorp") == ["v1.0.0"]
    latest = f"/newest/{newest}/kubernetes/latest/kubernetes-linux-{ARCH}"
    assert newest.encode() in feed.ask(latest).body


def test_channel_can_publish_a_new_latest(feed: LocalFeed, token: str) -> None:
    channel = f"/channel/{token}"
    before = versions(feed, channel, "azure")
    control = f"/control/latest/azure/v3.0.0?channel={token}"
    assert feed.ask(control, method="POST").status == 204
    assert "v3.0.0" not in before
    assert "v3.0.0" in versions(feed, channel, "azure")
    assert "v3.0.0" not in versions(feed, "", "azure")


@pytest.mark.parametrize(
    "path",
    [
        "/control/latest/azure/v3.0.0",
        "/control/latest/unknown/v3.0.0?channel=a",
        "/control/latest/azure/canary?channel=a",
    ],
)
def test_control_refuses_nonsense(feed: LocalFeed, path: str) -> None:
    assert feed.ask(path, method="POST").status == 400


def test_behaviours_can_be_combined(feed: LocalFeed, token: str) -> None:
    prefix = f"/flaky/{token}/broken"
    assert feed.ask(f"{prefix}/plugins/atom.xml").status == 500
    assert feed.ask(f"{prefix}/plugins/atom.xml").status == 200
    assert feed.ask(f"{prefix}/azure/v1.2.0/azure-linux-{ARCH}").status == 404


def test_requests_are_counted_by_path(feed: LocalFeed, token: str) -> None:
    path = f"/channel/{token}/plugins/atom.xml"
    assert path not in feed.requests()
    feed.ask(path)
    feed.ask(path)
    assert feed.requests()[path] == 2


def test_health_is_not_a_request_for_plugins(feed: LocalFeed) -> None:
    assert feed.ask("/healthz").status == 200
    assert not {"/healthz", "/requests"} & set(feed.requests())
