# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The objects of an agent action, the record of a named one, and how its end is told."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils import _action_record as record
from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils._action_manifests import (
    NAMED_TTL_SECONDS,
    action_job,
    agent_settings,
    files_secret,
)
from ansible_collections.getporter.porter.plugins.module_utils._action_outcome import (
    ActionOutcome,
    action_diff,
    failure_of,
    outcome_of_run,
    run_as_ended,
)
from ansible_collections.getporter.porter.plugins.module_utils._action_record import ActionRun
from ansible_collections.getporter.porter.plugins.module_utils._agent_action import AgentAction, read_action
from ansible_collections.getporter.porter.plugins.module_utils._agent_pod import (
    AGENT_CONTAINER,
    config_mount,
    plugins_mount,
    plugins_volume,
    pod_spec,
)
from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError
from ansible_collections.getporter.porter.plugins.module_utils._job_status import FAILED, RUNNING, SUCCEEDED, JobStatus
from ansible_collections.getporter.porter.plugins.module_utils._manifests import LEAST_TTL_SECONDS
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import AgentSettings
from ansible_collections.getporter.porter.plugins.module_utils._record import AgentConfigView, RecordStatus
from hypothesis import given
from hypothesis import strategies as st

Manifest = dict[str, Any]
CLAIM = "porter-" + "a" * 32
OWNER = {"apiVersion": "v1", "kind": "ConfigMap", "name": "porter-agent-config-default", "uid": "u"}
JOB = {"metadata": {"name": "x-1", "uid": "job-uid"}}
TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def action_of(**more: Any) -> AgentAction:
    return read_action({"namespace": "porter", "agent_config": "default", "args": ["list"], **more})


def config(claim: str = CLAIM, spec: Any = None, **agent: Any) -> AgentConfigView:
    status = RecordStatus("Ready", plugins={"kubernetes": "v1.0.1"})
    return AgentConfigView(spec or {}, {"image": "agent:1", **agent}, claim, status, OWNER)


def job_of(action: AgentAction, view: AgentConfigView | None = None, **more: Any) -> Manifest:
    return action_job(action, view or config(), "x-1", timeout=60, **more)


def pod_of(*arguments: Any, **more: Any) -> Manifest:
    return job_of(*arguments, **more)["spec"]["template"]["spec"]  # type: ignore[no-any-return]


def expanded(text: str, known: dict[str, str]) -> str:
    """What Kubernetes makes of an argument: $$ becomes $, and $(NAME) the value of a known variable."""
    done, position = "", 0
    while position < len(text):
        end = text.find(")", position)
        if text.startswith("$$", position):
            done, position = done + "$", position + 2
        elif text.startswith("$(", position) and end >= 0:
            whole = text[position : end + 1]
            done, position = done + known.get(whole[2:-1], whole), end + 1
        else:
            done, position = done + text[position], position + 1
    return done


@given(st.lists(TEXT | st.text("$() AB\n'\"\\ü"), min_size=2))
def test_arguments_reach_porter_as_they_are_written(args: list[str]) -> None:
    action = AgentAction("porter", "default", tuple(args))
    (container,) = pod_of(action)["containers"]
    assert [expanded(each, {"A": "x", "B": "y", "": "z"}) for each in container["args"]] == args


def test_a_job_without_a_name() -> None:
    assert job_of(action_of()) == {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": "x-1",
            "namespace": "porter",
            "labels": {
                keys.LABEL_MANAGED: "true",
                keys.LABEL_RESOURCE_NAME: "default",
                keys.LABEL_COMPONENT: "agent-action",
                keys.LABEL_MANAGED_BY: "getporter.porter",
            },
            "annotations": {keys.ANNOTATION_AGENT_CONFIG: "default"},
        },
        "spec": {
            "backoffLimit": 0,
            "activeDeadlineSeconds": 60,
            "ttlSecondsAfterFinished": LEAST_TTL_SECONDS,
            "template": {
                "metadata": {
                    "labels": job_of(action_of())["metadata"]["labels"],
                    "annotations": {keys.ANNOTATION_AGENT_CONFIG: "default"},
                },
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [
                        {
                            "name": AGENT_CONTAINER,
                            "image": "agent:1",
                            "args": ["list"],
                            "volumeMounts": [plugins_mount(read_only=True)],
                        }
                    ],
                    "volumes": [plugins_volume(CLAIM)],
                },
            },
        },
    }


def test_a_job_with_a_name_goes_with_the_agent_config_and_stays_until_its_end_is_noted() -> None:
    job = job_of(action_of(name="listing"), config(ttl_seconds_after_finished=5))
    assert job["metadata"]["ownerReferences"] == [OWNER]
    assert job["metadata"]["annotations"][keys.ANNOTATION_ACTION] == "listing"
    assert job["spec"]["ttlSecondsAfterFinished"] == NAMED_TTL_SECONDS


@pytest.mark.parametrize(
    ("agent", "of_action", "expected"),
    [
        ({}, {}, ("agent:1", 0, None)),
        ({"backoff_limit": 6, "pull_policy": "Always"}, {}, ("agent:1", 0, "Always")),
        ({"pull_policy": "Always"}, {"image": "x", "backoff_limit": 2, "pull_policy": "Never"}, ("x", 2, "Never")),
    ],
)
def test_the_actions_settings_replace_the_agent_configs(agent: Any, of_action: Any, expected: Any) -> None:
    settings = agent_settings(action_of(agent=of_action), config(**agent))
    assert (settings.image, settings.backoff_limit, settings.pull_policy) == expected


def test_an_empty_setting_replaces_too() -> None:
    view = config(tolerations=[{"key": "x"}])
    assert "tolerations" in pod_of(action_of(), view)
    assert "tolerations" not in pod_of(action_of(agent={"tolerations": []}), view)


def test_a_record_of_another_release_is_refused_in_words() -> None:
    with pytest.raises(InputError, match="settings that this release does not know: colour, size"):
        agent_settings(action_of(), config(size=1, colour="red"))


@pytest.mark.parametrize("where", ["agent config", "action"])
def test_d11_a_read_only_root_is_refused(where: str) -> None:
    """D11: the agent could not start."""
    agent: dict[str, Any] = {"container_security_context": {"readOnlyRootFilesystem": True}}
    of_action, view = (agent, config()) if where == "action" else ({}, config(**agent))
    with pytest.raises(InputError, match=r"cannot have readOnlyRootFilesystem\. Take it out"):
        agent_settings(action_of(agent=of_action), view)
    writable = {"container_security_context": {"readOnlyRootFilesystem": False}}
    assert agent_settings(action_of(agent=writable), view)


def test_d11_without_plugins_nothing_hides_those_of_the_image() -> None:
    """D11"""
    spec = pod_of(action_of(), config(claim=""))
    assert "volumes" not in spec
    assert "volumeMounts" not in spec["containers"][0]


def test_d05_the_pod_failure_policy_is_passed_on() -> None:
    """D05"""
    policy = {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]}
    assert job_of(action_of(pod_failure_policy=policy))["spec"]["podFailurePolicy"] == policy
    assert "podFailurePolicy" not in job_of(action_of())["spec"]


def test_labels_of_the_pod_do_not_replace_ours() -> None:
    view = config(pod_labels={keys.LABEL_MANAGED: "false", "team": "x"}, pod_annotations={"note": "y"})
    job = job_of(action_of(), view)
    for metadata in (job["metadata"], job["spec"]["template"]["metadata"]):
        assert metadata["labels"][keys.LABEL_MANAGED] == "true"
        assert metadata["labels"]["team"] == "x"
    assert job["spec"]["template"]["metadata"]["annotations"]["note"] == "y"


@given(st.dictionaries(st.from_regex("[A-Za-z0-9 ü_-]{1,9}", fullmatch=True).filter(str.strip), TEXT, min_size=1))
def test_files_are_mounted_under_their_names(files: dict[str, str]) -> None:
    """Whatever a path holds that a key of a Secret cannot."""
    action = action_of(files={name: text for name, text in files.items() if name != "plugins"} or {"a": ""})
    secret = files_secret(action, config(), JOB)
    spec = pod_of(action)
    (source,) = next(each for each in spec["volumes"] if each["name"] == "porter-config")["projected"]["sources"]
    assert source["secret"]["name"] == secret["metadata"]["name"] == "x-1"
    assert {each["path"]: secret["stringData"][each["key"]] for each in source["secret"]["items"]} == action.files
    assert all(key.replace("-", "").isalnum() and key.isascii() for key in secret["stringData"])
    assert config_mount() in spec["containers"][0]["volumeMounts"]


def test_the_files_belong_to_the_job() -> None:
    secret = files_secret(action_of(files={"a": "x"}), config(), JOB)
    (owner,) = secret["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["uid"], secret["immutable"]) == ("Job", "job-uid", True)


def test_files_of_others_come_beside() -> None:
    sources = [{"secret": {"name": "config"}}]
    volume = {"name": "porter-config", "projected": {"sources": sources}}
    assert volume in pod_of(action_of(files_from=sources))["volumes"]
    both = pod_of(action_of(files_from=sources, files={"a": "x"}))["volumes"][1]["projected"]["sources"]
    assert [each["secret"]["name"] for each in both] == ["config", "x-1"]


def test_a14_the_docker_configuration_for_bundles_is_mounted_where_clients_look() -> None:
    """A14: of the Secret that is named, and no other."""
    spec = pod_of(action_of(registry_secret="registry"), config(image_pull_secrets=["mirror"]))
    volume = next(each for each in spec["volumes"] if each["name"] == "porter-registry")
    mount = next(each for each in spec["containers"][0]["volumeMounts"] if each["name"] == "porter-registry")
    assert volume["secret"]["secretName"] == "registry"
    path = "{}/{}".format(mount["mountPath"], volume["secret"]["items"][0]["path"])
    assert path == "/home/nonroot/.docker/config.json"
    assert spec["imagePullSecrets"] == [{"name": "mirror"}]


def test_volumes_and_mounts_of_ones_own() -> None:
    volume, mount = {"name": "x", "emptyDir": {}}, {"name": "x", "mountPath": "/x"}
    spec = pod_of(action_of(volumes=[volume], volume_mounts=[mount]))
    assert spec["volumes"] == [plugins_volume(CLAIM), volume]
    assert spec["containers"][0]["volumeMounts"][1:] == [mount]


def test_what_bundles_need() -> None:
    view = config(
        spec={"volumeSize": "1Gi", "storageClassName": "fast", "installationServiceAccount": "installer"},
        env=[{"name": "SERVICE_ACCOUNT", "value": "mine"}],
    )
    spec = pod_of(action_of(bundles=True, agent={"env": [{"name": "LEVEL", "value": "1"}]}), view)
    shared = next(each for each in spec["volumes"] if each["name"] == "porter-shared")
    claim = shared["ephemeral"]["volumeClaimTemplate"]["spec"]
    assert claim == {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
        "storageClassName": "fast",
    }
    env = {each["name"]: each.get("value") for each in spec["containers"][0]["env"]}
    assert expanded(env["JOB_VOLUME_NAME"] or "", {"POD_NAME": "x-1-abc"}) == "x-1-abc-porter-shared"
    assert (env["KUBE_NAMESPACE"], env["SERVICE_ACCOUNT"], env["LEVEL"]) == ("porter", "installer", "1")
    assert env["AFFINITY_MATCH_LABELS"] == "batch.kubernetes.io/job-name=x-1"
    own = pod_of(action_of(bundles=True, installation_service_account="own"), view)["containers"][0]["env"]
    assert {"name": "SERVICE_ACCOUNT", "value": "own"} in own
    assert "env" not in pod_of(action_of())["containers"][0]


@pytest.mark.parametrize(
    ("field", "value", "key"),
    [
        ("service_account", "s", "serviceAccountName"),
        ("node_selector", {"a": "b"}, "nodeSelector"),
        ("tolerations", [{"key": "x"}], "tolerations"),
        ("affinity", {"a": {}}, "affinity"),
        ("pod_security_context", {"runAsUser": 1}, "securityContext"),
        ("pull_policy", "Always", "imagePullPolicy"),
        ("resources", {"limits": {"cpu": "1"}}, "resources"),
        ("env_from", [{"secretRef": {"name": "s"}}], "envFrom"),
        ("container_security_context", {"runAsUser": 1}, "securityContext"),
    ],
)
def test_settings_of_the_pod(field: str, value: Any, key: str) -> None:
    spec = pod_spec(AgentSettings("agent:1", **{field: value}), args=[], volumes=[], mounts=[])
    of_container = field in ("pull_policy", "resources", "env_from", "container_security_context")
    assert (spec["containers"][0] if of_container else spec)[key] == value


@pytest.mark.parametrize(("token", "expected"), [(None, None), (False, False), (True, True)])
def test_the_token_of_the_service_account(token: bool | None, expected: bool | None) -> None:
    spec = pod_spec(AgentSettings("agent:1"), args=[], volumes=[], mounts=[], token=token)
    assert spec.get("automountServiceAccountToken") is expected


# --- the record of a named action ---

RUNS = st.builds(
    ActionRun,
    st.integers(1, 9),
    TEXT,
    TEXT,
    st.sampled_from([record.PENDING, record.RUNNING, record.SUCCEEDED, record.FAILED, record.STOPPED]),
    TEXT.filter(bool),
    TEXT,
    TEXT,
    TEXT,
    TEXT,
    st.integers(0, 9),
    st.none() | st.integers(-9, 255),
    st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), min_size=1)).map(tuple),
    st.booleans(),
)


@given(RUNS)
def test_a_record_gives_back_what_was_noted(run: ActionRun) -> None:
    written = record.action_record(action_of(name="x"), config(), run, "now")
    assert record.read_run(written) == run
    assert all(isinstance(value, str) for value in written["data"].values())


@pytest.mark.parametrize(
    ("data", "run"),
    [
        (None, None),
        ({}, None),
        ({"job": ""}, None),
        ({"job": "x-1"}, ActionRun(0, "", "", "", "x-1")),
        ({"job": "x-1", "run": "--5", "pods": "²", "exitCode": "x"}, ActionRun(0, "", "", "", "x-1")),
        ({"job": "x-1", "log": None, "run": "3"}, ActionRun(3, "", "", "", "x-1")),
    ],
)
def test_what_people_write_into_a_record(data: Any, run: ActionRun | None) -> None:
    assert record.read_run({"data": data}) == run
    assert record.read_run(None) is None


def test_a_long_log_is_noted_by_its_end() -> None:
    run = ActionRun(1, "g", "", record.SUCCEEDED, "x-1", log=("a", "b" * record.MOST_LOG_CHARACTERS))
    read = record.read_run(record.action_record(action_of(name="x"), config(), run, "now"))
    assert read
    assert (read.log, read.is_cut) == (("b" * record.MOST_LOG_CHARACTERS,), True)


def test_the_next_run() -> None:
    action = action_of(name="x", retry="a")
    first = record.next_run(action, None)
    assert (first.number, first.job, first.phase, first.retry) == (1, "x-1", record.PENDING, "a")
    assert record.next_run(action, replace(first, number=9)).job == "x-10"


@pytest.mark.parametrize(
    ("retry", "noted", "other", "same"),
    [
        ("", "", False, True),
        ("", "a", False, True),
        ("a", "a", False, True),
        ("a", "b", False, False),
        ("", "", True, False),
    ],
)
def test_which_run_is_what_is_asked_for(retry: str, noted: str, other: bool, same: bool) -> None:
    action = action_of(name="x", retry=retry)
    run = ActionRun(1, "other" if other else action.generation, noted, record.SUCCEEDED, "x-1")
    assert run.is_of(action) is same


def test_the_patch_names_the_version_that_was_read_and_keeps_what_others_wrote() -> None:
    run = ActionRun(1, "g", "", record.RUNNING, "x-1")
    action = action_of(name="x", args=["list", "--token", "geheim"])
    patch = record.action_record_patch({"metadata": {"resourceVersion": "7"}}, action, config(), run, "now")
    assert patch["metadata"]["resourceVersion"] == "7"
    assert set(patch["metadata"]) == {"resourceVersion", "labels", "annotations", "ownerReferences"}
    assert json.loads(patch["data"]["args"]) == ["list", "--token", "********"]


# --- how it ended ---


def ended(
    phase: str = FAILED, log: tuple[str, ...] = (), action: AgentAction | None = None, **more: Any
) -> ActionOutcome:
    status = JobStatus(phase, **{"pod": "x-1-abc", "pods": 1, **more})
    return ActionOutcome(action or action_of(name="x"), config(), status, "x-1", log)


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        (ended(log=("a", "no such bundle", " ")), "no such bundle"),
        (ended(message="m", reason="r"), "m"),
        (ended(reason="r"), "r"),
        (ended(log=("downloading",), reason="DeadlineExceeded", message="was active longer"), "was active longer"),
        (ended(log=("downloading",), reason="DeadlineExceeded"), "it took longer than its timeout"),
    ],
)
def test_why_it_failed(outcome: ActionOutcome, why: str) -> None:
    assert outcome.why == why
    assert failure_of(outcome).message == f"porter/default: porter list failed (Job x-1): {why}"


def test_a_failure_is_a_result() -> None:
    """A15: with phase, reason, Job, pod and log."""
    error = failure_of(ended(log=("no",), reason="R", message="M", exit_code=2))
    result = error.as_result()
    assert result["msg"] == "porter/default: porter list failed (Job x-1, exit code 2): no"
    known = {key: result[key] for key in ("phase", "reason", "message", "job", "pod", "pods", "exit_code", "log")}
    assert list(known.values()) == ["failed", "R", "M", "x-1", "x-1-abc", 1, 2, ["no"]]


def test_a_failure_before_there_is_a_job() -> None:
    assert "(Job not made): why" in failure_of(ActionOutcome(action_of(), config()), "why").message


@pytest.mark.parametrize(
    ("args", "value"), [(["list", "-o", "json"], [1]), (["list"], None)], ids=["asked for", "not asked for"]
)
def test_json_is_parsed_where_it_was_asked_for(args: list[str], value: Any) -> None:
    assert ended(SUCCEEDED, ("porter version", "[1]"), action_of(args=args)).result["json"] == value


@pytest.mark.parametrize("phase", [SUCCEEDED, FAILED])
def test_an_end_is_reported_again_as_it_was(phase: str) -> None:
    outcome = ended(phase, ("a", "b"), reason="R", message="M", exit_code=0)
    run = run_as_ended(ActionRun(1, "g", "", record.RUNNING, "x-1"), replace(outcome, is_cut=True))
    assert run.phase in record.ENDED
    again = outcome_of_run(outcome.action, outcome.config, run)
    assert again.is_earlier
    changed = {key for key, value in again.result.items() if value != outcome.result[key]}
    assert changed == {"earlier", "message", "log_is_cut"}


def test_what_is_noted_of_a_failure_hides_secrets() -> None:
    action = action_of(name="x", args=["list", "--token", "geheim"])
    run = run_as_ended(ActionRun(1, "g", "", record.RUNNING, "x-1"), ended(action=action), "geheim is wrong")
    assert run.message == "******** is wrong"
    assert "geheim" not in failure_of(ended(action=action), "geheim is wrong").message
    assert ended(RUNNING).has_succeeded is False


def test_diff_mode_shows_objects_without_secrets() -> None:
    action = action_of(
        args=["list", "--token=ge$heim"],
        files={"config.yaml": {"password": "geheim2"}},
        agent={"env": [{"name": "X", "value": "geheim3"}]},
    )
    diff = action_diff(action, [job_of(action), files_secret(action, config(), JOB)])
    assert diff["before"] == {}
    assert sorted(diff["after"]) == ["Job x-1", "Secret x-1"]
    assert "heim" not in json.dumps(diff)
    (container,) = diff["after"]["Job x-1"]["spec"]["template"]["spec"]["containers"]
    assert container["args"] == ["list", "--token=********"]
