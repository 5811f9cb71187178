# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Makes the steps by which agent configs let go of what they no longer need, until it is gone.

Private to the collection: not a public interface.

Every round lists once. A conflict means that someone else acted first, such as an agent config that
joined a claim which was about to be deleted: the next round sees what they did.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any, Callable, Dict, Sequence

from ansible_collections.getporter.porter.plugins.module_utils import _manifests as manifests
from ansible_collections.getporter.porter.plugins.module_utils import _release as release
from ansible_collections.getporter.porter.plugins.module_utils._api import (
    CLAIMS,
    CONFIG_MAPS,
    JOBS,
    PODS,
    VOLUMES,
    KubeApi,
    Resource,
)
from ansible_collections.getporter.porter.plugins.module_utils._errors import (
    ConflictError,
    PorterError,
    WaitTimeoutError,
)
from ansible_collections.getporter.porter.plugins.module_utils._objects import Listing, claims_in
from ansible_collections.getporter.porter.plugins.module_utils._observe import list_namespaces
from ansible_collections.getporter.porter.plugins.module_utils._owner_references import patch_of
from ansible_collections.getporter.porter.plugins.module_utils._record import (
    PHASE_READY,
    AgentConfigRecord,
    RecordStatus,
)
from ansible_collections.getporter.porter.plugins.module_utils._release import (
    Release,
    Released,
    ReleasingConfig,
    foresee_releases,
)
from ansible_collections.getporter.porter.plugins.module_utils._writing import delete_item, write_record

Manifest = Dict[str, Any]

# Seconds between rounds: few after a step, more while what was deleted goes.
LEAST_INTERVAL = 0.1
MOST_INTERVAL = 1.0
INTERVAL_GROWTH = 1.5
_NO_PLUGINS = RecordStatus(PHASE_READY, "NoPlugins", "This agent config needs no plugins.")


class Releaser:
    """Lets agent configs of any namespaces go, or what they no longer need."""

    def __init__(
        self,
        api: KubeApi,
        timeout: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._api, self._timeout, self._clock, self._sleep = api, timeout, clock, sleep
        self._makers: dict[str, Callable[[Release], None]] = {
            release.NOTE_NO_PLUGINS: self._note_no_plugins,
            release.LEAVE_CLAIM: self._leave_claim,
            release.DELETE_CLAIM: lambda step: self._delete(CLAIMS, step, exactly=True),
            release.DELETE_STAGING: lambda step: self._delete(CLAIMS, step),
            release.DELETE_INSTALL: lambda step: self._delete(JOBS, step, propagation="Foreground"),
            release.GIVE_BACK_POLICY: self._give_back_policy,
            release.DELETE_RECORD: lambda step: self._delete(CONFIG_MAPS, step, exactly=True),
        }

    def run(self, configs: Sequence[ReleasingConfig], listing: Listing | None = None) -> list[Released]:
        """Until there is nothing left to let go of. Raises WaitTimeoutError where something stays too long.

        ``listing`` is what was listed just now, where that was needed before.
        """
        everyone = {config.wanted.key: Released(config) for config in configs}
        begin, interval = self._clock(), LEAST_INTERVAL
        going: dict[str, Sequence[AgentConfigRecord]] = {}
        while True:
            listing = listing or list_namespaces(self._api, [each.wanted.namespace for each in configs])
            steps, listing = foresee_releases(configs, listing, going=going), None
            going.update(release.claims_going(steps))
            if not steps:
                return list(everyone.values())
            interval = LEAST_INTERVAL if self._make(steps, everyone) else min(interval * INTERVAL_GROWTH, MOST_INTERVAL)
            if self._clock() - begin >= self._timeout:
                raise WaitTimeoutError(self._what_stays(steps))
            self._sleep(interval)

    def _make(self, steps: Sequence[Release], everyone: dict[str, Released]) -> bool:
        """Make what can be made; whether anything was."""
        made = False
        for step in steps:
            if step.action == release.WAIT_GONE:
                continue
            with suppress(ConflictError):
                self._makers[step.action](step)
                made = True
                for config in step.configs:
                    everyone[config.key].note(step)
        return made

    def _note_no_plugins(self, step: Release) -> None:
        write_record(self._api, step.target, step.configs[0], _NO_PLUGINS)

    def _leave_claim(self, step: Release) -> None:
        claim = _target(step)
        operations = patch_of(claim, list(step.owners))
        self._api.json_patch(CLAIMS, claim["metadata"]["name"], operations, claim["metadata"]["namespace"])

    def _give_back_policy(self, step: Release) -> None:
        volume = _target(step)
        self._api.merge_patch(VOLUMES, volume["metadata"]["name"], manifests.let_go(volume))

    def _delete(
        self, resource: Resource, step: Release, exactly: bool = False, propagation: str = "Background"
    ) -> None:
        delete_item(self._api, resource, _target(step), propagation, exactly)

    def _what_stays(self, steps: Sequence[Release]) -> str:
        """Names what is not gone, and the pods that hold it."""
        words = []
        for step in steps:
            target = step.target or {}
            metadata = target.get("metadata") or {}
            users = self._pods_with(metadata) if target.get("kind") == "PersistentVolumeClaim" else []
            held = "; these pods mount it and finish first: %s" % ", ".join(users) if users else ""
            words.append("%s %s (%s)%s" % (target.get("kind"), metadata.get("name"), step.action, held))
        return "Not gone after %d s: %s. Run again to go on from here." % (self._timeout, "; ".join(words))

    def _pods_with(self, claim: Manifest) -> list[str]:
        return sorted(
            pod["metadata"]["name"]
            for pod in self._api.list_all(PODS, claim["namespace"])
            if claim["name"] in claims_in(pod["spec"])
        )


def _target(step: Release) -> Manifest:
    """The step's object. Every step but the first of a config without plugins has one."""
    if step.target is None:
        raise PorterError("step %s has no object" % step.action)
    return step.target
