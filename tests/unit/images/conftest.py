# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""A running feed for all tests here, and a fresh agent for each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.images.local import LocalAgent, LocalFeed, running_feed


@pytest.fixture(scope="session")
def feed() -> Iterator[LocalFeed]:
    """The feed, shared: what it remembers is kept apart by tokens."""
    with running_feed() as local_feed:
        yield local_feed


@pytest.fixture
def agent(tmp_path: Path) -> LocalAgent:
    """An agent that has nothing installed yet."""
    local_agent = LocalAgent(tmp_path)
    local_agent.prepare()
    return local_agent


@pytest.fixture
def token(request: pytest.FixtureRequest) -> str:
    """A word of this test's own, for paths of the feed."""
    return re.sub(r"\W+", "-", request.node.name)
