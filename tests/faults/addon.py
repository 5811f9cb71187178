# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The faults of a proxy before a Kubernetes API server: an addon for mitmproxy, in mitmproxy's own environment.

The tests tell it what to do, and learn what came by, through requests below CONTROL, which go no further.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from mitmproxy import ctx
from mitmproxy.http import HTTPFlow, Response

from tests.faults.kinds import CONTROL, CUT, ERRORS, KILLED_AFTER, KILLED_BEFORE, REFUSALS
from tests.faults.points import Course, is_turn


class Plan:
    """One run: what happens to which of its requests, and which points it reached.

    The fault strikes at the point of this name, or at the one whose turn it is; for an error only writes count.
    """

    def __init__(self, point: str | None = None, fault: str | None = None, turn: int | None = None) -> None:
        self.point = point
        self.fault = fault
        self.turn = turn
        self.met = False
        self.course = Course()
        # Set when the run may be killed, and when it is dead.
        self.waiting = asyncio.Event()
        self.killed = asyncio.Event()

    def is_due(self, point: str) -> bool:
        """Whether the fault strikes at this point, which was just reached."""
        if self.turn is None:
            return point == self.point
        return is_turn(self.course.points, self.turn, only_writes=self.fault in ERRORS)


class Faults:
    """The addon: mitmproxy calls what is named after its events."""

    def __init__(self) -> None:
        self.plan = Plan()

    def load(self, loader: Any) -> None:
        loader.add_option("faults_port_file", str, "", "where to write the port that the proxy listens on")

    def running(self) -> None:
        (_host, port, *_rest) = ctx.master.addons.get("proxyserver").listen_addrs()[0]
        waiting = Path(ctx.options.faults_port_file + ".new")
        waiting.write_text(str(port))
        waiting.rename(ctx.options.faults_port_file)

    async def request(self, flow: HTTPFlow) -> None:
        if flow.request.path.startswith(CONTROL):
            await self._control(flow)
            return
        plan = self.plan
        flow.metadata["plan"] = plan
        point = plan.course.request(flow.client_conn.id, flow.request.method, flow.request.path)
        if point is None or not plan.is_due(point):
            return
        plan.met = True
        if plan.fault == KILLED_BEFORE:
            await _hold(plan, flow)
        elif plan.fault in REFUSALS:
            flow.response = _refusal(plan.fault)
        else:
            flow.metadata["fault"] = plan.fault

    async def response(self, flow: HTTPFlow) -> None:
        plan = flow.metadata.get("plan")
        if plan is None:
            return
        plan.course.answered(flow.request.method, flow.request.path, flow.response.status_code)
        fault = flow.metadata.get("fault")
        if fault == KILLED_AFTER:
            await _hold(plan, flow)
        elif fault == CUT:
            flow.kill()

    async def _control(self, flow: HTTPFlow) -> None:
        command = flow.request.path.removeprefix(CONTROL)
        if command == "plan":
            self.plan = Plan(**flow.request.json())
        elif command == "wait":
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self.plan.waiting.wait(), timeout=0.5)
        elif command == "killed":
            self.plan.killed.set()
        answer = {
            "waiting": self.plan.waiting.is_set(),
            "met": self.plan.met,
            "points": self.plan.course.points,
            "wrote": self.plan.course.wrote,
        }
        flow.response = Response.make(200, json.dumps(answer), {"Content-Type": "application/json"})


async def _hold(plan: Plan, flow: HTTPFlow) -> None:
    """Until the run is dead. What is held here goes nowhere."""
    plan.waiting.set()
    await plan.killed.wait()
    # With the client gone, mitmproxy may have given the flow up by itself.
    if flow.killable:
        flow.kill()


def _refusal(fault: str) -> Response:
    """As the API server words it. It sends Retry-After with 429."""
    status = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "a fault that the test injected",
        "reason": REFUSALS[fault],
        "code": int(fault),
    }
    headers = {"Content-Type": "application/json", **({"Retry-After": "1"} if fault == "429" else {})}
    return Response.make(int(fault), json.dumps(status), headers)


addons = [Faults()]
