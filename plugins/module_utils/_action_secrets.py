# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the secrets that people write into an agent action, and hides them. Pure.

Private to the collection: not a public interface.

Secrets that Kubernetes hands to the pod by name are never read, so they cannot be hidden; Porter hides those that it
resolves itself.
"""

from __future__ import annotations

import json
import re
from typing import Any, Iterable, Iterator, Mapping, Sequence

from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError
from ansible_collections.getporter.porter.plugins.module_utils._input import documents_from_text

HIDDEN = "********"
# Shorter ones are in every other word.
SHORTEST = 3
# What names a value that is nobody's business. Plurals are sections of Porter's configuration.
_SECRET_NAME = re.compile(
    r"pass(word|wd|phrase|$)|secret(?!s)|token|(private|access|account|api|shared)[-_]?key|connection[-_]?string|^pwd$|^auth$",
    re.IGNORECASE,
)
# A line of TOML, of a file of environment variables, or of what is almost YAML.
_LINE = re.compile(
    r"^[ \t]*(?:export[ \t]+)?[\"']?(?P<name>[\w.-]+)[\"']?[ \t]*[=:][ \t]*"
    r"(?P<quote>[\"']?)(?P<value>.+?)(?P=quote)[ \t]*(?:[ \t]#.*)?$",
    re.MULTILINE,
)


class Masking:
    """Hides secrets in text."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        # The longest first, since one can be part of another; and each line of one, since logs come in lines.
        parts = {part.strip() for secret in secrets for part in (secret, *secret.splitlines())}
        # As Porter prints them in JSON, too.
        parts.update(json.dumps(part, ensure_ascii=coded)[1:-1] for part in list(parts) for coded in (True, False))
        self._secrets = sorted((part for part in parts if len(part) >= SHORTEST), key=len, reverse=True)

    def __call__(self, words: str) -> str:
        for secret in self._secrets:
            words = words.replace(secret, HIDDEN)
        return words


def secrets_in(files: Iterable[str], env: Sequence[Mapping[str, Any]], args: Sequence[str]) -> set[str]:
    """The values that a file, an environment variable or an argument gives a name of a secret."""
    found = {value for content in files for value in _in_document(content)}
    found.update(str(each["value"]) for each in env if each.get("value") and _SECRET_NAME.search(str(each.get("name"))))
    found.update(_in_arguments(args))
    return found


def _in_document(content: str) -> Iterator[str]:
    try:
        documents = documents_from_text(content, "a file")
    except InputError:
        documents = [content]
    for document in documents:
        # YAML takes several lines that it has no form for as one text.
        yield from _in_lines(content) if isinstance(document, str) else _in_value(document)


def _in_lines(content: str) -> Iterator[str]:
    for line in _LINE.finditer(content):
        if _SECRET_NAME.search(line["name"]):
            yield line["value"]


def _in_value(value: Any, name: str = "") -> Iterator[str]:
    if isinstance(value, Mapping):
        # A credential or parameter that is written out, in place of where to find it.
        if isinstance(value.get("source"), Mapping) and "value" in value["source"]:
            yield str(value["source"]["value"])
        for key, each in value.items():
            # The key of a source tells which store, and its value the name there.
            if key != "source":
                yield from _in_value(each, str(key))
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _in_value(each, name)
    elif value is not None and not isinstance(value, bool) and _SECRET_NAME.search(name):
        yield str(value)


def _in_arguments(args: Sequence[str]) -> Iterator[str]:
    for flag, value in zip(["", *args], args):
        yield from _in_assignment(value)
        if flag.startswith("--") and "=" not in flag and not value.startswith("-") and _SECRET_NAME.search(flag[2:]):
            yield value


def _in_assignment(words: str) -> Iterator[str]:
    """NAME=VALUE, --NAME=VALUE, and --FLAG=NAME=VALUE."""
    name, equals, value = words.partition("=")
    if equals and _SECRET_NAME.search(name.lstrip("-")):
        yield value
    elif equals and name.startswith("--"):
        yield from _in_assignment(value)
