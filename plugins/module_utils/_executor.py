# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Drives plugin volumes along their life, side by side, until all are where they should be.

Private to the collection: not a public interface.

Every round lists once and then does one step for each volume. A conflict means that someone else
acted first: the next round sees what they did.
"""

from __future__ import annotations

import time
from typing import Callable, Mapping, Sequence

from ansible_collections.getporter.porter.plugins.module_utils import _life as life
from ansible_collections.getporter.porter.plugins.module_utils._api import KubeApi
from ansible_collections.getporter.porter.plugins.module_utils._errors import (
    ConflictError,
    PorterError,
    UnreachableError,
    WaitTimeoutError,
)
from ansible_collections.getporter.porter.plugins.module_utils._observe import observe
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import PluginVolume
from ansible_collections.getporter.porter.plugins.module_utils._progress import Progress, Settings
from ansible_collections.getporter.porter.plugins.module_utils._steps import Steps

# Seconds between rounds: few after a step, since the hand-over takes tenths of a second; then more and more.
LEAST_INTERVAL = 0.1
MOST_INTERVAL = 0.5
INTERVAL_GROWTH = 1.5


class Executor:
    """Brings volumes to a goal: installed, or ready."""

    def __init__(
        self,
        api: KubeApi,
        settings: Settings,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        report: Callable[[PluginVolume, str], None] | None = None,
    ) -> None:
        self._api = api
        self._settings = settings
        self._clock = clock
        self._sleep = sleep
        self._steps = Steps(api, settings, clock, report)
        self._interval = LEAST_INTERVAL

    def install(
        self,
        volumes: Sequence[PluginVolume],
        hand_over: bool = False,
        seen: Mapping[str, life.Observed] | None = None,
    ) -> list[Progress]:
        """Until the plugins of each volume are installed and noted on it, or handed over too, each as soon as it can.

        This is where a wanted refresh begins; from then on the objects tell of it. ``seen`` is what was observed
        just now, where that was needed before.
        """
        return self._run(volumes, _is_ready if hand_over else _is_installed, refresh=True, seen=seen)

    def make_ready(
        self, volumes: Sequence[PluginVolume], seen: Mapping[str, life.Observed] | None = None
    ) -> list[Progress]:
        """Until each volume is bound to its plugin claim, its agent configs own it, and nothing temporary is left."""
        return self._run(volumes, _is_ready, seen=seen)

    def _run(
        self,
        volumes: Sequence[PluginVolume],
        reached: Callable[[life.Step], bool],
        refresh: bool = False,
        seen: Mapping[str, life.Observed] | None = None,
    ) -> list[Progress]:
        begin = self._clock()
        everyone = [Progress(volume) for volume in volumes]
        first_round = True
        while True:
            under_way = [each for each in everyone if not each.finished]
            if not under_way:
                return everyone
            self._steps.new_round()
            seen = seen or observe(self._api, [each.volume for each in under_way])
            for each in under_way:
                if first_round and refresh:
                    each.refresh_of = life.refresh_of(each.volume, seen[each.volume.key])
                self._advance(each, seen[each.volume.key], reached, first_round)
                each.seconds = self._clock() - begin
            first_round, seen = False, None
            self._give_up_late([each for each in under_way if not each.finished], begin)
            self._sleep_a_little(under_way)

    def _advance(self, each: Progress, seen: life.Observed, reached: Callable[[life.Step], bool], first: bool) -> None:
        """One step of one volume. Its own failure does not stop the others; an unreachable API does."""
        try:
            self._make_step(each, seen, reached, first)
        except UnreachableError:
            raise
        except ConflictError:
            # Someone acted between our list and our write. What they did shows in the next round.
            return
        except PorterError as error:
            # A failed install is what matters, though its rest cannot be cleared away.
            if each.error:
                each.error.message += " What it left could not be removed: %s" % error.message
            each.error, each.finished = each.error or error, True
            self._steps.note_failure(each)

    def _make_step(
        self, each: Progress, seen: life.Observed, reached: Callable[[life.Step], bool], first: bool
    ) -> None:
        step = life.next_step(each.volume, seen, each.refresh_of)
        each.state, each.last_reason = step.state, step.reason
        each.persistent_volume = life.current_volume(each.volume, seen)
        if first:
            each.first_state = step.state
            each.old_failure = seen.job["metadata"]["uid"] if step.state == life.FAILED and seen.job else None
        if each.error:
            self._steps.clear_rest(each, seen)
        elif reached(step):
            self._finish(each, step)
        elif step.action == life.BLOCKED:
            raise PorterError(step.reason)
        else:
            self._steps.make(each, step, seen)
            if step.action not in life.WAITS:
                self._interval = LEAST_INTERVAL

    def _finish(self, each: Progress, step: life.Step) -> None:
        each.finished = True
        if step.action == life.NOTHING and each.done:
            self._steps.say(each, "bound: %s is ready" % each.volume.identity.claim)

    def _give_up_late(self, waiting: list[Progress], begin: float) -> None:
        if self._clock() - begin < self._settings.timeout:
            return
        for each in waiting:
            status = each.status
            reason = (status and (status.stuck or each.reported or status.phase)) or each.last_reason or each.state
            each.error = each.error or WaitTimeoutError(
                "%s: not there after %d s, state %s: %s. Run again to go on from here, with a longer timeout if "
                "it only needs time." % (each.volume.key, self._settings.timeout, each.state, reason)
            )
            each.finished = True
            self._steps.note_failure(each)

    def _sleep_a_little(self, under_way: list[Progress]) -> None:
        if all(each.finished for each in under_way):
            return
        self._sleep(self._interval)
        self._interval = min(self._interval * INTERVAL_GROWTH, MOST_INTERVAL)


def _is_installed(step: life.Step) -> bool:
    return step.state not in life.INSTALL_STATES


def _is_ready(step: life.Step) -> bool:
    return step.action == life.NOTHING
