# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an agent config lets go of: from what is observed to the next steps. Pure.

Private to the collection: not a public interface.

A config that is present lets go of every plugin claim but the one it wants, once that one is ready
and owned. A config that is absent lets go of all of them, and of its record last. What others
own or want stays; what nobody does is deleted, and its volume follows its reclaim policy.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Sequence

from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils._life import job_belongs_to
from ansible_collections.getporter.porter.plugins.module_utils._names import record_name
from ansible_collections.getporter.porter.plugins.module_utils._objects import (
    Listing,
    annotations_of,
    is_deleting,
    labels_of,
    own_policy,
    phase_of,
)
from ansible_collections.getporter.porter.plugins.module_utils._owner_references import (
    Reference,
    added,
    references_of,
    same_name,
)
from ansible_collections.getporter.porter.plugins.module_utils._record import (
    PHASE_READY,
    AgentConfigRecord,
    claim_of,
    owner_of,
    phase_of_record,
    says_what_is_wanted,
)

Manifest = Dict[str, Any]

# Actions, as they are reported.
NOTE_NO_PLUGINS = "note in the record that the agent config needs no plugins"
LEAVE_CLAIM = "take the agent config out of the plugin claim's owners"
DELETE_CLAIM = "delete the plugin claim that nobody needs any more"
DELETE_INSTALL = "delete the install Job that nobody needs any more"
DELETE_STAGING = "delete the staging claim that nobody needs any more"
GIVE_BACK_POLICY = "let the volume that nobody needs any more follow its reclaim policy"
DELETE_RECORD = "delete the record of the agent config"
WAIT_GONE = "wait until what nobody needs any more is gone"


@dataclass(frozen=True)
class ReleasingConfig:
    """An agent config and whether it is to be there."""

    wanted: AgentConfigRecord
    present: bool

    @property
    def state(self) -> str:
        """As users write it."""
        return "present" if self.present else "absent"


@dataclass(frozen=True)
class Release:
    """One step, with the object to do it to as observed: its uid and version are the precondition."""

    action: str
    # The agent configs that it is done for.
    configs: Sequence[AgentConfigRecord]
    target: Manifest | None = None
    # LEAVE_CLAIM: the owner references that the claim is to have.
    owners: Sequence[Manifest] = ()
    # The volume that stays after this step, by its reclaim policy; empty where none does.
    kept_volume: str = ""


@dataclass
class Released:
    """What was done for one agent config."""

    config: ReleasingConfig
    done: list[str] = field(default_factory=list)
    # Volumes that stay behind, by their reclaim policy.
    kept_volumes: list[str] = field(default_factory=list)

    def note(self, step: Release) -> None:
        """Count a step that was made, or would be."""
        self.done.append(step.action)
        if step.kept_volume:
            self.kept_volumes.append(step.kept_volume)


# The uids of plugin claims that were seen to go, with the agent configs that they go for.
Going = Mapping[str, Sequence[AgentConfigRecord]]


def releases(
    configs: Sequence[ReleasingConfig], seen: Listing, settled: bool = False, going: Going | None = None
) -> list[Release]:
    """The next steps for the agent configs of one namespace, which do not depend on each other.

    None: there is nothing to let go of. Just WAIT_GONE: what was deleted is not gone yet. ``settled`` asks for the
    steps that there will be once every config that is present has the plugin claim it wants. ``going`` is what
    ``claims_going`` told of the steps before.
    """
    view = _View(configs, seen, settled, going or {})
    steps = view.without_plugins()
    for claim in seen.claims.values():
        steps += view.of_staging(claim) if _is_staging(claim) else view.of_claim(claim)
    for volume in seen.volumes:
        steps += view.of_volume(volume)
    if all(step.action == WAIT_GONE for step in steps):
        # Last, because a record tells the next run what there is to do.
        steps += view.of_records()
    return steps


def foresee_releases(
    configs: Sequence[ReleasingConfig], listing: Listing, settled: bool = False, going: Going | None = None
) -> list[Release]:
    """The next steps of all configs; with ``settled`` those once every config has what it wants."""
    steps: list[Release] = []
    for namespace in sorted({config.wanted.namespace for config in configs}):
        here = [config for config in configs if config.wanted.namespace == namespace]
        steps += releases(here, listing.of(namespace), settled, going)
    return steps


def foresee_released(configs: Sequence[ReleasingConfig], listing: Listing) -> list[Released]:
    """What the first round would do for each config once it has what it wants: what check mode tells."""
    everyone = {config.wanted.key: Released(config) for config in configs}
    for step in foresee_releases(configs, listing, settled=True):
        for config in step.configs:
            everyone[config.key].note(step)
    return list(everyone.values())


def claims_going(steps: Sequence[Release]) -> dict[str, Sequence[AgentConfigRecord]]:
    """The claims that go by these steps: alone by them can some volumes be told later, such as the operator's."""
    return {
        step.target["metadata"]["uid"]: step.configs
        for step in steps
        if step.target and step.action in (DELETE_CLAIM, WAIT_GONE)
    }


class _View:
    """The steps of one round. What was decided for a claim decides for what belongs to it."""

    def __init__(self, configs: Sequence[ReleasingConfig], seen: Listing, settled: bool, going: Going) -> None:
        self._configs, self._seen, self._settled, self._going = configs, seen, settled, going
        leaving = {config.wanted.key for config in configs if not config.present}
        changing = {config.wanted.key: config.wanted.claim for config in configs} if settled else {}
        # Plugin claims that a record asks for which stays, with these records.
        self._wanted: dict[str, list[Manifest]] = {}
        for key, record in seen.records.items():
            claim = changing.get(key, claim_of(record))
            if key not in leaving and claim:
                self._wanted.setdefault(claim, []).append(record)
        self._remaining = {_name(claim) for claim in seen.claims.values() if not is_deleting(claim)}

    def without_plugins(self) -> list[Release]:
        """A config that needs no plugins is ready at once."""
        return [
            Release(NOTE_NO_PLUGINS, [config.wanted], self._seen.records.get(config.wanted.key))
            for config in self._configs
            if config.present and not config.wanted.claim and not self._says_ready(config)
        ]

    def of_claim(self, claim: Manifest) -> list[Release]:
        name, references = _name(claim), references_of(claim)
        leavers = [
            each
            for each in self._leavers_of(name)
            if any(_is_of(reference, each) for reference in references) or (not references and _made_for(claim, each))
        ]
        if not leavers:
            return []
        if is_deleting(claim):
            return [Release(WAIT_GONE, leavers, claim)]
        staying = [each for each in references if not any(_is_of(each, leaver) for leaver in leavers)]
        joining = [owner_of(record) for record in self._wanted.get(name, [])]
        owners = added(staying, joining) or staying
        if not owners:
            self._remaining.discard(name)
            return [Release(DELETE_CLAIM, leavers, claim, kept_volume=self._kept_with(claim))]
        return [Release(LEAVE_CLAIM, leavers, claim, owners)] if owners != references else []

    def of_staging(self, staging: Manifest) -> list[Release]:
        """An install that is under way, or a refresh of a claim that is let go of as well."""
        name = _claim_named_by(staging)
        leavers = [each for each in self._leavers_of(name) if _made_for(staging, each)]
        if not leavers or name in self._wanted or name in self._remaining:
            return []
        if is_deleting(staging):
            return [Release(WAIT_GONE, leavers, staging)]
        # The Job first: it would go on as long as the staging claim waits for its pods.
        jobs = [job for job in self._seen.jobs.values() if job_belongs_to(job, staging) and not is_deleting(job)]
        return [Release(DELETE_INSTALL, leavers, job) for job in jobs] + [Release(DELETE_STAGING, leavers, staging)]

    def of_volume(self, volume: Manifest) -> list[Release]:
        """A volume that was on its way to the claim, or that follows its policy after it."""
        reference: Manifest = volume["spec"].get("claimRef") or {}
        name = _claim_named_by(volume) or reference.get("name", "")
        made_for = [each for each in self._leavers_of(name) if _made_for(volume, each)]
        leavers = made_for or self._leavers_with(reference.get("uid", ""))
        if not leavers or name in self._wanted or name in self._remaining:
            return []
        if phase_of(volume) == "Bound":
            # As long as its claim is there, that is what is waited for; the volume hears of its end a little later.
            is_there = reference.get("name") in [_name(claim) for claim in self._seen.claims.values()]
            return [] if is_there else [Release(WAIT_GONE, leavers, volume)]
        if keys.ANNOTATION_RECLAIM_POLICY in annotations_of(volume):
            return [Release(GIVE_BACK_POLICY, leavers, volume, kept_volume=_kept(volume))]
        if volume["spec"]["persistentVolumeReclaimPolicy"] == "Delete" and phase_of(volume) == "Released":
            return [Release(WAIT_GONE, leavers, volume)]
        return []

    def of_records(self) -> list[Release]:
        return [
            Release(DELETE_RECORD, [config.wanted], self._seen.records[config.wanted.key])
            for config in self._configs
            if not config.present and config.wanted.key in self._seen.records
        ]

    def _kept_with(self, claim: Manifest) -> str:
        bound = [each for each in self._seen.volumes if _name(each) == claim["spec"].get("volumeName")]
        return _kept(bound[0]) if bound else ""

    def _leavers_of(self, claim: str) -> list[AgentConfigRecord]:
        """The configs that do not want this plugin claim. One whose own is not ready yet keeps what it has."""
        return [
            config.wanted
            for config in self._configs
            if not config.present or (config.wanted.claim != claim and self._is_settled(config))
        ]

    def _leavers_with(self, claim_uid: str) -> list[AgentConfigRecord]:
        """The configs of this namespace for which the claim goes: volumes are seen from every namespace."""
        here = {config.wanted.key for config in self._configs}
        return [each for each in self._going.get(claim_uid, ()) if each.key in here]

    def _is_settled(self, config: ReleasingConfig) -> bool:
        return self._settled or self._says_ready(config)

    def _says_ready(self, config: ReleasingConfig) -> bool:
        record = self._seen.records.get(config.wanted.key)
        return bool(record) and says_what_is_wanted(record, config.wanted) and phase_of_record(record) == PHASE_READY  # type: ignore[arg-type]


def _is_of(reference: Reference, config: AgentConfigRecord) -> bool:
    """Whether the owner is the config's record, be it one before the present one."""
    return same_name(reference, {"apiVersion": "v1", "kind": "ConfigMap", "name": record_name(config.name)})


def _made_for(item: Manifest, config: AgentConfigRecord) -> bool:
    return (
        annotations_of(item).get(keys.ANNOTATION_AGENT_CONFIG) == config.name
        and annotations_of(item).get(keys.ANNOTATION_CLAIM, "").split("/")[0] == config.namespace
    )


def _kept(volume: Manifest) -> str:
    """The volume's name where it outlives its claim."""
    return _name(volume) if own_policy(volume) == "Retain" else ""


def _claim_named_by(item: Manifest) -> str:
    return annotations_of(item).get(keys.ANNOTATION_CLAIM, "").rpartition("/")[2]


def _is_staging(claim: Manifest) -> bool:
    return labels_of(claim).get(keys.LABEL_COMPONENT) == keys.COMPONENT_STAGING


def _name(item: Manifest) -> str:
    return str(item["metadata"]["name"])
