# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""A conflict need not mean that the wanted object is there: a busy ResourceQuota answers a create so, for example."""

from __future__ import annotations

import pytest
from ansible_collections.getporter.porter.plugins.module_utils._errors import ConflictError

from tests.unit.plugins.fake_cluster import FakeApi, FakeCluster
from tests.unit.plugins.module_utils.test_executor import Run, assert_ready

# The writes of an undisturbed install and hand-over.
WRITES = 9


class ConflictingApi(FakeApi):
    """Refuses one of the writes, once, with a conflict that changed nothing."""

    def __init__(self, cluster: FakeCluster, conflict_at: int) -> None:
        super().__init__(cluster)
        self.attempts = 0
        self.before = self._count
        self._conflict_at = conflict_at

    def _count(self, what: str) -> None:
        if what.split()[0] in ("create", "patch", "delete"):
            self.attempts += 1
            if self.attempts == self._conflict_at:
                raise ConflictError(409, "Conflict", "the object has been modified; please apply your changes")


@pytest.mark.parametrize("write", range(1, WRITES + 1))
def test_a_conflict_on_any_write_is_got_over(write: int) -> None:
    """E06: the next try is made on what is there by then."""
    cluster = FakeCluster()
    api = ConflictingApi(cluster, conflict_at=write)
    (end,) = Run(cluster, api).to_the_end()
    assert end.error is None
    assert api.attempts > WRITES
    assert_ready(cluster, "Delete")
    assert cluster.completed_jobs == 1
