# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The names, hashes, labels and documents of plugin sets."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils._errors import PorterError
from ansible_collections.getporter.porter.plugins.module_utils._identity import (
    canonical_document,
    document_digest,
    label_text,
    plugin_claim_name,
    plugin_identity,
    plugins_document,
    plugins_hash,
    redact_url,
    redacted_document,
    redacted_plugins_document,
    salted_claim_name,
    sanitized_label,
    secret_urls,
    url_secrets,
)
from ansible_collections.getporter.porter.plugins.module_utils._plugin_set import Plugin, PluginSet, parse_plugins
from hypothesis import assume, given
from hypothesis import strategies as st

# Computed by the Porter Operator's own function.
GOLDEN = json.loads((Path(__file__).parents[2] / "data" / "golden_names.json").read_text(encoding="utf-8"))

LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
SECRET = "hunter2hunter2"

NAMES = st.one_of(
    st.sampled_from(["a", "b", "a_b", "a-b", "v1.0", "1.0"]), st.from_regex("[a-zA-Z0-9_.-]{1,40}", fullmatch=True)
)
VERSIONS = st.one_of(st.sampled_from(["", "b", "a_b", "v1.0", "1.0", "1.0_a"]), st.text(max_size=20))
URLS = st.one_of(
    st.just(""), st.sampled_from(["https://a", "http://a", "a", "https://a?x", "%zz"]), st.text(max_size=20)
)
PLUGINS = st.builds(Plugin, name=NAMES, version=VERSIONS, url=URLS, feed_url=URLS, mirror=URLS)
SETS = st.lists(PLUGINS, min_size=1, max_size=3, unique_by=lambda plugin: plugin.name).map(
    lambda p: PluginSet(tuple(p))
)


def of(plugins: Any) -> PluginSet:
    return parse_plugins(plugins)


@pytest.mark.parametrize("case", GOLDEN, ids=[case["claim"] for case in GOLDEN])
def test_golden_names(case: Any) -> None:
    plugin_set = of(case["plugins"])
    assert plugin_claim_name(plugin_set, case["namespace"]) == case["claim"]
    assert plugins_hash(plugin_set) == case["plugins_hash"]


def test_golden_names_are_all_there() -> None:
    assert len(GOLDEN) == 167


@pytest.mark.parametrize(
    ("plugins", "namespace", "claim"),
    [
        pytest.param(
            {"kubernetes": {"version": "v1.0.0", "feedURL": "https://test"}},
            "default",
            "porter-04ddd41f06d1720a7467dadc464d8077",
            id="X09-one",
        ),
        pytest.param(
            {
                "kubernetes": {"version": "v1.0.0", "feedURL": "https://test"},
                "azure": {"version": "v1.0.0", "url": "https://test"},
                "hashicorp": {"version": "v1.0.0", "mirror": "https://test"},
            },
            "default",
            "porter-a5bc533e0e249e10c7cf442be42d6ae2",
            id="X09-three",
        ),
    ],
)
def test_names_of_the_operators_own_tests(plugins: Any, namespace: str, claim: str) -> None:
    assert plugin_claim_name(of(plugins), namespace) == claim


def test_hash_of_the_operators_own_tests() -> None:
    assert plugins_hash(of({"kubernetes": {"version": "v1.0.0", "feedURL": "https://test"}})) == (
        "b1c683cd14c4e4a242c43ccd2f57a696"
    )


@pytest.mark.parametrize(
    ("plugins", "text"),
    [
        ({"b": {}, "a": {"version": "v1"}}, "a_v1_b"),
        ({"a": {"feedURL": "https://f/x", "url": "http://u?y", "mirror": "m:1", "version": "v1"}}, "a_f_x_u_y_m_1_v1"),
        ({"a": {"url": "HTTPS://Example.COM/https://x"}}, "a_Example.COM_x"),
        ({"a": {"url": "x?://y"}}, "a_x_y"),
        ({"a": {"url": "https://h/%zz", "version": "v1"}}, "a__v1"),
        ({"a": {"version": "any text: 1/2"}}, "a_any text: 1/2"),
        ({}, ""),
    ],
)
def test_label_text(plugins: Any, text: str) -> None:
    assert label_text(of(plugins)) == text


def test_kubernetes_and_latest_are_different_names() -> None:
    """A08: they install the same thing, but the operator's names differ."""
    assert plugin_claim_name(of({"a": {}}), "n") != plugin_claim_name(of({"a": {"version": "latest"}}), "n")


COLLISIONS = [
    pytest.param({"a": {"feedURL": "https://test"}}, {"a": {"url": "https://test"}}, id="feed-for-url"),
    pytest.param({"a": {"url": "https://test"}}, {"a": {"mirror": "https://test"}}, id="url-for-mirror"),
    pytest.param({"a": {"url": "https://h"}}, {"a": {"url": "http://h"}}, id="scheme"),
    pytest.param({"a": {"url": "https://h/x"}}, {"a": {"url": "https://h?x"}}, id="cleaned-alike"),
    pytest.param({"a": {"version": "b"}}, {"a": {}, "b": {}}, id="version-for-plugin"),
    pytest.param({"a": {"url": "https://h/%zz"}}, {"a": {"url": "https://[h"}}, id="unparsable"),
    pytest.param(
        {"azure": {"url": "https://t"}, "kubernetes": {"feedURL": "https://t"}},
        {"azure": {"feedURL": "https://t"}, "kubernetes": {"mirror": "https://t"}},
        id="X09-swapped",
    ),
]


@pytest.mark.parametrize(("first", "second"), COLLISIONS)
def test_a03_colliding_sets_are_told_apart(first: Any, second: Any) -> None:
    one, other = plugin_identity(of(first), "default"), plugin_identity(of(second), "default")
    assert one.claim == other.claim
    assert one.plugins_hash == other.plugins_hash
    assert one.document_digest != other.document_digest
    assert one.label != other.label
    salted = [plugin_identity(of(plugins), "default", salted=True).claim for plugins in (first, second)]
    assert len({one.claim, *salted}) == 3


def test_a03_namespaces_can_collide_with_plugins() -> None:
    assert plugin_claim_name(of({"a": {}}), "bc") == plugin_claim_name(of({"ab": {}}), "c")
    assert salted_claim_name(of({"a": {}}), "bc") != salted_claim_name(of({"ab": {}}), "c")


@given(SETS, SETS)
def test_different_sets_differ_where_it_matters(first: PluginSet, second: PluginSet) -> None:
    assume(first != second)
    assert canonical_document(first) != canonical_document(second)
    assert document_digest(first) != document_digest(second)
    assert sanitized_label(first) != sanitized_label(second)
    assert salted_claim_name(first, "n") != salted_claim_name(second, "n")


@given(SETS)
def test_label_is_a_label_value(plugin_set: PluginSet) -> None:
    assert LABEL.fullmatch(sanitized_label(plugin_set))


def small_sets() -> list[PluginSet]:
    """Every set of one or two plugins out of names and versions that are easily taken for each other."""
    names = ["0", "1", "a", "b", "c", "a-b", "a_b", "a.b", "1.0", "v1.0", "a_v1.0", "A", "-a", "a-"]
    versions = ["", "a", "b", "1.0", "v1.0", "v1.0_b", "v1.0_b_1.0", "1.0-", "latest", "1", "1."]
    plugins = [Plugin(name, version) for name in names for version in versions]
    pairs = ((x, y) for x, y in itertools.combinations(plugins, 2) if x.name != y.name)
    return [PluginSet((plugin,)) for plugin in plugins] + [PluginSet(pair) for pair in pairs]


def test_labels_of_all_small_sets_are_distinct() -> None:
    sets = small_sets()
    assert len(sets) > 5000
    assert len({sanitized_label(plugin_set) for plugin_set in sets}) == len(sets)


@pytest.mark.parametrize(
    ("plugins", "label"),
    [
        ({"kubernetes": {"version": "v1.0.1"}}, "kubernetes_v1.0.1"),
        ({"kubernetes": {"version": "v1.0.1"}, "azure": {"version": "v1.2.0"}}, "azure_v1.2.0_kubernetes_v1.0.1"),
        ({"kubernetes": {}}, "kubernetes"),
        ({"kubernetes": {}, "azure": {"version": "1.2.0-rc.1"}}, "azure_1.2.0-rc.1_kubernetes"),
        ({}, ""),
    ],
)
def test_plain_labels(plugins: Any, label: str) -> None:
    assert sanitized_label(of(plugins)) == label


@pytest.mark.parametrize(
    ("plugins", "start"),
    [
        pytest.param({"kubernetes": {"version": "latest"}}, "kubernetes_latest", id="could-be-a-plugin"),
        pytest.param({"a": {"version": "v1.0.0+build.5"}}, "a_v1.0.0_build.5", id="G03-build-metadata"),
        pytest.param({"a_b": {"version": "v1.0"}}, "a_b_v1.0", id="underscore"),
        pytest.param({"a": {"version": "v1.0", "url": "https://h"}}, "a_v1.0", id="url"),
        pytest.param({"--": {"version": "+"}}, "plugins", id="nothing-readable"),
        pytest.param({"a" * 60: {"version": "v1.0"}}, "a" * 52, id="long"),
        pytest.param({"a" * 51: {"version": "v1.0"}, "b" * 9: {}}, "a" * 51, id="cut-at-a-separator"),
        pytest.param({"a-0123456789": {}}, "a-0123456789", id="looks-hashed"),
    ],
)
def test_hashed_labels(plugins: Any, start: str) -> None:
    plugin_set = of(plugins)
    assert sanitized_label(plugin_set) == f"{start}-{document_digest(plugin_set)[:10]}"


def test_plain_label_is_never_anothers_hashed_label() -> None:
    hashed = sanitized_label(of({"a": {"url": "https://h"}}))
    assert sanitized_label(PluginSet((Plugin(hashed),))) != hashed


@pytest.mark.parametrize("length", [*range(40, 64), 64, 253])
def test_g01_labels_of_any_length(length: int) -> None:
    label = sanitized_label(PluginSet((Plugin("a" * (length - 4), "v1.0"), Plugin("b-", "v1.0"))))
    assert LABEL.fullmatch(label)


def test_labels_hold_no_part_of_a_url() -> None:
    url = f"https://user:{SECRET}@secrethost/{SECRET}?token={SECRET}"
    label = sanitized_label(of({"a": {"version": "v1.0.0", "url": url, "feedURL": url, "mirror": url}}))
    assert re.fullmatch("a_v1.0.0-[0-9a-f]{10}", label)


def test_a02_documents_have_the_keys_that_porter_reads() -> None:
    plugins = {
        "b": {"version": "v1", "url": "https://u", "feed_url": "https://f", "mirror": "https://m"},
        "a": {"version": ""},
    }
    assert plugins_document(of(plugins)) == {
        "schemaType": "Plugins",
        "schemaVersion": "1.0.0",
        "plugins": {
            "a": {},
            "b": {"feedURL": "https://f", "mirror": "https://m", "url": "https://u", "version": "v1"},
        },
    }


def test_canonical_document_is_fixed_to_the_byte() -> None:
    """Volumes keep its digest: any change here makes every volume look like a collision."""
    plugin_set = of({"ü": {"version": "v1"}, "a": {"mirror": "https://m/ü", "feedURL": "https://f"}})
    assert canonical_document(plugin_set) == (
        '{"plugins":{"a":{"feedURL":"https://f","mirror":"https://m/\\u00fc"},"\\u00fc":{"version":"v1"}},'
        '"schemaType":"Plugins","schemaVersion":"1.0.0"}'
    )
    assert document_digest(plugin_set) == "b245edfe38b836162d3103ee96f8e5f267c1e14cc128a19996619139041622bc"


@given(SETS)
def test_canonical_document_reads_back(plugin_set: PluginSet) -> None:
    document = json.loads(canonical_document(plugin_set))
    assert {name: len(settings) for name, settings in document["plugins"].items()} == {
        plugin.name: len(plugin.sources) + bool(plugin.version) for plugin in plugin_set
    }
    assert document == plugins_document(plugin_set)


def test_order_of_the_map_is_nothing() -> None:
    plugins = {"c": {"version": "1", "url": "https://u"}, "a": {}, "b": {"mirror": "https://m"}}
    turned = {name: dict(reversed(settings.items())) for name, settings in reversed(plugins.items())}
    assert plugin_identity(of(turned), "n") == plugin_identity(of(plugins), "n")


@pytest.mark.parametrize(
    ("url", "redacted"),
    [
        ("https://h/x", "https://h/x"),
        ("https://user:pass@h/x", "https://***@h/x"),
        ("https://user@h:80/x@y", "https://***@h:80/x@y"),
        ("https://u:p@ss@h", "https://***@h"),
        ("https://h/x?token=abc&b=&c", "https://h/x?token=***&b=&***"),
        ("https://h?a=b;c=d=e", "https://h?a=***;c=***"),
        ("https://h?abc", "https://h?***"),
        ("https://h?", "https://h?"),
        ("https://h/#access_token=abc", "https://h/#***"),
        ("https://h/x?a=b#c", "https://h/x?a=***#***"),
        ("//u:p@h/x", "//***@h/x"),
        ("user:pass@h/x", "***@h/x"),
        ("x/u:p@h//y", "***@h//y"),
        ("https://h/%zz?token=abc", "***"),
        ("https://user:pa/ss@h", "***"),
        ("", ""),
    ],
)
def test_redacted_urls(url: str, redacted: str) -> None:
    assert redact_url(url) == redacted


SECRET_URLS = [
    f"https://user:{SECRET}@h/x",
    f"https://{SECRET}@h/x",
    f"https://h/x?token={SECRET}",
    f"https://h/x?{SECRET}",
    f"https://h/x?a=b&c={SECRET}#d",
    f"https://h/x#{SECRET}",
    f"user:{SECRET}@h/x",
    f"https://user:{SECRET}@[h/x",
]


@pytest.mark.parametrize("url", SECRET_URLS)
@pytest.mark.parametrize("key", ["url", "feedURL", "mirror"])
def test_secrets_are_in_the_document_alone(url: str, key: str) -> None:
    plugin_set = of({"a": {"version": "v1", key: url}})
    identity = plugin_identity(plugin_set, "n")
    shown = [redacted_document(plugin_set), repr(redacted_plugins_document(plugin_set)), repr(identity)]
    assert SECRET not in "".join([*shown, *plugin_set.warnings, *plugin_set.problems])
    assert SECRET in canonical_document(plugin_set)


def test_redacted_document_keeps_the_rest() -> None:
    plugin_set = of({"a": {"version": "v1", "url": "https://u:p@h/x"}, "b": {}})
    assert json.loads(redacted_document(plugin_set))["plugins"] == {
        "a": {"url": "https://***@h/x", "version": "v1"},
        "b": {},
    }


@pytest.mark.parametrize("url", SECRET_URLS)
@pytest.mark.parametrize(
    "wrap",
    [
        lambda url: {"plugins": {"a": {"url": url}}},
        lambda url: [{"name": "a", "url": url}],
        lambda url: [{"plugins": f"a:\n  url: {url}\n"}],
        lambda url: f"a: {{url: '{url}', version: v1}}\nb:\n  version: v2\n",
        lambda url: json.dumps({"a": {"url": url, "version": "v1"}}),
    ],
    ids=["map", "list", "yaml-in-list", "yaml", "json"],
)
def test_secret_urls_are_found_in_anything(url: str, wrap: Any) -> None:
    assert url in secret_urls(wrap(url))


def test_secret_urls_are_nothing_else() -> None:
    value = {"a": {"url": "https://h/x", "version": "v1.0", "n": 1}, "b": None, "c": "d: e\nf: g # remark"}
    assert secret_urls(value) == set()


@pytest.mark.parametrize(
    ("url", "secrets"),
    [
        ("https://user:p%40ss@h/x", {"user:p%40ss", "user:p@ss", "p%40ss", "p@ss"}),
        ("https://h/x?format=xml&lone#c", {"format=xml", "lone"}),
        ("https://h/x?sig=0123456789abcdef;a=1", {"sig=0123456789abcdef", "0123456789abcdef", "a=1"}),
        ("https://h/x?a", set()),
        ("https://h/a@b", set()),
        ("https://h/x", set()),
    ],
)
def test_url_secrets(url: str, secrets: set[str]) -> None:
    assert set(url_secrets(url)) == secrets


def test_identity_bundles_every_name() -> None:
    plugin_set = of({"kubernetes": {"version": "v1.0.1"}})
    identity = plugin_identity(plugin_set, "porter")
    assert identity.claim == plugin_claim_name(plugin_set, "porter")
    assert identity.plugins_hash == plugins_hash(plugin_set)
    assert identity.label == "kubernetes_v1.0.1"
    assert identity.document_digest == document_digest(plugin_set)
    assert (identity.staging_claim, identity.job) == (
        identity.claim + "-staging",
        identity.claim + "-install",
    )
    assert not identity.salted


def test_g01_every_name_is_a_dns_label() -> None:
    identity = plugin_identity(of({"a" * 250: {}}), "n" * 63, salted=True)
    for name in (identity.claim, identity.staging_claim, identity.job):
        assert re.fullmatch("[a-z0-9-]{1,63}", name)


@pytest.mark.parametrize("salted", [False, True])
def test_a07_the_empty_set_has_no_names(salted: bool) -> None:
    identity = plugin_identity(PluginSet(), "n", salted=salted)
    names = {
        identity.claim,
        identity.plugins_hash,
        identity.label,
        identity.staging_claim,
        identity.job,
    }
    assert names == {""}
    assert canonical_document(PluginSet()) == '{"plugins":{},"schemaType":"Plugins","schemaVersion":"1.0.0"}'


KUBERNETES_CLAIM = plugin_claim_name(of({"kubernetes": {}}), "default")


def test_e14_fips_allows_md5_where_it_protects_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    real = hashlib.md5

    def fips_md5(data: bytes = b"", *, usedforsecurity: bool = True) -> Any:
        if usedforsecurity:
            raise ValueError("disabled for FIPS")
        return real(data, usedforsecurity=False)

    monkeypatch.setattr(hashlib, "md5", fips_md5)
    assert plugin_claim_name(of({"kubernetes": {}}), "default") == KUBERNETES_CLAIM


def test_e14_python_without_usedforsecurity(monkeypatch: pytest.MonkeyPatch) -> None:
    real = hashlib.md5
    monkeypatch.setattr(hashlib, "md5", lambda data: real(data, usedforsecurity=False))
    assert plugin_claim_name(of({"kubernetes": {}}), "default") == KUBERNETES_CLAIM


def test_e14_no_md5_at_all_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_md5(*_arguments: Any, **_options: Any) -> Any:
        raise ValueError("unsupported")

    monkeypatch.setattr(hashlib, "md5", no_md5)
    with pytest.raises(PorterError, match="does not allow MD5"):
        plugins_hash(of({"kubernetes": {}}))


def tagged(value: Any) -> Any:
    """Tag everything in a value as ansible-core 2.19 and later do."""
    template = pytest.importorskip("ansible.template")
    datatag = pytest.importorskip("ansible._internal._datatag._tags")
    origin = datatag.Origin(description="a test")
    if isinstance(value, dict):
        return origin.tag({tagged(key): tagged(item) for key, item in value.items()})
    return origin.tag(template.trust_as_template(value))


def test_e15_tagged_values_give_the_same_bytes() -> None:
    plugins = {"a": {"version": "v1.0", "feed_url": "https://u:p@f?x=y"}, "b": {"mirror": "https://m"}}
    document = {"schemaType": "Plugins", "schemaVersion": "1.0.0", "plugins": plugins}
    expected = of(plugins)
    for value in (tagged(plugins), tagged(document), tagged(json.dumps(document))):
        parsed = of(value)
        assert canonical_document(parsed) == canonical_document(expected)
        assert plugin_identity(parsed, tagged("n")) == plugin_identity(expected, "n")
        for plugin in parsed:
            assert {type(text) for text in (plugin.name, plugin.version, plugin.feed_url, plugin.mirror)} == {str}
