# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The identity of a plugin set: names, hashes, labels and documents.

This file is private to the collection: not a public interface.

The claim name and the plugins hash are those of the Porter Operator, byte for
byte (``tests/unit/data/golden_names.json`` was computed by its own function).
Its rule joins values without escaping, so different plugin sets can have one
name; the digest of the whole document tells them apart, and the salted claim
name is there for whoever needs both in one namespace.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Mapping
from urllib.parse import unquote

from ansible_collections.getporter.porter.plugins.module_utils._errors import PorterError
from ansible_collections.getporter.porter.plugins.module_utils._go_url import parse_and_format, scheme_of
from ansible_collections.getporter.porter.plugins.module_utils._input import dns_label, text, truth
from ansible_collections.getporter.porter.plugins.module_utils._plugin_set import (
    SCHEMA_TYPE,
    SCHEMA_VERSION,
    Plugin,
    PluginSet,
    parse_plugins,
)

HIDDEN = "***"

_UNSAFE = re.compile("[^a-zA-Z0-9._-]+")
# A version has a dot and a name has none, so the plain label can be read back in one way only.
_PLAIN_NAME = re.compile("[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
_PLAIN_VERSION = re.compile(r"v?[0-9]+\.[A-Za-z0-9.-]*[A-Za-z0-9]")
_HASHED_LABEL = re.compile("-[0-9a-f]{10}$")
_LABEL_LIMIT = 63
# Shorter than any access token, longer than the words that are not secret.
_TOKEN_LENGTH = 16


@dataclass(frozen=True)
class PluginIdentity:
    """Every name that follows from a plugin set in a namespace; all names empty for the empty set."""

    claim: str
    plugins_hash: str
    label: str
    document_digest: str
    salted: bool = False

    @property
    def staging_claim(self) -> str:
        """The temporary claim that the install Job writes through."""
        return self._derived("staging")

    @property
    def job(self) -> str:
        """The install Job."""
        return self._derived("install")

    def _derived(self, suffix: str) -> str:
        return f"{self.claim}-{suffix}" if self.claim else ""


def claim_name(plugins: Any, namespace: Any, salted: Any) -> str:
    """The name of a plugin set's claim, out of what a template gives; empty for the empty set."""
    checked = dns_label(text(namespace, "namespace") or "default", "namespace")
    return plugin_identity(parse_plugins(plugins), checked, salted=truth(salted, "salted")).claim


def plugin_identity(plugin_set: PluginSet, namespace: str, salted: bool = False) -> PluginIdentity:
    """Return all names of a plugin set in a namespace; salted: with the claim name no other set has."""
    name_claim: Callable[[PluginSet, str], str] = salted_claim_name if salted else plugin_claim_name
    return PluginIdentity(
        claim=name_claim(plugin_set, namespace),
        plugins_hash=plugins_hash(plugin_set),
        label=sanitized_label(plugin_set),
        document_digest=document_digest(plugin_set),
        salted=salted,
    )


def label_text(plugin_set: PluginSet) -> str:
    """Return the text that the operator hashes: names, cleaned URLs and versions joined by '_'."""
    return "_".join(_label_part(plugin) for plugin in plugin_set)


def plugins_hash(plugin_set: PluginSet) -> str:
    """Return the value of the label getporter.org/plugins-hash; empty for the empty set."""
    return _md5(label_text(plugin_set)) if plugin_set else ""


def plugin_claim_name(plugin_set: PluginSet, namespace: str) -> str:
    """Return the operator's name of the plugin claim; empty for the empty set, which has no claim."""
    return "porter-" + _md5(label_text(plugin_set) + namespace) if plugin_set else ""


def salted_claim_name(plugin_set: PluginSet, namespace: str) -> str:
    """Return the claim name for a set whose usual name is taken by a different set."""
    if not plugin_set:
        return ""
    return "porter-" + _md5(label_text(plugin_set) + namespace + document_digest(plugin_set))


def sanitized_label(plugin_set: PluginSet) -> str:
    """Return a label value that people can read and that no other plugin set has.

    Names and versions joined by '_', as long as that can be read back in one way
    only; or else as much of it as there is room for, and ten digits of the
    document's hash. Never a URL: it may hold a password. Empty for the empty set.
    """
    if not plugin_set:
        return ""
    readable = "_".join(_readable(plugin) for plugin in plugin_set)
    if _is_unambiguous(plugin_set, readable):
        return readable
    suffix = "-" + document_digest(plugin_set)[:10]
    start = _UNSAFE.sub("_", readable)[: _LABEL_LIMIT - len(suffix)].strip("._-")
    return (start or "plugins") + suffix


def plugins_document(plugin_set: PluginSet) -> dict[str, Any]:
    """Return the document that Porter installs from, with the keys its documentation has.

    Written as JSON, Porter reads all of them; from YAML it drops feedURL and mirror.
    """
    return _document(plugin_set, hide=False)


def canonical_document(plugin_set: PluginSet) -> str:
    """Return the document as JSON text with nothing left to chance: equal sets, equal bytes."""
    return _json(plugins_document(plugin_set))


def redacted_document(plugin_set: PluginSet) -> str:
    """Return the canonical document without user names, passwords, queries and fragments in URLs."""
    return _json(_document(plugin_set, hide=True))


def redacted_plugins_document(plugin_set: PluginSet) -> dict[str, Any]:
    """Return the redacted document as a map, for results."""
    return _document(plugin_set, hide=True)


def document_digest(plugin_set: PluginSet) -> str:
    """Return the SHA-256 of the canonical document: the whole plugin set in 64 digits."""
    return hashlib.sha256(canonical_document(plugin_set).encode("utf-8")).hexdigest()


def redact_url(url: str) -> str:
    """Return a URL with everything hidden that may be a secret, or nothing of one that cannot be read."""
    if parse_and_format(url) is None:
        return HIDDEN
    before_fragment, hash_mark, fragment = url.partition("#")
    before_query, mark, query = before_fragment.partition("?")
    pairs = [_redact_pair(pair) for pair in re.split("([&;])", query)]
    return _redact_userinfo(before_query) + mark + "".join(pairs) + hash_mark + (HIDDEN if fragment else "")


def secret_urls(value: Any) -> set[str]:
    """Return every URL with something to hide, out of anything that a user wrote.

    Ansible shows a module's arguments in its result. What is returned here is
    for ``AnsibleModule.no_log_values``: whole URLs, since a password alone may be
    so short that hiding it would garble the result.
    """
    words = _words(value) if isinstance(value, str) else _leaves(value)
    return {word for word in words if re.search("[@?#]", word) and redact_url(word) != word}


def url_secrets(url: str) -> list[str]:
    """Return the texts of a URL that no output may show, as Porter prints them and decoded.

    User information, and the pairs of the query; by itself a query's value only when it is long, because
    hiding a common word everywhere would black out unrelated text. So with texts of one or two characters.
    """
    address, _mark, query = url.partition("#")[0].partition("?")
    authority = (address.partition("//")[2] or address).partition("/")[0]
    userinfo = authority.rpartition("@")[0]
    pairs = re.split("[&;]", query)
    tokens = [value for value in (pair.rpartition("=")[2] for pair in pairs) if len(value) >= _TOKEN_LENGTH]
    written = [userinfo, userinfo.partition(":")[2], *pairs, *tokens]
    return [secret for text in written for secret in (text, unquote(text)) if len(secret) > 2]


def _leaves(value: Any) -> Iterator[str]:
    """Give every text in a structure, in words where it is a document by itself."""
    if isinstance(value, str):
        yield from _words(value) if re.search(r"\n|^\s*[{\[]", value) else [value]
    elif isinstance(value, (Mapping, list, tuple)):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _leaves(item)


def _words(document: str) -> list[str]:
    """Split YAML or JSON text into what may be a URL."""
    return re.split("[\\s\"'{},]+", document)


def _label_part(plugin: Plugin) -> str:
    parts = [plugin.name]
    parts.extend(_clean(url) for url in (plugin.feed_url, plugin.url, plugin.mirror) if url)
    if plugin.version:
        parts.append(plugin.version)
    return "_".join(parts)


def _clean(url: str) -> str:
    """Clean a URL as the operator does; one that does not parse becomes empty."""
    formatted = parse_and_format(url) or ""
    # Everywhere, not only at the beginning, and only "://" where there is no scheme.
    return _UNSAFE.sub("_", formatted.replace(scheme_of(url) + "://", ""))


def _readable(plugin: Plugin) -> str:
    return f"{plugin.name}_{plugin.version}" if plugin.version else plugin.name


def _is_unambiguous(plugin_set: PluginSet, readable: str) -> bool:
    return (
        len(readable) <= _LABEL_LIMIT
        and not _HASHED_LABEL.search(readable)
        and all(
            _PLAIN_NAME.fullmatch(plugin.name)
            and (not plugin.version or _PLAIN_VERSION.fullmatch(plugin.version))
            and not plugin.sources
            for plugin in plugin_set
        )
    )


def _document(plugin_set: PluginSet, hide: bool) -> dict[str, Any]:
    return {
        "schemaType": SCHEMA_TYPE,
        "schemaVersion": SCHEMA_VERSION,
        "plugins": {plugin.name: _settings(plugin, hide) for plugin in plugin_set},
    }


def _settings(plugin: Plugin, hide: bool) -> dict[str, str]:
    settings = {key: redact_url(url) if hide else url for key, url in plugin.sources}
    if plugin.version:
        settings["version"] = plugin.version
    return dict(sorted(settings.items()))


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, sort_keys=True, separators=(",", ":"))


def _redact_userinfo(url: str) -> str:
    start, slashes, rest = url.partition("//")
    if slashes and "/" not in start:
        authority, slash, path = rest.partition("/")
        _userinfo, at, host = authority.rpartition("@")
        return start + slashes + (HIDDEN + at if at else "") + host + slash + path
    # No authority: "user:password@host/x" is a scheme and opaque text to Go.
    _userinfo, at, rest = url.rpartition("@")
    return HIDDEN + at + rest if at else url


def _redact_pair(pair: str) -> str:
    if pair in ("", "&", ";"):
        return pair
    key, equals, value = pair.partition("=")
    # A lone word may itself be the token.
    return key + equals + (HIDDEN if value else "") if equals else HIDDEN


def _md5(content: str) -> str:
    """Return the MD5 the operator's names are made of. It protects nothing here.

    Hosts in FIPS mode refuse MD5 unless told that; another algorithm would give
    names that belong to nothing.
    """
    data = content.encode("utf-8")
    attempts: list[Callable[[], Any]] = [
        lambda: hashlib.md5(data, usedforsecurity=False),  # type: ignore[call-arg,unused-ignore]
        lambda: hashlib.md5(data),  # noqa: S324 - Python 3.8 has no such argument
    ]
    for attempt in attempts:
        try:
            digest: str = attempt().hexdigest()
            return digest
        except TypeError:
            continue
        except ValueError as error:
            raise PorterError(
                "This host does not allow MD5 (FIPS mode), not even where it protects nothing. Plugin claims are "
                f"named by it, so run this where MD5 is allowed: {error}"
            ) from error
    raise PorterError("This Python has no usable MD5, by which plugin claims are named.")
