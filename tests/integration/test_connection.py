# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Ways to connect, and secrets that must appear nowhere."""

from __future__ import annotations

import venv
from pathlib import Path
from typing import Any

from tests.support.account import awx_environment
from tests.support.cluster import Cluster
from tests.support.playbook import Playbook, plugins_from


def test_credentials_in_a_feed_url_appear_nowhere(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    password = "s3cr3t-w0rd"
    feed = f"{channel}/secret/porter/{password.encode().hex()}/plugins/atom.xml"
    address = feed.replace("http://", f"http://porter:{password}@")
    good = playbook.run(arguments="-vvv", plugins={"kubernetes": {"version": "v1.0.1", "feedURL": address}})
    assert good.status == "successful"
    bad = playbook.run(
        arguments="-vvv", plugins={"kubernetes": {"version": "v9.9.9", "feedURL": address}}, retry_limit=0
    )
    assert "does not contain an entry" in bad.message
    for outcome in (good, bad):
        assert password not in outcome.output
    for item in [*cluster.claims(), *cluster.volumes()]:
        assert password not in str(item)


def test_host_and_token_are_enough(playbook: Playbook, cluster: Cluster, channel: str, api: Any) -> None:
    """F01, F02: what the AWX credential for Kubernetes sets, and nothing else; the token with its newline."""
    connection = awx_environment(api, cluster.admin_token() + "\n")
    outcome = playbook.run(environment=connection, plugins=plugins_from(channel, kubernetes="v1.0.1"))
    assert outcome.status == "successful", outcome.output
    assert cluster.claims()[0].status.phase == "Bound"


def test_a_token_is_never_shown(playbook: Playbook, api: Any) -> None:
    """F02: neither one that the API refuses nor one that is no header."""
    for token in ("t0ken-of-nobody", "t0ken\n-of-nobody"):
        connection = {
            "K8S_AUTH_HOST": api.configuration.host,
            "K8S_AUTH_API_KEY": token,
            "K8S_AUTH_VERIFY_SSL": "False",
        }
        outcome = playbook.run(arguments="-vvv", environment=connection, plugins={"azure": {"version": "v1.2.0"}})
        assert outcome.status == "failed"
        assert "t0ken" not in outcome.output
        assert "Unauthorized" in outcome.message or "Give it as one line" in outcome.message


def test_without_any_connection_the_message_lists_the_ways(playbook: Playbook) -> None:
    """F01."""
    outcome = playbook.run(environment={"HOME": "/nonexistent", "KUBECONFIG": ""}, plugins={"azure": {"version": "v1"}})
    assert outcome.status == "failed"
    for way in ("K8S_AUTH_KUBECONFIG", "K8S_AUTH_HOST and K8S_AUTH_API_KEY", "service account"):
        assert way in outcome.message


def test_a_python_without_the_library_is_named(playbook: Playbook, tmp_path: Path) -> None:
    """E13: in Ansible's usual words, which name the interpreter."""
    venv.create(tmp_path / "bare", symlinks=True)
    python = tmp_path / "bare" / "bin" / "python"
    outcome = playbook.run(
        arguments=f"-e ansible_python_interpreter={python}", plugins={"azure": {"version": "v1.2.0"}}
    )
    assert outcome.status == "failed"
    assert "Failed to import the required Python library (kubernetes)" in outcome.message
    assert str(python) in outcome.message
