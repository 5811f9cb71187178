# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Gives claims their owners and takes them away, for many claims and owners at once.

Private to the collection: not a public interface.

Each round reads, decides for each claim, and writes. A conflict means that someone else acted
in between: the next round reads anew. In a round owners are looked up after the claims were read,
so that an owner made anew is never taken for a stale one.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Sequence

from ansible_collections.getporter.porter.plugins.module_utils._api import CLAIMS, KubeApi
from ansible_collections.getporter.porter.plugins.module_utils._errors import (
    ConflictError,
    InputError,
    PorterError,
    UnreachableError,
)
from ansible_collections.getporter.porter.plugins.module_utils._owner_lookup import OwnerLookup
from ansible_collections.getporter.porter.plugins.module_utils._owner_references import (
    Change,
    Reference,
    Wish,
    joining,
    leaving,
    references_of,
    shown,
)
from ansible_collections.getporter.porter.plugins.module_utils._writing import delete_item

Manifest = Dict[str, Any]

# Of all who change one claim at a time, one succeeds: this is enough for as many of them.
MOST_ROUNDS = 50
# Seconds between rounds.
LEAST_INTERVAL = 0.02
MOST_INTERVAL = 0.25
INTERVAL_GROWTH = 1.5


@dataclass
class ClaimChange:
    """What became of one claim: its references as they were read, and as they are after the change."""

    name: str
    before: list[Reference] = field(default_factory=list)
    after: list[Reference] = field(default_factory=list)
    changed: bool = False
    deleted: bool = False
    finished: bool = False
    warning: str = ""
    error: PorterError | None = None


class Ownership:
    """Brings about one wish. With ``only_foresee`` it reads and decides, and writes nothing."""

    def __init__(
        self,
        api: KubeApi,
        wish: Wish,
        *,
        only_foresee: bool = False,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._api = api
        self._wish = wish
        self._only_foresee = only_foresee
        self._sleep = sleep
        self._lookup = OwnerLookup(api, wish.namespace)

    def bring_about(self) -> list[ClaimChange]:
        """One entry for each claim, with its error where it failed.

        Raises what is wrong with the wish before anything is written.
        """
        everyone = [ClaimChange(name) for name in dict.fromkeys(self._wish.claims)]
        interval = LEAST_INTERVAL
        for rounds in range(MOST_ROUNDS):
            under_way = [each for each in everyone if not each.finished]
            if not under_way:
                return everyone
            if rounds:
                self._sleep(interval)
                interval = min(interval * INTERVAL_GROWTH, MOST_INTERVAL)
            self._make_round(under_way, is_first=not rounds)
        for each in everyone:
            if each.error and not each.finished:
                each.error.message = "The claim %s/%s was changed by others at each of %d tries: run again. %s" % (
                    self._wish.namespace,
                    each.name,
                    MOST_ROUNDS,
                    each.error.message,
                )
        return everyone

    def _make_round(self, under_way: list[ClaimChange], is_first: bool) -> None:
        try:
            claims = self._read([each.name for each in under_way])
            for each in under_way:
                claim = claims.get(each.name)
                each.before = each.after = references_of(claim) if claim else []
            references = self._lookup.references(self._wish.owners) if self._wish.present else []
        except UnreachableError:
            raise
        except PorterError as error:
            if is_first:
                raise
            # Some claims are changed already; the result tells of them.
            for each in under_way:
                each.error, each.finished = error, True
            return
        changes = [(each, self._decide(each, claims.get(each.name), references)) for each in under_way]
        refused = [each.error.message for each in under_way if each.error and each.finished]
        if refused and is_first:
            raise InputError(" ".join(refused))
        for each, change in changes:
            if change:
                self._apply(each, claims.get(each.name), change)

    def _decide(self, each: ClaimChange, claim: Manifest | None, references: list[Reference]) -> Change | None:
        """What to do to the claim, or None, with the entry's error, where it cannot be done."""
        wish, where = self._wish, "%s/%s" % (self._wish.namespace, each.name)
        if not wish.present:
            return leaving(claim, wish.owners, wish.delete_unowned, where)
        try:
            return joining(claim, references, wish.block_owner_deletion, where)
        except InputError as error:
            each.error, each.finished = error, True
            return None

    def _read(self, names: list[str]) -> dict[str, Manifest]:
        """The claims that there are, by name: one of them is read by itself, several in one list."""
        if len(names) == 1:
            claim = self._api.get(CLAIMS, names[0], self._wish.namespace, metadata_only=True)
            return {names[0]: claim} if claim else {}
        listed = self._api.list_all(CLAIMS, self._wish.namespace, metadata_only=True)
        return {each["metadata"]["name"]: each for each in listed}

    # --- writes ---

    def _apply(self, each: ClaimChange, claim: Manifest | None, change: Change) -> None:
        """One claim's failure does not stop the others; an unreachable API does."""
        each.error = None
        try:
            each.after = self._write(claim, change)
        except UnreachableError:
            raise
        except ConflictError as error:
            # The next round may mend it.
            each.error = error
            return
        except PorterError as error:
            each.error, each.finished = error, True
            return
        each.deleted, each.warning, each.finished = change.delete, change.warning, True
        each.changed = bool(change.patch) or change.delete

    def _write(self, claim: Manifest | None, change: Change) -> list[Reference]:
        """Make the change and return the references that the claim has then."""
        if claim is None or self._only_foresee:
            return change.references
        if change.delete:
            delete_item(self._api, CLAIMS, claim, exactly=True)
        elif change.patch:
            return references_of(
                self._api.json_patch(CLAIMS, claim["metadata"]["name"], change.patch, self._wish.namespace)
            )
        return change.references


def outcome(everyone: Sequence[ClaimChange]) -> dict[str, Any]:
    """A module's result, or the failure that names everything that failed."""
    errors = [each.error for each in everyone if each.error]
    result: dict[str, Any] = {
        "changed": any(each.changed for each in everyone),
        "claims": [_row(each) for each in everyone],
        "diff": [_diff(each) for each in everyone if each.changed],
    }
    if errors:
        details = errors[0].as_result() if len(errors) == 1 else {}
        # The same for several claims is said once.
        message = " ".join(dict.fromkeys(error.message for error in errors))
        raise PorterError(message, **{**details, **result})
    return result


def _row(each: ClaimChange) -> dict[str, Any]:
    return {
        "name": each.name,
        "owners": [shown(reference) for reference in each.after],
        "changed": each.changed,
        "deleted": each.deleted,
        "error": each.error.message if each.error else None,
    }


def _diff(each: ClaimChange) -> dict[str, Any]:
    header = "claim %s" % each.name
    after: dict[str, Any] = {} if each.deleted else {"owners": [shown(reference) for reference in each.after]}
    return {
        "before_header": header,
        "after_header": header,
        "before": {"owners": [shown(reference) for reference in each.before]},
        "after": after,
    }
