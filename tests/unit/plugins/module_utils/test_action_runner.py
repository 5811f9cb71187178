# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Agent actions on a model of Kubernetes: run, stopped anywhere, side by side, cancelled, failed, run again."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils._errors import (
    ApiError,
    CancelledError,
    InputError,
    JobFailedError,
    MissingRightsError,
    PorterError,
    UnreachableError,
)
from ansible_collections.getporter.porter.plugins.module_utils._life import job_outcome
from ansible_collections.getporter.porter.plugins.module_utils._rights import ACTION_RIGHTS

from tests.unit.plugins.action_cluster import CLAIM, LINES, ActionApi, ActionCluster, Run, refused
from tests.unit.plugins.fake_cluster import Killed

# More requests than any undisturbed run makes.
ENOUGH = 40
FILES = {"config.yaml": {"a": 1}}
NAMED: dict[str, Any] = {"name": "listing", "files": FILES}
Manifest = dict[str, Any]


def left(cluster: ActionCluster) -> list[tuple[str, str]]:
    """What there is when all controllers are at rest, but for records and the plugin claim."""
    cluster.settle()
    return sorted(
        (plural, name)
        for plural, _namespace, name in cluster.objects
        if plural not in ("configmaps", "persistentvolumeclaims")
    )


def unfinished(cluster: ActionCluster) -> list[Manifest]:
    return [
        job for job in cluster.of("jobs") if job_outcome(job) is None and not job["metadata"].get("deletionTimestamp")
    ]


# --- one run ---


@pytest.mark.parametrize("written", [{}, NAMED], ids=["unnamed", "named"])
@pytest.mark.parametrize("ticks", [1, 3, 20])
def test_one_action(written: dict[str, Any], ticks: int) -> None:
    cluster = ActionCluster()
    run = Run(cluster, ticks=ticks, **written, args=["plugins", "list", "-o", "json"])
    result = run.run().result
    assert (result["phase"], result["exit_code"], result["pods"]) == ("succeeded", 0, 1)
    assert (result["log"], result["log_is_cut"]) == (list(LINES), False)
    assert result["json"] == [{"name": "kubernetes"}]
    assert (result["claim"], result["earlier"]) == (CLAIM, False)
    assert [line for line in run.lines if line in LINES] == list(LINES)
    assert result["job"].startswith(("default-", "listing-1"))
    assert left(cluster) == []


def test_an_action_without_a_name_runs_each_time() -> None:
    cluster = ActionCluster()
    assert Run(cluster).run().job != Run(cluster).run().job
    assert cluster.completed_jobs == 2


@pytest.mark.parametrize(("keep", "jobs"), [(0, []), (1, ["x-3"]), (2, ["x-2", "x-3"]), (9, ["x-1", "x-2", "x-3"])])
def test_as_many_finished_jobs_stay_as_are_wanted(keep: int, jobs: list[str]) -> None:
    cluster = ActionCluster()
    Run(cluster, name="other", keep=1).run()
    for retry in "abc":
        Run(cluster, name="x", retry=retry, keep=keep).run()
    assert [name for plural, name in left(cluster) if plural == "jobs"] == ["other-1", *jobs]


def test_finished_jobs_go_whatever_others_have_written_on_them() -> None:
    cluster = ActionCluster()
    Run(cluster, name="x", keep=1).run()
    for plural in ("jobs", "configmaps"):
        for each in cluster.of(plural):
            each["metadata"].setdefault("annotations", {})["example.org/seen"] = plural
    Run(cluster, name="x", retry="again").run()
    assert left(cluster) == []


def test_no_plugins_no_volume() -> None:
    """D11: plugins that an image brings along stay visible."""
    cluster = ActionCluster(claim=None)
    cluster.record("default", claim="")
    run = Run(cluster, keep=1)
    assert run.run().result["claim"] == ""
    (job,) = cluster.of("jobs")
    assert "volumes" not in job["spec"]["template"]["spec"]


def test_a_claim_for_reading_only_is_attached_so() -> None:
    cluster = ActionCluster(claim=None)
    cluster.make_claim(modes=["ReadOnlyMany"])
    Run(cluster, keep=1).run()
    (job,) = cluster.of("jobs")
    (volume,) = job["spec"]["template"]["spec"]["volumes"]
    assert volume["persistentVolumeClaim"] == {"claimName": CLAIM, "readOnly": True}


def test_d10_lines_of_all_tries_come_one_after_another() -> None:
    cluster = ActionCluster()
    cluster.failing_tries = 2
    run = Run(cluster, agent={"backoff_limit": 2})
    result = run.run().result
    assert result["pods"] == 3
    assert result["log"] == list(LINES) * 3


def test_a_long_log_loses_its_beginning_and_says_so() -> None:
    cluster = ActionCluster(lines=["%d %s" % (number, "x" * 100_000) for number in range(15)])
    result = Run(cluster, name="x").run().result
    assert result["log_is_cut"]
    assert result["log"][-1].startswith("14 ")
    assert not result["log"][0].startswith("0 ")
    assert Run(cluster, name="x").run().result["log_is_cut"]


def test_secrets_are_hidden_in_all_that_people_read() -> None:
    cluster = ActionCluster(lines=["the token is geheim"])
    cluster.exit_code = 1
    run = Run(cluster, name="x", args=["list", "--token", "geheim"])
    for _each in range(2):
        with pytest.raises(JobFailedError) as caught:
            run.run()
        assert "the token is ********" in caught.value.message
        assert "geheim" not in str(caught.value.as_result())
    assert "geheim" not in str(run.lines)
    assert "geheim" not in str(cluster.of("configmaps"))


# --- what it finds before ---


def test_a15_an_agent_config_that_is_not_there_is_answered_with_those_that_are() -> None:
    cluster = ActionCluster()
    cluster.record("other")
    cluster.create("namespaces", {"metadata": {"name": "porter"}})
    with pytest.raises(InputError, match="no agent config defalt in namespace porter; there are default, other"):
        Run(cluster, agent_config="defalt").run()
    with pytest.raises(InputError, match=r"There is no namespace elsewhere\. Write the namespace of the agent config"):
        Run(cluster, namespace="elsewhere").run()


def test_a15_the_result_of_a_failure_has_all_keys() -> None:
    cluster = ActionCluster()
    cluster.exit_code = 3
    with pytest.raises(JobFailedError, match=r"porter list failed \(Job default-\w+, exit code 3\): \[") as caught:
        Run(cluster).run()
    result = caught.value.result
    assert {"phase", "reason", "job", "pod", "log", "exit_code"} <= set(result)
    assert (result["phase"], result["log"]) == ("failed", list(LINES))


@pytest.mark.parametrize("request_of", ["create jobs", "create secrets", "patch configmaps", "get pods"])
def test_missing_rights_are_named_before_anything_is_made(request_of: str) -> None:
    cluster = ActionCluster()
    api = ActionApi(cluster)
    api.refuse = lambda what: what == request_of
    with pytest.raises(MissingRightsError, match=request_of.split()[0]):
        Run(cluster, api).run()
    assert not api.writes


@pytest.mark.parametrize("claim", [None, "Pending", "Lost"])
def test_a09_plugins_that_failed_to_install_fail_the_action_before_a_pod_is_made(claim: str | None) -> None:
    """A09: at once, with the reason of the install."""
    cluster = ActionCluster(claim=claim)
    cluster.record("default", phase="Failed", reason="BackoffLimitExceeded", message="no such plugin.")
    api = ActionApi(cluster)
    run = Run(cluster, api, name="x")
    with pytest.raises(
        JobFailedError, match=r"plugins are not ready, so no pod was made .*: no such plugin\. Mend that"
    ):
        run.run()
    assert (api.writes, run.now) == ([], 0)


def test_plugins_that_are_there_do_whatever_the_record_says() -> None:
    """A refresh that failed leaves the plugins of before."""
    assert Run(ActionCluster(phase="Failed")).run().has_succeeded


def test_who_does_not_want_to_wait_for_plugins_fails_at_once() -> None:
    cluster = ActionCluster(claim=None, phase="Installing")
    api = ActionApi(cluster)
    with pytest.raises(JobFailedError, match="the install is under way"):
        Run(cluster, api, wait_for_plugins=False).run()
    assert not api.writes


def test_a10_a_claim_that_never_came_in_this_namespace_is_awaited_as_long_as_the_action_may_take() -> None:
    """A10: the claim is the one of the merged plugin set; a pod does not wait for it for ever."""
    cluster = ActionCluster(claim=None, phase="Installing")
    run = Run(cluster, timeout=10)
    with pytest.raises(JobFailedError, match=r"it has not ended after 10 s.*The Job was removed"):
        run.run()
    assert left(cluster) == []


@pytest.mark.parametrize("before", [None, "Pending"])
def test_waiting_goes_on_when_the_claim_becomes_bound(before: str | None) -> None:
    cluster = ActionCluster(claim=before, phase="Installing")
    run = Run(cluster, name="x", progress_deadline=3)

    def install() -> None:
        if run.now == 30:
            cluster.make_claim()

    run.while_asleep = install
    assert run.run().has_succeeded
    assert run.now > 30
    assert run.lines[0] == f"waiting for the plugin claim {CLAIM}, which the install of agent config default makes"
    assert f"the plugin claim {CLAIM} is bound" in run.lines


@pytest.mark.parametrize(
    ("data", "words", "reason"),
    [
        (
            {"phase": "Failed", "reason": "R", "message": "no such plugin"},
            "could not be installed: no such plugin",
            "R",
        ),
        ({"claim": "porter-other", "phase": "Ready"}, "has other plugins by now", "AgentConfigChanged"),
        (None, "or was removed; run the action again", "AgentConfigChanged"),
    ],
)
def test_a09_waiting_ends_when_the_plugins_will_not_come(data: dict[str, str] | None, words: str, reason: str) -> None:
    cluster = ActionCluster(claim=None, phase="Installing")
    run = Run(cluster, name="x")

    def fail() -> None:
        if run.now == 10 and data:
            cluster.record("default", **data)
        elif run.now == 10:
            del cluster.objects["configmaps", "porter", "porter-agent-config-default"]

    run.while_asleep = fail
    with pytest.raises(JobFailedError, match=words) as caught:
        run.run()
    assert caught.value.result["reason"] == reason
    assert run.now < 15
    assert not [name for plural, name in left(cluster) if plural in ("jobs", "pods")]
    if data:
        # Nothing ran, so that the next run begins anew.
        cluster.record("default")
        cluster.make_claim()
        assert not Run(cluster, name="x").run().is_earlier


# --- while it runs ---


@pytest.mark.parametrize("named", [{}, {"name": "x"}])
def test_a_job_that_is_stuck_is_given_up_in_the_words_of_the_cluster(named: dict[str, Any]) -> None:
    cluster = ActionCluster()
    cluster.unschedulable = True
    run = Run(cluster, progress_deadline=20, **named)
    with pytest.raises(JobFailedError, match=r"no progress since 20 s: pod .*: Unschedulable: no node fits"):
        run.run()
    assert left(cluster) == []
    cluster.unschedulable = False
    assert not Run(cluster, **named).run().is_earlier


def test_an_action_that_takes_too_long_is_removed_and_counts_as_run() -> None:
    cluster = ActionCluster()
    cluster.endless = True
    with pytest.raises(JobFailedError, match=r"has not ended after 10 s \(running\)\. The Job was removed") as caught:
        Run(cluster, name="x", timeout=10).run()
    assert caught.value.result["log"] == list(LINES)
    assert left(cluster) == []
    cluster.endless = False
    with pytest.raises(JobFailedError, match="ended so before"):
        Run(cluster, name="x").run()
    assert Run(cluster, name="x", retry="1").run().has_succeeded


def silent(after: int, requests: int, error: Callable[[], PorterError], of: str = "") -> Callable[[str], None]:
    """Requests that fail, from the one with this number on."""
    count = 0

    def before(what: str) -> None:
        nonlocal count
        if of in what:
            count += 1
            if after < count <= after + requests:
                raise error()

    return before


@pytest.mark.parametrize(
    "error", [lambda: UnreachableError("nobody answers"), lambda: refused(503), lambda: refused(429)]
)
def test_an_api_that_does_not_answer_for_a_while_is_ridden_out(error: Callable[[], PorterError]) -> None:
    cluster = ActionCluster()
    api = ActionApi(cluster)
    run = Run(cluster, api, name="x")
    api.before = silent(2, 9, error, of="jobs")
    result = run.run().result
    assert result["log"] == list(LINES)
    assert [line for line in run.lines if line.startswith("the API does not answer, the Job goes on")]
    assert cluster.started_jobs == 1


def test_an_api_that_never_answers_again_ends_the_wait() -> None:
    cluster = ActionCluster()
    api = ActionApi(cluster)
    api.before = silent(2, 10_000, lambda: UnreachableError("nobody answers"), of="jobs")
    with pytest.raises(UnreachableError):
        Run(cluster, api, timeout=10).run()


def test_a_refusal_is_not_ridden_out() -> None:
    cluster = ActionCluster()
    api = ActionApi(cluster)
    api.before = silent(0, 1, lambda: refused(403), of="list pods")
    run = Run(cluster, api)
    with pytest.raises(ApiError, match="answer 403"):
        run.run()
    assert run.now == 0


def test_files_that_are_refused_leave_no_job() -> None:
    cluster = ActionCluster()
    api = ActionApi(cluster)
    api.before = silent(0, 1, lambda: refused(403), of="create secrets")
    with pytest.raises(ApiError, match="answer 403"):
        Run(cluster, api, **NAMED).run()
    assert left(cluster) == []
    assert not Run(cluster, **NAMED).run().is_earlier


def test_a_job_that_somebody_deletes_fails_the_action() -> None:
    """D09: it is not taken for one that never ran."""
    cluster = ActionCluster()
    run = Run(cluster, name="x")

    def delete() -> None:
        if run.now == 2:
            cluster.objects.pop(("jobs", "porter", "x-1"))

    run.while_asleep = delete
    with pytest.raises(JobFailedError, match="the Job x-1 was deleted before its end"):
        run.run()
    with pytest.raises(JobFailedError, match=r"gone and nobody noted how it ended.*another word for retry"):
        Run(cluster, name="x").run()
    assert cluster.started_jobs == 1
    assert Run(cluster, name="x", retry="1").run().has_succeeded


# --- run again ---


def test_d09_what_has_succeeded_is_reported_and_not_run_again() -> None:
    """D09: also when the Job was removed by its TTL."""
    cluster = ActionCluster()
    first = Run(cluster, **NAMED, keep=9).run()
    cluster.objects.pop(("jobs", "porter", "listing-1"))
    api = ActionApi(cluster)
    again = Run(cluster, api, **NAMED).run()
    assert again.is_earlier
    assert not api.writes
    assert {**again.result, "earlier": False, "message": ""} == {**first.result, "message": ""}


def test_what_has_failed_is_reported_again_with_the_way_out() -> None:
    cluster = ActionCluster(lines=["porter version", "no such bundle"])
    cluster.exit_code = 2
    with pytest.raises(JobFailedError) as first:
        Run(cluster, **NAMED).run()
    cluster.exit_code = 0
    with pytest.raises(JobFailedError, match="ended so before; to run it again, set another word for retry") as again:
        Run(cluster, **NAMED).run()
    assert "exit code 2): no such bundle" in first.value.message
    assert again.value.message.startswith(first.value.message)
    assert (again.value.result["exit_code"], again.value.result["earlier"]) == (2, True)
    assert cluster.started_jobs == 1


def test_another_word_for_retry_runs_again_and_the_same_does_not() -> None:
    cluster = ActionCluster()
    ends = [Run(cluster, name="x", retry=retry).run() for retry in ("", "a", "a", "", "b", "a")]
    assert [end.job for end in ends] == ["x-1", "x-2", "x-2", "x-2", "x-3", "x-4"]
    assert [end.is_earlier for end in ends] == [False, False, True, True, False, False]


def test_other_arguments_run_again() -> None:
    cluster = ActionCluster()
    ends = [Run(cluster, name="x", args=[args]).run().job for args in ("a", "a", "b", "a")]
    assert ends == ["x-1", "x-1", "x-2", "x-3"]


def test_an_action_with_other_arguments_waits_for_no_other() -> None:
    cluster = ActionCluster()
    cluster.endless = True
    run = Run(cluster, name="x", args=["a"])

    def meanwhile() -> None:
        if run.now == 5:
            with pytest.raises(PorterError, match=r"still runs with other arguments, in Job x-1\. Wait for its end"):
                Run(cluster, name="x", args=["b"]).run()
            cluster.endless = False

    run.while_asleep = meanwhile
    assert run.run().has_succeeded
    assert cluster.started_jobs == 1


def test_a_record_of_somebody_else_is_left_alone() -> None:
    cluster = ActionCluster()
    foreign = {"kind": "ConfigMap", "metadata": {"name": "porter-agent-action-x", "namespace": "porter"}, "data": {}}
    api = ActionApi(cluster)
    # Made between the look and the write.
    api.before = lambda what: what == "create configmaps" and cluster.create("configmaps", foreign)
    with pytest.raises(PorterError, match="exists and is not labelled"):
        Run(cluster, api, name="x").run()
    assert cluster.started_jobs == 0


# --- stopped anywhere ---


@pytest.mark.parametrize("answered", [False, True], ids=["unsent", "answered"])
@pytest.mark.parametrize("ticks", [0, 1, 20])
def test_f06_a_named_action_killed_at_any_request_is_finished_by_the_next_run(answered: bool, ticks: int) -> None:
    """F06: exactly one run of what Porter was to do, and its end is reported."""
    killed = 0
    for request in range(1, ENOUGH):
        cluster = ActionCluster()
        with suppress(Killed):
            Run(cluster, ActionApi(cluster, request, answered), **NAMED).run()
            break
        killed += 1
        for _count in range(ticks):
            cluster.tick()
        end = Run(cluster, **NAMED).run()
        assert end.has_succeeded
        assert end.log == LINES
        assert (cluster.completed_jobs, cluster.started_jobs) == (1, 1), request
        record = cluster.action_record("listing")
        assert (record["phase"], record["run"], record["job"]) == ("Succeeded", "1", "listing-1")
        third = Run(cluster, **NAMED).run()
        assert third.is_earlier
        assert cluster.started_jobs == 1
    assert killed > 10


def fail_at(run: Run, number: int, answered: bool, error: type[PorterError] = CancelledError) -> None:
    """Such as a signal while this request is under way: it is not sent, or its answer is lost."""
    real, count = run.api._request, 0

    def request(what: str, act: Callable[[], Any]) -> Any:
        nonlocal count
        count += 1
        if count == number and not answered:
            raise error("stopped")
        answer = real(what, act)
        if count == number:
            raise error("stopped")
        return answer

    run.api._request = request  # type: ignore[method-assign]


@pytest.mark.parametrize("answered", [False, True], ids=["unsent", "answered"])
def test_a_named_action_whose_api_fails_at_any_request_is_finished_by_the_next_run(answered: bool) -> None:
    failed = 0
    for request in range(1, ENOUGH):
        cluster = ActionCluster()
        run = Run(cluster, **NAMED)
        fail_at(run, request, answered, UnreachableError)
        with suppress(UnreachableError):
            run.run()
            failed -= 1
        failed += 1
        assert Run(cluster, **NAMED).run().has_succeeded, request
        assert cluster.completed_jobs == 1, request
    # While the Job runs it is ridden out.
    assert 5 < failed < ENOUGH - 5


@pytest.mark.parametrize("answered", [False, True], ids=["unsent", "answered"])
@pytest.mark.parametrize("written", [{}, NAMED], ids=["unnamed", "named"])
def test_an_action_that_is_cancelled_while_it_is_given_up_leaves_no_job(
    written: dict[str, Any], answered: bool
) -> None:
    for request in range(1, 2 * ENOUGH):
        cluster = ActionCluster()
        cluster.unschedulable = True
        run = Run(cluster, progress_deadline=2, **written)
        fail_at(run, request, answered)
        with pytest.raises(PorterError):
            run.run()
        assert not unfinished(cluster), request
        cluster.settle()
        cluster.unschedulable = False
        assert Run(cluster, **written).run().has_succeeded, request


@pytest.mark.parametrize("answered", [False, True], ids=["unsent", "answered"])
@pytest.mark.parametrize("written", [{"files": FILES}, NAMED], ids=["unnamed", "named"])
def test_f06_a_cancelled_action_leaves_no_running_job(written: dict[str, Any], answered: bool) -> None:
    """F06: whenever the cancellation comes; a named one that had ended is not run again, any other is."""
    cancelled = 0
    for request in range(1, ENOUGH):
        cluster = ActionCluster()
        run = Run(cluster, **written)
        fail_at(run, request, answered)
        try:
            run.run()
        except CancelledError:
            cancelled += 1
        else:
            break
        assert not unfinished(cluster), request
        if "name" in written:
            assert Run(cluster, **written).run().has_succeeded, request
            assert cluster.completed_jobs == 1, request
        else:
            cluster.settle()
            assert not unfinished(cluster)
    assert cancelled > 10


def test_a_cancelled_action_can_go_on() -> None:
    cluster = ActionCluster()
    run = Run(cluster, name="x", leave_when_cancelled=True)

    def cancel() -> None:
        if run.now > 1:
            raise CancelledError("cancelled")

    run.check = cancel
    with pytest.raises(CancelledError):
        run.run()
    assert unfinished(cluster)
    assert Run(cluster, name="x").run().has_succeeded
    assert cluster.started_jobs == 1


def test_nobody_waits_any_more() -> None:
    cluster = ActionCluster()
    run = Run(cluster)

    def cancel() -> None:
        if run.now > 1:
            raise CancelledError("cancelled")

    run.check = cancel
    with pytest.raises(CancelledError):
        run.run()
    assert left(cluster) == []


# --- side by side ---


@pytest.mark.parametrize("number", range(1, ENOUGH))
def test_a_second_run_at_any_request_shares_the_job(number: int) -> None:
    """The second one runs whole while the first one is about to send a request."""
    cluster = ActionCluster()
    first, second = Run(cluster, **NAMED), Run(cluster, **NAMED)
    ends = []

    def before(_what: str) -> None:
        if first.api.requests + 1 == number:
            first.api.before = lambda _what: None
            ends.append(second.run())

    first.api.before = before
    ends.append(first.run())
    assert [end.has_succeeded for end in ends] == [True] * len(ends)
    assert {end.log for end in ends} == {LINES}
    assert (cluster.started_jobs, cluster.completed_jobs) == (1, 1)
    assert left(cluster) == []


@pytest.mark.parametrize("seed", range(6))
def test_runs_in_turns_share_one_job(seed: int) -> None:
    """Three runs, one of which goes on at each request, in an order that the seed makes."""
    cluster = ActionCluster()
    turn = threading.Condition()
    waiting: list[int] = []
    active, order, ends = 3, seed, dict[int, Any]()

    def choose() -> None:
        nonlocal order
        order = (order * 1103515245 + 12345) % 2**31

    def take_turn(number: int) -> None:
        with turn:
            waiting.append(number)
            turn.notify_all()
            assert turn.wait_for(lambda: len(waiting) == active and sorted(waiting)[order % active] == number, 60)
            waiting.remove(number)
            choose()

    def task(number: int) -> None:
        nonlocal active
        run = Run(cluster, **NAMED)
        run.api.before = lambda _what: take_turn(number)
        try:
            ends[number] = run.run()
        except BaseException as error:
            ends[number] = error
        with turn:
            active -= 1
            turn.notify_all()

    threads = [threading.Thread(target=task, args=(number,), daemon=True) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert [getattr(ends.get(number), "has_succeeded", ends.get(number)) for number in range(3)] == [True] * 3
    assert (cluster.started_jobs, cluster.completed_jobs) == (1, 1)
    assert left(cluster) == []


def test_an_end_that_is_noted_between_two_looks_is_found() -> None:
    """Another run ends, and removes the Job, after this one has read the record."""
    cluster = ActionCluster()
    with suppress(Killed):
        Run(cluster, ActionApi(cluster, kill_at=14), name="x").run()
    assert cluster.action_record("x")["phase"] == "Running"
    api = ActionApi(cluster)

    def before(what: str) -> None:
        if what == "get jobs":
            api.before = lambda _what: None
            assert not Run(cluster, name="x").run().is_earlier
            cluster.settle()

    api.before = before
    assert Run(cluster, api, name="x").run().is_earlier
    assert cluster.started_jobs == 1


def test_many_writers_of_one_record_are_told() -> None:
    cluster = ActionCluster()
    Run(cluster, name="x").run()
    api = ActionApi(cluster)

    def meddle(what: str) -> None:
        if what == "patch configmaps":
            cluster.patch("configmaps", "porter-agent-action-x", {"metadata": {}, "data": {"by": "others"}}, "porter")

    api.before = meddle
    with pytest.raises(PorterError, match=r"written by others 10 times in a row\. Run it again"):
        Run(cluster, api, name="x", retry="1").run()


# --- check mode ---


def test_check_mode_writes_nothing_and_shows_what_would_be_made() -> None:
    cluster = ActionCluster()
    api = ActionApi(cluster)
    run = Run(cluster, api, **NAMED)
    outcome = run.runner().foresee()
    foreseen = run.runner().objects(outcome)
    assert [(each["kind"], each["metadata"]["name"]) for each in foreseen] == [
        ("Job", "listing-1"),
        ("Secret", "listing-1"),
    ]
    assert (outcome.result["phase"], api.writes, run.now) == ("pending", [], 0)
    runner = run.runner()
    outcome = runner.run()
    assert (outcome.job, runner.objects(outcome)) == ("listing-1", foreseen)
    outcome = run.runner().foresee()
    assert (outcome.is_earlier, run.runner().objects(outcome)) == (True, [])


def test_the_record_goes_with_the_agent_config() -> None:
    cluster = ActionCluster()
    Run(cluster, name="x", keep=1).run()
    found = cluster.find("configmaps", "porter-agent-action-x", "porter")
    assert found
    assert found["metadata"]["labels"][keys.LABEL_COMPONENT] == keys.COMPONENT_ACTION
    del cluster.objects["configmaps", "porter", "porter-agent-config-default"]
    assert left(cluster) == []
    assert cluster.of("configmaps") == []


# --- rights ---


def test_the_table_of_rights_holds_what_actions_ask_for_and_no_more() -> None:
    asked: set[str] = set()

    def run(cluster: ActionCluster, **written: Any) -> None:
        api = ActionApi(cluster)
        api.before = asked.add
        with suppress(PorterError):
            Run(cluster, api, **written).run()

    cluster = ActionCluster()
    cluster.create("namespaces", {"metadata": {"name": "porter"}})
    run(cluster, **NAMED)
    run(cluster, agent_config="other")
    run(ActionCluster(claim="Pending", phase="Installing"), timeout=10)
    needed = {
        "log" if right.resource == "pods/log" else f"{verb} {right.resource}"
        for right in ACTION_RIGHTS
        for verb in right.verbs
    }
    assert asked == needed
