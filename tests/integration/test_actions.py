# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Agent actions: Porter commands that run with the plugins of an agent config."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from kubernetes import client

from tests.integration.conftest import fresh_namespace
from tests.integration.test_rights import missing_rules
from tests.support.account import Account
from tests.support.actions import Actions
from tests.support.admission import SIDECAR, sidecars
from tests.support.cluster import Cluster, wait_for
from tests.support.playbook import Outcome, Playbook, plugins_from

LIST = ["plugins", "list", "-o", "json"]
FOR_EVER = ["standin-sleep", "600"]


@pytest.fixture(scope="module")
def shared(api: client.ApiClient, removals: list[Cluster]) -> Iterator[Cluster]:
    """One namespace for the actions of this file, which leave nothing that others see."""
    with fresh_namespace(api, removals) as fresh:
        yield fresh


@pytest.fixture(scope="module")
def plugins(feed: str) -> dict[str, Any]:
    return plugins_from(feed, kubernetes="v1.0.1", azure="v1.2.0")


@pytest.fixture(scope="module")
def installed(shared: Cluster, kubeconfig: str, plugins: dict[str, Any], tmp_path_factory: Any) -> Cluster:
    """... with an agent config that has its plugins."""
    outcome = Playbook(kubeconfig, shared.namespace, tmp_path_factory.mktemp("install")).run(plugins=plugins)
    assert outcome.status == "successful", outcome.output
    return shared


@pytest.fixture
def actions(installed: Cluster, kubeconfig: str, tmp_path: Path) -> Actions:
    return Actions(installed, Playbook(kubeconfig, installed.namespace, tmp_path))


@pytest.fixture
def own(cluster: Cluster, playbook: Playbook) -> Actions:
    """Actions in a namespace of the test's own, where nothing is installed yet."""
    return Actions(cluster, playbook)


def test_the_plugins_on_the_volume_are_what_porter_lists(actions: Actions) -> None:
    """A10: the claim is that of the agent config's own merged set, in the namespace where the action runs."""
    outcome = actions.run(args=LIST)
    result = actions.of(outcome)
    assert outcome.status == "successful", outcome.output
    assert {each["name"]: each["version"] for each in result["json"]} == {"azure": "v1.2.0", "kubernetes": "v1.0.1"}
    assert (result["phase"], result["exit_code"], result["pods"]) == ("succeeded", 0, 1)
    assert (result["changed"], result["earlier"]) == (True, False)
    assert result["claim"] == actions.cluster.claims()[0].metadata.name
    assert f"{actions.cluster.namespace}/default: porter plugins list -o json" in outcome.output
    actions.assert_nothing_is_left()


def echoed(result: dict[str, Any]) -> dict[str, Any]:
    """What the stand-in's echo printed: a pod's log has the agent's lines before it."""
    log = "\n".join(result["log"])
    found: dict[str, Any] = json.JSONDecoder().raw_decode(log, log.rindex("\n{\n") + 1)[0]
    return found


WORDS = [
    "two words",
    "it's",
    'a "quote"',
    "line\nbreak",
    "Grüße 🚢",
    "$(HOME) $$ $X",
    "",
    "--flag=a b",
    "back\\slash",
    "*",
]


def test_arguments_environment_and_files_arrive_as_they_are(actions: Actions) -> None:
    """F05: among them numbers, which templates make."""
    files = {
        "config.yaml": {"default-secrets-plugin": "kubernetes.secrets", "zahl": 7},
        "ä.yaml": "name: 'ä'\n",
        "odd name.toml": 'x = "y"\n',
    }
    outcome = actions.run(args=["standin-echo", *WORDS, 5], files=files, env=[{"name": "ECHO_WORD", "value": "a  b"}])
    assert outcome.status == "successful", outcome.output
    echo = echoed(actions.of(outcome))
    assert echo["args"] == [*WORDS, "5"]
    assert echo["env"]["ECHO_WORD"] == "a  b"
    assert json.loads(echo["files"].pop("config.yaml")) == files.pop("config.yaml")
    assert echo["files"] == files
    actions.assert_nothing_is_left()


def test_a_failure_is_told_with_porters_words_and_its_code(actions: Actions) -> None:
    """A15, D01, D10: the result always says phase, reason, Job, pod and log."""
    outcome = actions.run(args=["standin-log", "0", "--exit", "3", "--message", "the bundle is on fire"])
    result = actions.of(outcome)
    assert outcome.status == "failed"
    assert "porter standin-log 0 failed (Job default-" in outcome.message
    assert "exit code 1): the bundle is on fire" in outcome.message
    assert (result["phase"], result["reason"], result["exit_code"]) == ("failed", "BackoffLimitExceeded", 1)
    assert result["pod"].startswith(result["job"])
    assert "the bundle is on fire" in result["log"]
    actions.assert_nothing_is_left()


def test_the_agents_own_exit_code_is_the_results(actions: Actions) -> None:
    outcome = actions.run(args=LIST, env=[{"name": "STANDIN_EXIT", "value": "42"}])
    assert actions.of(outcome)["exit_code"] == 42
    assert "exit code 42" in outcome.message


def test_tries_are_counted_and_all_their_logs_told(actions: Actions) -> None:
    """D05, D10: an action is tried again only on request."""
    outcome = actions.run(args=["standin-log", "1", "--exit", "1", "--message", "no"], retry_limit="1")
    result = actions.of(outcome)
    assert (outcome.status, result["pods"]) == ("failed", 2)
    assert result["log"].count("line 1") == 2


def test_unknown_agent_configs_are_told_the_known_ones(actions: Actions) -> None:
    """A15."""
    outcome = actions.run(args=LIST, agent_config="defautl")
    assert f"no agent config defautl in namespace {actions.cluster.namespace}; there are default" in outcome.message
    assert actions.run(args=LIST, namespace="not-there").message.startswith("There is no namespace not-there")


def test_an_action_that_takes_too_long_is_ended(actions: Actions) -> None:
    outcome = actions.run(args=FOR_EVER, timeout=4)
    assert actions.of(outcome)["reason"] == "DeadlineExceeded"
    assert "Job was active longer than specified deadline" in outcome.message
    actions.assert_nothing_is_left()


def test_an_image_that_cannot_be_pulled_ends_the_action(actions: Actions) -> None:
    """D02: the Job goes, so that it does not begin when nobody looks any more."""
    outcome = actions.run(args=LIST, image="getporter.local/none:1", pull_policy="Never", progress_deadline=3)
    assert "no progress since 3 s" in outcome.message
    assert "ErrImageNeverPull" in outcome.message
    actions.assert_nothing_is_left()


def test_a_service_account_that_is_missing_is_told_in_the_clusters_words(actions: Actions) -> None:
    """A14, A15."""
    outcome = actions.run(args=LIST, service_account="nobody", progress_deadline=3)
    assert 'serviceaccount "nobody" not found' in outcome.message
    actions.assert_nothing_is_left()


def test_a_read_only_root_is_refused_before_anything_is_made(actions: Actions) -> None:
    """D11: for the action, and what an admission policy would make of it is told in the agent's words."""
    context = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}, "readOnlyRootFilesystem": True}
    outcome = actions.run(args=LIST, container_security_context=context)
    assert "cannot have readOnlyRootFilesystem" in outcome.message
    assert actions.cluster.jobs() == []


def test_settings_of_the_agent_config_reach_the_pod_and_can_be_replaced(own: Actions, feed: str) -> None:
    """A14, A17, D06, D08: pull secrets above all. What the action names wins, an empty map too."""
    settings: dict[str, Any] = {
        "image_pull_secrets": ["registry-one", "registry-two"],
        "node_selector": {"kubernetes.io/os": "linux"},
        "pod_labels": {"queue": "slow"},
        "env_from": [{"secretRef": {"name": "porter-env", "optional": True}}],
        "agent_configs": [{"name": "default", "plugins": {}}],
    }
    assert own.playbook.run(**settings).status == "successful"
    outcome = own.run(args=LIST, keep=1, node_selector={}, resources={"requests": {"cpu": "10m"}})
    assert outcome.status == "successful", outcome.output
    (job,) = own.cluster.jobs()
    spec = job.spec.template.spec
    assert [each.name for each in spec.image_pull_secrets] == settings["image_pull_secrets"]
    assert job.metadata.labels["queue"] == "slow"
    assert spec.containers[0].env_from[0].secret_ref.name == "porter-env"
    assert spec.node_selector is None
    assert spec.containers[0].resources.requests == {"cpu": "10m"}
    assert spec.containers[0].resources.limits is None
    # Without plugins nothing hides those that the image has.
    assert spec.volumes is None


def test_a09_a_failed_install_fails_its_actions_at_once(own: Actions, channel: str) -> None:
    """A09: no pod is made that would wait for a claim that never comes."""
    own.playbook.run(plugins=plugins_from(channel, kubernetes="v9.9.9"), retry_limit=0)
    own.cluster.wait_until_only_claims_are_left()
    outcome = own.run(args=LIST)
    assert "the plugins are not ready, so no pod was made" in outcome.message
    assert "does not contain an entry for kubernetes @ v9.9.9" in outcome.message
    assert own.of(outcome)["reason"] == "BackoffLimitExceeded"
    assert own.jobs_ever() == ["install"]


def run_while_installing(own: Actions, plugins: dict[str, Any], **install: Any) -> tuple[Outcome, Outcome, Outcome]:
    """An action that does not wait, then one that does, and the install, which is held up until that one waits."""
    with ThreadPoolExecutor(2) as pool:
        installing = pool.submit(own.playbook.run_apart, plugins=plugins, **install)
        wait_for(own.cluster.jobs, "the install Job")
        job = own.cluster.jobs()[0].metadata.name
        own.cluster.batch.patch_namespaced_job(job, own.cluster.namespace, {"spec": {"suspend": True}})
        hasty = own.run(args=LIST, wait_for_plugins=False)
        waiting = pool.submit(own.playbook.run_apart, **own.variables(args=LIST))
        wait_for(own.pods, "the action's pod")
        own.cluster.batch.patch_namespaced_job(job, own.cluster.namespace, {"spec": {"suspend": False}})
        return hasty, waiting.result(), installing.result()


def test_an_action_waits_for_the_plugins_and_runs_when_they_come(own: Actions, channel: str) -> None:
    """Or does not wait, where that is not wanted."""
    slow = plugins_from(f"{channel}/slow/3", kubernetes="v1.0.1")
    hasty, outcome, install = run_while_installing(own, slow)
    assert install.status == "successful", install.output
    assert "the install is under way" in hasty.message
    assert outcome.status == "successful", outcome.output
    assert "waiting for the plugin claim porter-" in outcome.output
    assert [each["name"] for each in own.of(outcome)["json"]] == ["kubernetes"]


def test_an_action_that_waits_is_told_that_the_install_failed(own: Actions, channel: str) -> None:
    """A09: the pod that waits goes."""
    hopeless = plugins_from(f"{channel}/slow/3", kubernetes="v1.0.1", hashicorp="v9.9.9")
    _hasty, outcome, install = run_while_installing(own, hopeless, retry_limit=0)
    assert install.status == "failed"
    assert "the plugins of agent config default could not be installed" in outcome.message
    assert "does not contain an entry for hashicorp @ v9.9.9" in outcome.message
    own.assert_nothing_is_left()


def test_plugins_that_nobody_installs_are_waited_for_within_the_timeout(own: Actions) -> None:
    """As after an install that was killed. The action has not begun, so that it runs when it is asked for again."""
    own.playbook.run(plugins={})
    core, namespace = own.cluster.core, own.cluster.namespace
    (record,) = own.cluster.record_maps()
    data = {"claim": "porter-none", "ready": "false", "phase": "Installing"}
    core.patch_namespaced_config_map(record.metadata.name, namespace, {"data": data})
    outcome = own.run(args=LIST, name="early", timeout=4)
    assert (
        "the plugin claim porter-none, which the install of agent config default makes, did not come" in outcome.message
    )
    own.assert_nothing_is_left()
    own.playbook.run(plugins={})
    late = own.run(args=LIST, name="early")
    assert (late.status, own.of(late)["earlier"]) == ("successful", False)


def test_a_named_action_runs_once_for_each_generation(actions: Actions) -> None:
    """D09, E03: also after its Job is gone. Another word for retry runs it again."""
    first = actions.run(args=LIST, name="listing")
    again = actions.run(args=LIST, name="listing", timeout=80)
    assert (first.changed, again.changed) == (True, False)
    told = ("exit_code", "job", "json", "log", "phase", "pod", "reason")
    assert [actions.of(again)[key] for key in told] == [actions.of(first)[key] for key in told]
    assert actions.of(again)["earlier"]
    other = actions.run(args=["plugins", "list"], name="listing")
    retried = actions.run(args=["plugins", "list"], name="listing", retry="once-more")
    as_before = actions.run(args=["plugins", "list"], name="listing")
    assert (other.changed, retried.changed, as_before.changed) == (True, True, False)
    assert actions.of(as_before)["job"] == "listing-3"
    actions.assert_nothing_is_left()


def test_a_named_action_that_failed_says_so_again(actions: Actions) -> None:
    arguments = {"args": ["standin-log", "0", "--exit", "1", "--message", "no such bundle"], "name": "failing"}
    first, again = actions.run(**arguments), actions.run(**arguments)
    foreseen = actions.run(**arguments, arguments="--check")
    assert "no such bundle" in first.message
    assert foreseen.message == again.message
    assert again.message.endswith("It ended so before; to run it again, set another word for retry.")
    assert actions.of(again)["job"] == "failing-1"


def test_finished_jobs_stay_as_long_as_they_are_kept(actions: Actions) -> None:
    """A12."""
    for word in ("one", "two", "three"):
        actions.run(args=LIST, name="kept", retry=word, keep=2)
    assert sorted(job.metadata.name for job in actions.cluster.jobs()) == ["kept-2", "kept-3"]
    assert all(job.spec.ttl_seconds_after_finished for job in actions.cluster.jobs())
    actions.run(args=LIST, name="kept", retry="four")
    actions.assert_nothing_is_left()


def test_many_actions_at_once_on_one_volume(actions: Actions) -> None:
    def run(number: int) -> Outcome:
        return actions.playbook.run_apart(**actions.variables(args=["standin-echo", f"number {number}"]))

    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(run, range(4)))
    assert [each.status for each in outcomes] == ["successful"] * 4
    assert all(f"number {number}" in "".join(actions.of(each)["log"]) for number, each in enumerate(outcomes))
    actions.assert_nothing_is_left()


def test_a_named_action_twice_at_once_is_one_job(actions: Actions) -> None:
    variables = actions.variables(args=["standin-log", "3", "--seconds", "3"], name="twins")
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda _number: actions.playbook.run_apart(**variables), range(2)))
    assert [each.status for each in outcomes] == ["successful"] * 2
    assert {actions.of(each)["job"] for each in outcomes} == {"twins-1"}
    assert [actions.of(each)["log"][-1] for each in outcomes] == ["line 3"] * 2
    actions.assert_nothing_is_left()


def test_a_pod_that_is_deleted_ends_the_action_unless_its_policy_says_otherwise(actions: Actions) -> None:
    """D05: at least once, and it is told how often."""

    def run_and_delete_the_pod(**variables: Any) -> Outcome:
        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(actions.playbook.run_apart, **actions.variables(**variables))
            pod = actions.running_pod()
            actions.cluster.core.delete_namespaced_pod(pod, actions.cluster.namespace, grace_period_seconds=0)
            return future.result()

    slow = ["standin-log", "4", "--seconds", "4"]
    ended = run_and_delete_the_pod(args=slow)
    assert (ended.status, actions.of(ended)["pods"]) == ("failed", 1)
    ignore = {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]}
    repeated = run_and_delete_the_pod(args=slow, pod_failure_policy=ignore, retry_limit=1)
    assert repeated.status == "successful", repeated.output
    assert actions.of(repeated)["pods"] == 2
    actions.assert_nothing_is_left()


def test_a_quota_holds_for_actions(own: Actions) -> None:
    """The agent config's resources satisfy one that asks for some; one that is used up is told in its own words."""
    own.playbook.run(plugins={})
    hard = {"requests.cpu": "1", "limits.memory": "1Gi", "pods": "1"}
    own.cluster.core.create_namespaced_resource_quota(
        own.cluster.namespace, {"metadata": {"name": "small"}, "spec": {"hard": hard}}
    )
    assert own.run(args=LIST).status == "successful"
    own.cluster.core.patch_namespaced_resource_quota("small", own.cluster.namespace, {"spec": {"hard": {"pods": "0"}}})

    def is_in_force() -> bool:
        quota = own.cluster.core.read_namespaced_resource_quota("small", own.cluster.namespace)
        return bool(quota.status.hard["pods"] == "0")

    wait_for(is_in_force, "the quota")
    assert "exceeded quota: small" in own.run(args=LIST, progress_deadline=3).message


def test_a_sidecar_that_outlives_the_agent_is_named(own: Actions, api: client.ApiClient) -> None:
    """D07."""
    own.playbook.run(plugins={})
    with sidecars(api, own.cluster):
        outcome = own.run(args=LIST, progress_deadline=4)
    assert f"exit code 0, but the Job goes on while {SIDECAR} runs in its pod" in outcome.message
    assert own.of(outcome)["exit_code"] == 0
    own.assert_nothing_is_left()


def test_secrets_in_the_action_are_nowhere_to_be_read(actions: Actions) -> None:
    """F02: unless that is asked for."""
    secrets: dict[str, Any] = {"files": {"c.yaml": {"credentials": [{"name": "x", "source": {"value": "hunter-two"}}]}}}
    secrets["env"] = [{"name": "ECHO_TOKEN", "value": "tok-123"}]
    secrets["args"] = ["standin-echo", "--param", "db_password=open-sesame"]
    for check in ("", "--check --diff"):
        outcome = actions.run(**secrets, name="secretive", arguments=f"-vvv {check}")
        assert outcome.status == "successful", outcome.output
        words = json.dumps(actions.of(outcome)) + json.dumps(actions.record_of("secretive")) if not check else ""
        assert not [each for each in ("hunter-two", "tok-123", "open-sesame") if each in words]
    open_one = actions.run(**secrets, secure_logging=False)
    assert "open-sesame" in json.dumps(actions.of(open_one)["log"])
    actions.assert_nothing_is_left()


def test_check_mode_writes_nothing_and_shows_the_job(actions: Actions) -> None:
    """E02."""
    command: dict[str, Any] = {"args": LIST, "name": "foreseen", "files": {"a.yaml": {"b": 1}}}
    outcome = actions.run(**command, arguments="--check --diff")
    assert outcome.changed
    after = actions.of(outcome)["diff"]["after"]
    assert after["Job foreseen-1"]["spec"]["template"]["spec"]["containers"][0]["args"] == LIST
    assert "credentials" in after["Secret foreseen-1"]["stringData"]
    assert actions.record_of("foreseen") is None
    actions.assert_nothing_is_left()
    made = actions.of(actions.run(**command, arguments="--diff"))
    assert (made["phase"], made["diff"]["after"]) == ("succeeded", after)
    again = actions.run(**command, arguments="--diff")
    assert (again.changed, actions.of(again)["diff"]["after"]) == (False, {})


def test_surveys_hand_over_text_and_nothing(actions: Actions) -> None:
    """F04, F05, F08: lists as text, every other question left open."""
    open_questions = dict.fromkeys(
        ("name", "retry", "timeout", "keep", "image", "resources", "retry_limit", "on_cancel", "set_stats", "volumes"),
        "",
    )
    outcome = actions.run(
        args='["plugins", "list", "-o", "json"]', env='[{"name": "ECHO_A", "value": "b"}]', **open_questions
    )
    assert outcome.status == "successful", outcome.output
    assert len(actions.of(outcome)["json"]) == 2


def test_workflows_get_the_result(actions: Actions) -> None:
    outcome = actions.run(args=LIST, set_stats=True)
    stats = outcome.of("ansible.builtin.set_stats")["ansible_stats"]["data"]["porter_action"]
    assert stats["exit_code"] == 0


@pytest.fixture
def store(own: Actions) -> dict[str, Any]:
    """Where installations outlive the pods that make them, and where the stand-in finds it."""
    request = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}}}
    body = {"metadata": {"name": "store"}, "spec": request}
    own.cluster.core.create_namespaced_persistent_volume_claim(own.cluster.namespace, body)
    return {
        "volumes": [{"name": "store", "persistentVolumeClaim": {"claimName": "store"}}],
        "volume_mounts": [{"name": "store", "mountPath": "/store"}],
        "env": [{"name": "STANDIN_STORE", "value": "/store"}],
    }


def test_installations_and_sets_by_their_task_files(own: Actions, store: dict[str, Any]) -> None:
    """Each is one call, and they see what the others did. The volume for bundles goes with the pod."""
    own.playbook.run(plugins={})
    credentials = {"schemaType": "CredentialSet", "schemaVersion": "1.0.1", "name": "app", "credentials": []}
    parameters = {"schemaType": "ParameterSet", "schemaVersion": "1.0.1", "name": "app", "parameters": []}
    installation = {
        "schemaType": "Installation",
        "schemaVersion": "1.0.2",
        "name": "web",
        "namespace": "",
        "bundle": {"repository": "example.com/web", "version": "0.1.0"},
        "parameters": {"colour": "green"},
    }
    documents = {"credential_set": credentials, "parameter_set": parameters, "installation": installation}
    for task in ("apply_credentials", "apply_parameters", "apply_installation"):
        outcome = own.run(task=task, **documents, **store)
        assert outcome.status == "successful", outcome.output
    listed = own.of(own.run(task="list_installations", **store))["json"]
    assert [each["name"] for each in listed] == ["web"]
    shown = own.of(own.run(task="show_outputs", installation_name="web", **store))["json"]
    assert shown
    assert own.run(task="uninstall", installation_name="web", **store).status == "successful"
    assert "not found" in own.run(task="show_outputs", installation_name="other", **store).message
    claims = [claim.metadata.name for claim in own.cluster.claims()]
    wait_for(lambda: [claim.metadata.name for claim in own.cluster.claims()] == ["store"], f"the end of {claims}")


def test_bundles_get_the_kubernetes_driver(own: Actions) -> None:
    own.playbook.run(plugins={}, agent_configs=[{"name": "default", "installation_service_account": "installer"}])
    outcome = own.run(args=["standin-echo"], bundles=True)
    assert outcome.status == "successful", outcome.output
    environment = echoed(own.of(outcome))["env"]
    assert environment["SERVICE_ACCOUNT"] == "installer"
    assert environment["JOB_VOLUME_NAME"] == f"{own.of(outcome)['pod']}-porter-shared"
    assert environment["KUBE_NAMESPACE"] == own.cluster.namespace


def test_the_plugins_of_a_volume_are_verified(actions: Actions) -> None:
    assert actions.run(task="verify_plugins").status == "successful"
    record = "porter-agent-config-default"
    namespace, core = actions.cluster.namespace, actions.cluster.core
    before = core.read_namespaced_config_map(record, namespace).data["plugins"]
    core.patch_namespaced_config_map(record, namespace, {"data": {"plugins": '{"kubernetes": "v9"}'}})
    try:
        assert "Porter sees" in actions.run(task="verify_plugins").message
    finally:
        core.patch_namespaced_config_map(record, namespace, {"data": {"plugins": before}})


def test_a_pod_made_with_the_filter_alone_has_the_plugins(
    installed: Cluster, kubeconfig: str, tmp_path: Path, plugins: dict[str, Any]
) -> None:
    """B06, B18, D11: applied with kubernetes.core."""
    play = tmp_path / "pod.yml"
    play.write_text(POD)
    pods = Playbook(kubeconfig, installed.namespace, tmp_path)
    outcome = pods.run(str(play), prefix="test", plugins=plugins, pod_namespace=installed.namespace)
    assert outcome.status == "successful", outcome.output
    log = json.loads("".join(outcome.of("kubernetes.core.k8s_log")["log"].partition("[")[1:]))
    assert [each["name"] for each in log] == ["azure", "kubernetes"]
    installed.core.delete_namespaced_pod("by-filter", installed.namespace, grace_period_seconds=0)


POD = """
- hosts: localhost
  gather_facts: false
  vars:
    mounted: "{{ test_plugins | getporter.porter.plugin_volume(namespace=test_pod_namespace) }}"
  tasks:
    - kubernetes.core.k8s:
        wait: true
        wait_condition: {type: Ready, status: "False", reason: PodCompleted}
        wait_timeout: 60
        definition:
          apiVersion: v1
          kind: Pod
          metadata: {name: by-filter, namespace: "{{ test_pod_namespace }}"}
          spec:
            restartPolicy: Never
            securityContext: {runAsNonRoot: true, runAsUser: 65532, seccompProfile: {type: RuntimeDefault}}
            containers:
              - name: porter
                image: "{{ test_agent_image }}"
                args: [plugins, list, -o, json]
                securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
                volumeMounts: "{{ mounted.volumeMounts }}"
            volumes: "{{ mounted.volumes }}"
    - kubernetes.core.k8s_log: {name: by-filter, namespace: "{{ test_pod_namespace }}"}
"""


def test_the_shipped_rights_for_actions_are_enough(actions: Actions, api: client.ApiClient) -> None:
    """F01, F02, F07: connected as AWX does it, with no more than docs/rbac/actions.yml."""
    account = Account(actions.cluster, api)
    lacking = actions.run(args=LIST, environment=account.environment)
    assert lacking.status == "failed"
    assert missing_rules(lacking)
    assert "docs/rbac/actions.yml of the collection getporter.porter holds all rules" in lacking.message
    account.give("actions.yml")
    outcome = actions.run(args=LIST, name="as-awx", files={"a.yaml": {}}, environment=account.environment)
    assert outcome.status == "successful", outcome.output
    actions.assert_nothing_is_left()
