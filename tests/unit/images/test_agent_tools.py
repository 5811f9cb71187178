# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The commands that only the stand-in has: to see what arrives, and to have an end of one's choice."""

from __future__ import annotations

import json
import signal
import subprocess

import pytest

from tests.images.local import ANSWER_SECONDS, LocalAgent, error_of

ARGUMENTS = ["a b", 'say "hi"', "it's", "two\nlines\n", "grüße 🚢", "", "--flag=x", "-o", "$HOME `id` \\", "<&>", "--"]


def test_arguments_arrive_unchanged(agent: LocalAgent) -> None:
    done = agent.run("standin-echo", *ARGUMENTS)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["args"] == ARGUMENTS
    # The agent tells its command with spaces between, and breaks nothing.
    assert done.stderr.endswith(f"porter standin-echo {' '.join(ARGUMENTS)}\n")


def test_no_arguments_are_an_empty_list(agent: LocalAgent) -> None:
    assert json.loads(agent.run("standin-echo").stdout)["args"] == []


def test_only_variables_that_were_given_are_shown(agent: LocalAgent) -> None:
    given = {
        "PORTER_X": "a=b\nc",
        "ECHO_": "",
        "KUBE_NAMESPACE": "dev",
        "JOB_VOLUME_PATH": "/v",
        "IN_CLUSTER": "true",
        "SERVICE_ACCOUNT": "me",
    }
    done = agent.run("standin-echo", env={**given, "SECRET": "hidden", "MY_PORTER_X": "hidden"})
    env = json.loads(done.stdout)["env"]
    assert env == {**given, "PORTER_HOME": str(agent.home), "PORTER_CONFIG": str(agent.config)}


def test_copied_files_are_shown_as_they_arrived(agent: LocalAgent) -> None:
    files = {"config.yaml": "a: grüße\n", "empty.txt": "", "deep/er.json": '{"a": "<b>"}'}
    for name, text in files.items():
        (agent.config / name).parent.mkdir(exist_ok=True)
        (agent.config / name).write_text(text)
    (agent.config / "..data").mkdir()
    (agent.config / "..data" / "hidden").write_text("hidden")
    (agent.home / "other").write_text("was not copied")
    assert json.loads(agent.run("standin-echo").stdout)["files"] == files


def test_working_directory_is_shown(agent: LocalAgent) -> None:
    done = subprocess.run(
        [str(agent.home / "porter"), "standin-echo"], cwd=agent.config, capture_output=True, check=True, env={}
    )
    assert json.loads(done.stdout)["workdir"] == str(agent.config)


def test_log_ends_as_it_was_asked_to(agent: LocalAgent) -> None:
    done = agent.run("standin-log", "3", "--exit", "7", "--message", "it broke:\nhere")
    assert done.stdout == "line 1\nline 2\nline 3\n"
    assert done.stderr.endswith("\nit broke:\nhere\n")
    # The agent's own exit code is 1, whatever Porter's was.
    assert done.returncode == 1
    porter = subprocess.run([str(agent.home / "porter"), "standin-log", "0", "--exit=7"], check=False)
    assert porter.returncode == 7


def test_log_without_wishes_is_a_success(agent: LocalAgent) -> None:
    done = agent.run("standin-log", "2", "--seconds", "0.01")
    assert (done.returncode, done.stdout) == (0, "line 1\nline 2\n")
    assert done.stderr.endswith("porter standin-log 2 --seconds 0.01\n")


def test_log_is_spread_over_its_time(agent: LocalAgent) -> None:
    command = [str(agent.home / "porter"), "standin-log", "1000", "--seconds", "3600"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        # The first line comes at once, and the program is far from its end.
        assert process.stdout.readline() == "line 1\n"
        assert process.poll() is None
        process.kill()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("standin-log", "standin-log needs the number of lines, and got []"),
        ("standin-log many", 'LINES is "many", not a number of lines'),
        ("standin-log 1 --exit 256", '--exit is "256", not an exit code'),
        ("standin-log 1 --seconds -1", '--seconds is "-1", not a number of seconds'),
        ("standin-log 1 --seconds NaN", '--seconds is "NaN", not a number of seconds'),
        ("standin-sleep", "standin-sleep needs the number of seconds, and got []"),
        ("standin-sleep soon", 'the time to sleep is "soon", not a number of seconds'),
    ],
)
def test_wrong_wishes_are_refused(agent: LocalAgent, arguments: str, message: str) -> None:
    assert error_of(agent.run(*arguments.split())) == f"stand-in: {message}"


def test_sleep_ends_by_itself(agent: LocalAgent) -> None:
    assert agent.run("standin-sleep", "0").returncode == 0


def test_sleep_ends_with_the_signal(agent: LocalAgent) -> None:
    command = [str(agent.home / "porter"), "standin-sleep", "3600"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "stand-in: sleeping 3600 s\n"
        process.terminate()
        assert process.wait(timeout=ANSWER_SECONDS) == -signal.SIGTERM
