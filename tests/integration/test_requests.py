# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""One course of runs, from nothing to one plugin set, to another and back: what it asks of the API server, as that
noted it, and what it leaves.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from ansible_collections.getporter.porter.plugins.module_utils._manifests import staging_claim
from kubernetes import client

from tests.bench import audit
from tests.integration.conftest import fresh_channel, fresh_namespace
from tests.support.cluster import Cluster
from tests.support.playbook import INFO, JOB, Outcome, Playbook, plugins_from
from tests.support.wanted import wanted_volume

READS = ("get", "list")
# A question that is asked by creating something, which the API server answers and does not keep.
REVIEW = "selfsubjectaccessreviews"


@dataclass(frozen=True)
class Step:
    """One run, and its requests."""

    outcome: Outcome
    requests: list[audit.Request]

    def objects(self, *verbs: str) -> list[str]:
        """The resources that it used these verbs on, each once, in the order of the first time."""
        return list(dict.fromkeys(each.resource for each in self.requests if each.verb in verbs))


@dataclass(frozen=True)
class Course:
    """The runs in their order, and what is there in the end."""

    foreseen: Step
    first: Step
    other: Step
    back: Step
    again: Step
    unlike: Step
    cluster: Cluster
    # Where the runs' processes keep their temporary files.
    scratch: Path

    @property
    def requests(self) -> list[audit.Request]:
        steps = (self.foreseen, self.first, self.other, self.back, self.again, self.unlike)
        return [each for step in steps for each in step.requests]


@pytest.fixture(scope="module")
def course(
    api: client.ApiClient,
    kubeconfig: str,
    audit_log: Path,
    feed: str,
    removals: list[Cluster],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Course]:
    """Agent config a goes from one plugin set to another and back, and others keep both sets.

    All runs go around a proxy that is dead, and under a name of their own, by which their requests are known.
    """
    scratch = tmp_path_factory.mktemp("scratch")
    channel = fresh_channel(feed)
    one, other = plugins_from(channel, kubernetes="v1.0.1"), plugins_from(channel, azure="v1.2.0")
    with fresh_namespace(api, removals) as cluster:
        playbook = Playbook(kubeconfig, cluster.namespace, tmp_path_factory.mktemp("runs"))
        environment = {
            "K8S_AUTH_HOST": api.configuration.host,
            "K8S_AUTH_API_KEY": cluster.admin_token(),
            "K8S_AUTH_SSL_CA_CERT": api.configuration.ssl_ca_cert,
            "KUBECONFIG": "/nonexistent",
            "HTTPS_PROXY": "http://127.0.0.1:9",
            "NO_PROXY": str(urlsplit(api.configuration.host).hostname),
            "TMPDIR": str(scratch),
        }

        def run(**how: Any) -> Step:
            begin = time.time()
            outcome = playbook.run(environment=environment, **how)
            assert outcome.status == "successful", outcome.output
            requests = audit.read(audit_log, begin, word=cluster.namespace)
            own = [each for each in requests if each.user.endswith(f":{cluster.namespace}-admin")]
            return Step(outcome, [each for each in own if each.resource != REVIEW])

        def configs(plugins: dict[str, Any], *names: str) -> list[dict[str, Any]]:
            return [{"name": name, "plugins": plugins} for name in names]

        yield Course(
            foreseen=run(arguments="--check", agent_configs=configs(one, "a", "keeps-one")),
            first=run(agent_configs=configs(one, "a", "keeps-one")),
            other=run(agent_configs=configs(other, "a", "keeps-other")),
            back=_after_a_stray_claim(
                cluster, one, lambda: run(agent_configs=configs(one, "a"), volume_size="65536Ki")
            ),
            again=run(agent_configs=configs(other, "keeps-other")),
            unlike=run(
                agent_configs=configs(other, "keeps-other"),
                volume_size="1Gi",
                storage_class="local-retain",
                access_mode="ReadWriteMany",
            ),
            cluster=cluster,
            scratch=scratch,
        )


def _after_a_stray_claim(cluster: Cluster, plugins: dict[str, Any], run: Callable[[], Step]) -> Step:
    """Back to the first set, after a staging claim of it was made: by a killed run, or by a tool that re-applies."""
    stray = staging_claim(wanted_volume(cluster.namespace, plugins))
    cluster.core.create_namespaced_persistent_volume_claim(cluster.namespace, stray)
    return run()


def test_a_check_only_reads(course: Course) -> None:
    """E02: seen at the API server, not assumed."""
    assert course.foreseen.outcome.changed
    assert {each.verb for each in course.foreseen.requests} <= set(READS)


def test_a_run_with_nothing_to_do_makes_few_requests(course: Course) -> None:
    """E10."""
    assert not course.again.outcome.changed
    assert {each.verb for each in course.again.requests} == {"list"}
    assert 0 < len(course.again.requests) <= 6


def test_there_is_no_discovery_and_no_cache_of_it(course: Course) -> None:
    """E11: requests without a resource are those that ask which there are. And no file stays anywhere."""
    assert [each for each in course.requests if not each.resource] == []
    assert list(course.scratch.iterdir()) == []


def test_a_dead_proxy_is_gone_around(course: Course) -> None:
    """E12: HTTPS_PROXY and NO_PROXY mean what they mean to kubernetes.core."""
    assert course.foreseen.requests


def test_finalizers_are_left_to_their_controllers(course: Course) -> None:
    """B03, E05: nothing is replaced, no Job or pod is patched, and no finalizer of what is patched is ours."""
    assert course.first.objects("patch") == ["persistentvolumes", "configmaps"]
    changed = {each.resource for each in course.requests if each.verb in ("patch", "update")}
    assert changed == {"persistentvolumes", "configmaps", "persistentvolumeclaims"}
    for item in (*course.cluster.claims(), *course.cluster.volumes(), *course.cluster.record_maps()):
        ours = [each for each in item.metadata.managed_fields if each.manager == "getporter.porter"]
        assert ours
        assert "f:finalizers" not in json.dumps([each.fields_v1 for each in ours])


def test_jobs_go_before_the_claims_that_their_pods_hold(course: Course) -> None:
    """B02, B19: the Job takes its pods along; a volume is never deleted, it follows its claim by its policy."""
    assert course.first.objects("delete") == ["jobs", "persistentvolumeclaims"]
    assert {each.resource for each in course.requests if each.verb == "delete"} == {"jobs", "persistentvolumeclaims"}


def test_back_at_the_first_set_its_claim_serves_again(course: Course) -> None:
    """A04, B21: no Job, no new claim, and the stray staging claim is gone."""
    assert not course.back.outcome.used(JOB)
    assert course.back.objects("create") == []
    assert course.back.objects("delete") == ["persistentvolumeclaims"]
    assert course.back.outcome.changed


def test_six_runs_leave_two_claims_with_their_volumes(course: Course) -> None:
    """A12: and a record for each agent config."""
    course.cluster.wait_until_only_claims_are_left()
    claims, volumes = course.cluster.claims(), course.cluster.volumes()
    assert len(claims) == len(volumes) == 2
    assert {claim.spec.volume_name for claim in claims} == {volume.metadata.name for volume in volumes}
    assert {claim.status.phase for claim in claims} == {"Bound"}
    assert sorted(course.cluster.records()) == ["a", "keeps-one", "keeps-other"]


def test_a_claim_that_was_made_with_other_settings_is_told(course: Course) -> None:
    """B14, E09: what Kubernetes would refuse to change is left alone. 65536Ki are the 64Mi that there are."""
    (warning,) = course.unlike.outcome.of(INFO)["warnings"]
    for difference in ("size 64Mi in place of 1Gi", "in place of local-retain", "in place of ReadWriteMany"):
        assert difference in warning
    assert "as it was made" not in course.back.outcome.output
    assert course.unlike.objects("create", "delete") == []
    # The record tells what is wanted.
    assert course.unlike.objects("patch") == ["configmaps"]
