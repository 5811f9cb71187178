# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The agent: that it reads, installs, prints and fails as Porter's does."""

from __future__ import annotations

import json
import stat
import tempfile
import time
from pathlib import Path

import pytest

from tests.images.local import (
    LocalAgent,
    LocalFeed,
    error_of,
    needs_other_user,
    plugins_document,
)
from tools.image_archive import go_architecture

ARCH = go_architecture()


# The entrypoint


def test_configuration_is_copied_as_a_cluster_mounts_it(agent: LocalAgent) -> None:
    hidden = agent.config / "..2024_01_01"
    hidden.mkdir()
    (hidden / "config.json").write_text("{}")
    (agent.config / "..data").symlink_to(hidden.name)
    (agent.config / "config.json").symlink_to("..data/config.json")
    (agent.config / ".secret").write_text("hidden")
    nested = agent.config / "templates"
    nested.mkdir()
    (nested / "a.txt").write_text("nested")

    done = agent.run("version")

    assert done.returncode == 0
    copied = agent.home / "config.json"
    assert copied.read_text() == "{}" and not copied.is_symlink()
    assert (agent.home / "templates" / "a.txt").read_text() == "nested"
    names = {path.name for path in agent.home.iterdir()}
    assert names == {"agent", "porter", "config.json", "templates"}
    assert f"Loading configuration config.json into {copied}\n" in done.stderr


def test_version_and_command_come_before_the_output(agent: LocalAgent) -> None:
    done = agent.run("version", "-o", "json")
    assert done.stderr.splitlines() == [
        "porter version",
        "porter v1.6.1 (stand-in)",
        "porter version -o json",
    ]
    assert json.loads(done.stdout)["version"] == "v1.6.1"


def test_home_that_cannot_be_written_is_an_ordinary_failure() -> None:
    # Not below pytest's directory, which no other user may enter.
    with tempfile.TemporaryDirectory() as name:
        agent = LocalAgent(Path(name))
        agent.directory.chmod(0o755)  # The other user has to get in.
        agent.prepare(copy=True)
        (agent.config / "plugins.json").write_text("{}")
        agent.home.chmod(0o555)
        done = agent.run("version", user=needs_other_user())
        agent.home.chmod(0o755)
    assert done.returncode == 1
    target = agent.home / "plugins.json"
    assert done.stderr.splitlines()[-1] == f"open {target}: permission denied"
    assert "porter version" not in done.stderr


def test_missing_configuration_is_a_failure(agent: LocalAgent) -> None:
    agent.config.rmdir()
    done = agent.run("version")
    assert done.returncode == 1
    assert done.stderr == f"lstat {agent.config}: no such file or directory\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sh", "-c", "ls"], 'unknown command "sh" for "porter"'),
        (["plugins", "frob"], 'unknown command "frob" for "porter plugins"'),
        (["plugins", "install"], "no name was specified"),
        (["plugins", "install", "--nope"], "unknown flag: --nope"),
        (["plugins", "install", "-x"], "unknown shorthand flag: 'x' in -x"),
        (["plugins", "install", "--url"], "flag needs an argument: --url"),
        (
            ["plugins", "install", "a", "b"],
            "only one positional argument may be specified, the name, but multiple were received: [a b]",
        ),
        (["plugins", "list", "-o", "xml"], "invalid format: xml"),
    ],
)
def test_wrong_command_lines_fail(agent: LocalAgent, arguments: list[str], message: str) -> None:
    assert error_of(agent.run(*arguments)) == message


# What a plugins file means


def test_json_file_may_use_all_four_keys(agent: LocalAgent, feed: LocalFeed) -> None:
    done = agent.install(
        plugins_document(
            kubernetes={
                "version": "v1.0.0",
                "feedURL": f"{feed.url}/slow/0/plugins/atom.xml",
            },
            azure={"mirror": f"{feed.url}/newest/v5.0.0", "version": "v1.0.1"},
            hashicorp={"url": f"{feed.url}/hashicorp", "version": "v1.0.0"},
        )
    )
    assert done.returncode == 0, done.stderr
    assert agent.versions() == {
        "azure": "v1.0.1",
        "hashicorp": "v1.0.0",
        "kubernetes": "v1.0.0",
    }


def test_json_keys_may_have_any_case(agent: LocalAgent, feed: LocalFeed) -> None:
    document = {
        "SCHEMATYPE": "plugins",
        "schemaversion": "1.0.0",
        "Plugins": {
            "azure": {
                "FEEDURL": f"{feed.url}/plugins/atom.xml",
                "Version": "v1.0.1",
            }
        },
    }
    assert agent.install(document).returncode == 0
    assert agent.versions() == {"azure": "v1.0.1"}


YAML = """\
schemaType: Plugins
schemaVersion: 1.0.0
plugins:
  azure:
    version: v1.0.1
    {key}: {value}
"""


@pytest.mark.parametrize(
    ("key", "value", "is_read"),
    [
        ("url", "URL/broken/azure", True),
        ("feedurl", "URL/broken/plugins/atom.xml", True),
        ("feedURL", "URL/broken/plugins/atom.xml", False),
        ("FeedURL", "URL/broken/plugins/atom.xml", False),
        ("mirror", "URL/broken", False),
        ("packagedownloadoptions", "{mirror: URL/broken}", True),
    ],
)
@pytest.mark.parametrize("name", ["plugins.yaml", "plugins.yml"])
def test_yaml_file_is_read_in_lower_case_only(
    agent: LocalAgent, feed: LocalFeed, key: str, value: str, is_read: bool, name: str
) -> None:
    # What is read leads to a place without downloads; what is not read
    # leaves the good mirror of the command line in force.
    document = YAML.format(key=key, value=value.replace("URL", feed.url))
    done = agent.install(document, "--mirror", feed.url, name=name)
    if is_read:
        assert error_of(done).startswith("bad status returned when downloading")
    else:
        assert done.returncode == 0, done.stderr
        assert agent.versions() == {"azure": "v1.0.1"}


@pytest.mark.parametrize("value", ["", "{}", "null"])
def test_plugin_without_settings_is_the_latest(agent: LocalAgent, feed: LocalFeed, value: str) -> None:
    document = f"schemaVersion: 1.0.0\nplugins:\n  azure: {value}\n"
    done = agent.install(document, "--mirror", feed.url, name="plugins.yaml")
    assert done.returncode == 0, done.stderr
    assert agent.versions() == {"azure": "v1.2.0"}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (
            {"schemaType": "Plugins", "schemaVersion": "1.0"},
            "invalid schemaVersion provided: 1.0. This version of Porter is compatible with 1.0.0.",
        ),
        (
            {"schemaType": "Plugins"},
            "invalid schemaVersion provided: (none). This version of Porter is compatible with 1.0.0.",
        ),
        (
            {"schemaType": "Plugin", "schemaVersion": "1.0.0"},
            "invalid schemaType Plugin, expected Plugins",
        ),
    ],
)
def test_other_schemas_are_refused(agent: LocalAgent, document: dict[str, object], message: str) -> None:
    assert error_of(agent.install(document)) == message


def test_file_without_plugins_installs_nothing(agent: LocalAgent) -> None:
    done = agent.install(plugins_document())
    assert (done.returncode, done.stdout) == (0, "")
    assert not agent.plugins.exists()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("plugins.txt", "{}", "unsupported format txt."),
        ("plugins.json", "{", "unexpected end of JSON input"),
        ("plugins.yaml", "plugins: [azure]", "cannot unmarshal !!seq"),
    ],
)
def test_unreadable_files_are_refused(agent: LocalAgent, name: str, text: str, message: str) -> None:
    done = agent.install(text, name=name)
    assert done.returncode == 1
    file = agent.home / name
    assert f"unable to parse {file} as an installation document: " in done.stderr
    assert message in done.stderr


def test_missing_file_is_told(agent: LocalAgent) -> None:
    done = agent.run("plugins", "install", "--file", "/no/plugins.json")
    assert error_of(done) == (
        "unable to access --file /no/plugins.json: stat /no/plugins.json: no such file or directory"
    )


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["azure"], "plugin name should not be specified when --file is provided"),
        (
            ["--url=http://x"],
            "plugin URL should not be specified when --file is provided",
        ),
        (
            ["--version=v1"],
            "plugin version v1 should not be specified when --file is provided",
        ),
    ],
)
def test_file_and_single_plugin_exclude_each_other(agent: LocalAgent, flags: list[str], message: str) -> None:
    assert error_of(agent.install(plugins_document(), *flags)) == message


# Where plugins come from


def test_feed_wins_over_url(agent: LocalAgent, feed: LocalFeed) -> None:
    source = {
        "feedURL": f"{feed.url}/plugins/atom.xml",
        "url": f"{feed.url}/broken/azure",
        "mirror": f"{feed.url}/broken",
    }
    assert agent.install(plugins_document(azure=source)).returncode == 0


def test_url_wins_over_mirror(agent: LocalAgent, feed: LocalFeed) -> None:
    source = {"url": f"{feed.url}/azure", "mirror": f"{feed.url}/broken"}
    assert agent.install(plugins_document(azure=source)).returncode == 0


def test_no_source_means_the_public_feed(agent: LocalAgent) -> None:
    # A proxy that is not there, so that this fails with and without internet.
    env = {"HTTPS_PROXY": "http://127.0.0.1:1"}
    error = error_of(agent.install(plugins_document(azure={}), env=env))
    assert error.startswith("error downloading https://cdn.porter.sh/plugins/atom.xml: ")
    assert error.endswith("connect: connection refused")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--mirror", "URL"],
        ["--mirror", "URL/"],
        ["--feed-url=URL/plugins/atom.xml"],
        ["--url", "URL/azure"],
    ],
)
def test_one_plugin_can_be_named(agent: LocalAgent, feed: LocalFeed, arguments: list[str]) -> None:
    flags = [argument.replace("URL", feed.url) for argument in arguments]
    done = agent.run("plugin", "install", *flags, "Azure", "-v", "v1.0.1")
    assert done.returncode == 0, done.stderr
    assert agent.versions() == {"azure": "v1.0.1"}


@pytest.mark.parametrize("flags", [["--mirror", "URL"], ["--feed-url", "URL/plugins/atom.xml"]])
def test_flags_fill_in_what_the_file_leaves_open(agent: LocalAgent, feed: LocalFeed, flags: list[str]) -> None:
    document = plugins_document(azure={}, kubernetes={"feedURL": f"{feed.url}/newest/v1.0.0/plugins/atom.xml"})
    done = agent.install(document, *[flag.replace("URL", feed.url) for flag in flags])
    assert done.returncode == 0, done.stderr
    assert agent.versions() == {"azure": "v1.2.0", "kubernetes": "v1.0.0"}


def test_mirror_can_come_from_the_environment(agent: LocalAgent, feed: LocalFeed) -> None:
    done = agent.install(plugins_document(azure={}), env={"PORTER_MIRROR": feed.url})
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("version", ["", "latest"])
@pytest.mark.parametrize("source", ["feedURL", "url"])
def test_latest_is_the_highest_that_is_no_candidate(
    agent: LocalAgent, feed: LocalFeed, version: str, source: str
) -> None:
    path = {"feedURL": "/plugins/atom.xml", "url": "/azure"}[source]
    document = plugins_document(azure={source: feed.url + path, "version": version})
    assert agent.install(document).returncode == 0
    assert agent.versions() == {"azure": "v1.2.0"}


def test_candidate_can_be_asked_for(agent: LocalAgent, feed: LocalFeed) -> None:
    document = plugins_document(azure={"mirror": feed.url, "version": "v1.3.0-rc.1"})
    assert agent.install(document).returncode == 0
    assert agent.versions() == {"azure": "v1.3.0-rc.1"}


def test_latest_follows_the_feed(agent: LocalAgent, feed: LocalFeed, token: str) -> None:
    document = plugins_document(azure={"mirror": f"{feed.url}/channel/{token}"})
    agent.install(document)
    before = agent.versions()
    feed.ask(f"/control/latest/azure/v1.9.0?channel={token}", method="POST")
    agent.install(document)
    assert (before, agent.versions()) == ({"azure": "v1.2.0"}, {"azure": "v1.9.0"})


def test_credentials_in_the_address_are_sent(agent: LocalAgent, feed: LocalFeed) -> None:
    mirror = feed.url.replace("//", "//user:pass@") + "/secret/user/70617373"
    done = agent.install(plugins_document(azure={"mirror": mirror}))
    assert done.returncode == 0, done.stderr


# What an install leaves


def test_plugins_are_installed_in_alphabetical_order(agent: LocalAgent, feed: LocalFeed) -> None:
    plugin = {"mirror": feed.url}
    done = agent.install(plugins_document(kubernetes=plugin, azure=plugin, hashicorp=plugin))
    assert done.stdout.splitlines() == [
        "installed azure plugin v1.2.0 (1b94848)",
        "installed hashicorp plugin v1.0.0 (a798780)",
        "installed kubernetes plugin v1.0.1 (187b737)",
    ]


def test_files_of_a_plugin(agent: LocalAgent, feed: LocalFeed, token: str) -> None:
    source = f"{feed.url}/channel/{token}"
    agent.install(plugins_document(azure={"mirror": source}, hashicorp={"url": f"{source}/hashicorp"}))
    client = agent.plugins / "azure" / "azure"
    runtime = agent.plugins / "azure" / "runtimes" / "azure-runtime"
    for program in (client, runtime):
        assert stat.S_IMODE(program.stat().st_mode) == 0o770
    assert client.read_bytes() == runtime.read_bytes()
    # Each program is downloaded by itself.
    counts = feed.requests()
    paths = [f"/channel/{token}/azure/v1.2.0/azure-linux-{a}" for a in sorted({ARCH, "amd64"})]
    assert sum(counts[path] for path in paths) == 2
    assert json.loads((agent.plugins / "cache.json").read_text()) == {
        "packages": [
            {"name": "azure", "URL": f"{source}/plugins/atom.xml"},
            {"name": "hashicorp", "url": f"{source}/hashicorp"},
        ]
    }


def test_a_second_install_downloads_again(agent: LocalAgent, feed: LocalFeed, token: str) -> None:
    path = f"/channel/{token}/plugins/atom.xml"
    document = plugins_document(azure={"mirror": f"{feed.url}/channel/{token}"})
    first, second = agent.install(document), agent.install(document)
    assert first.stdout == second.stdout != ""
    assert feed.requests()[path] == 2
    cache = json.loads((agent.plugins / "cache.json").read_text())
    assert [package["name"] for package in cache["packages"]] == ["azure"]


def test_list_shows_what_the_plugins_say(agent: LocalAgent, feed: LocalFeed) -> None:
    plugin = {"mirror": feed.url}
    agent.install(plugins_document(kubernetes=plugin, azure=plugin))
    listed = agent.run("plugins", "list", "--output", "json")
    assert json.loads(listed.stdout)[1] == {
        "name": "kubernetes",
        "version": "v1.0.1",
        "commit": "187b737",
        "author": "Porter stand-in",
        "implementations": [{"type": "secrets", "implementation": "secrets"}],
    }
    table = [line.split() for line in agent.run("plugins", "list").stdout.splitlines()]
    assert table[0] == ["Name", "Version", "Author"]
    assert [row[:2] for row in table[1:]] == [
        ["azure", "v1.2.0"],
        ["kubernetes", "v1.0.1"],
    ]


def test_list_without_plugins(agent: LocalAgent) -> None:
    agent.plugins.mkdir()
    assert json.loads(agent.run("plugins", "list", "-o", "json").stdout) == []


def test_list_keeps_a_place_for_what_does_not_answer(agent: LocalAgent) -> None:
    # Such as the lost+found directory of a fresh volume.
    (agent.plugins / "lost+found").mkdir(parents=True)
    done = agent.run("plugins", "list", "-o", "json")
    assert done.returncode == 0
    assert [each["name"] for each in json.loads(done.stdout)] == [""]
    assert "could not get version from plugin lost+found: " in done.stderr


def test_a_plugin_can_be_made_silent(agent: LocalAgent, feed: LocalFeed) -> None:
    agent.install(plugins_document(kubernetes={"mirror": feed.url}), env={"STANDIN_SILENT": "kubernetes"})
    listed = agent.run("plugins", "list", "-o", "json", env={"STANDIN_SILENT": "kubernetes"})
    assert [each["name"] for each in json.loads(listed.stdout)] == [""]


# How an install fails


def test_missing_version_is_named(agent: LocalAgent, feed: LocalFeed, token: str) -> None:
    mirror = f"{feed.url}/channel/{token}"
    done = agent.install(
        plugins_document(
            azure={"mirror": mirror},
            hashicorp={"mirror": mirror, "version": "v9.9.9"},
            kubernetes={"mirror": mirror},
        )
    )
    assert error_of(done) == (f"the feed at {mirror}/plugins/atom.xml does not contain an entry for hashicorp @ v9.9.9")
    # What came before stays; what comes after is not even looked for.
    assert done.stdout == "installed azure plugin v1.2.0 (1b94848)\n"
    assert agent.versions() == {"azure": "v1.2.0"}
    assert feed.requests()[f"/channel/{token}/plugins/atom.xml"] == 2


def test_unknown_plugin_is_named(agent: LocalAgent, feed: LocalFeed) -> None:
    done = agent.install(plugins_document(unknown={"mirror": feed.url}))
    assert error_of(done) == (f"the feed at {feed.url}/plugins/atom.xml does not contain an entry for unknown @ latest")


@pytest.mark.parametrize(
    ("source", "address", "status"),
    [
        (
            {"mirror": "URL/broken"},
            f"URL/broken/azure/v1.2.0/azure-linux-{ARCH}",
            "(404) 404 Not Found",
        ),
        (
            {"url": "URL/azure", "version": "v9.9.9"},
            f"URL/azure/v9.9.9/azure-linux-{ARCH}",
            "(404) 404 Not Found",
        ),
        (
            {"mirror": "URL/always500"},
            "URL/always500/plugins/atom.xml",
            "(500) 500 Internal Server Error",
        ),
        (
            {"mirror": "URL/secret/a/62"},
            "URL/secret/a/62/plugins/atom.xml",
            "(401) 401 Unauthorized",
        ),
    ],
)
def test_error_status_is_told_with_its_address(
    agent: LocalAgent,
    feed: LocalFeed,
    source: dict[str, str],
    address: str,
    status: str,
) -> None:
    local = {key: value.replace("URL", feed.url) for key, value in source.items()}
    done = agent.install(plugins_document(azure=local))
    where = address.replace("URL", feed.url)
    assert error_of(done) == f"bad status returned when downloading {where} {status}"
    assert not agent.plugins.exists()


def test_error_status_is_not_tried_again(agent: LocalAgent, feed: LocalFeed, token: str) -> None:
    document = plugins_document(azure={"mirror": f"{feed.url}/flaky/{token}"})
    assert "(500)" in error_of(agent.install(document))
    assert feed.requests()[f"/flaky/{token}/plugins/atom.xml"] == 1
    assert agent.install(document).returncode == 0


def test_what_is_no_feed_is_refused(agent: LocalAgent, feed: LocalFeed) -> None:
    document = plugins_document(azure={"feedURL": f"{feed.url}/healthz"})
    error = error_of(agent.install(document))
    assert error.startswith("error parsing the mixin feed as an atom xml file: ")


# What only the stand-in can do


def test_exit_code_can_be_chosen(agent: LocalAgent) -> None:
    (agent.config / "plugins.json").write_text("{}")
    done = agent.run("version", env={"STANDIN_EXIT": "7"})
    assert (done.returncode, done.stdout) == (7, "")
    assert done.stderr == "stand-in: exit 7, as STANDIN_EXIT asks\n"
    assert not (agent.home / "plugins.json").exists()


def test_install_can_be_made_slow(agent: LocalAgent, feed: LocalFeed) -> None:
    document = plugins_document(azure={"mirror": feed.url})
    started = time.monotonic()
    done = agent.install(document, env={"STANDIN_SLEEP": "0.5"})
    assert time.monotonic() - started >= 0.5
    assert done.returncode == 0
    assert "stand-in: sleeping 0.5 s" in done.stderr


@pytest.mark.parametrize("variable", ["STANDIN_EXIT", "STANDIN_SLEEP"])
def test_wrong_wishes_are_refused(agent: LocalAgent, variable: str) -> None:
    done = agent.install(plugins_document(), env={variable: "soon"})
    assert done.returncode == 1
    assert f'stand-in: {variable} is "soon", not a' in done.stderr
