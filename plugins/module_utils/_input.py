# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reading what users wrote: plain values, maps as text, names, whole numbers.

This file is private to the collection: not a public interface.
"""

from __future__ import annotations

import difflib
import json
import re
from typing import Any, Iterable, Mapping, Sequence

from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError

try:
    import yaml

    HAS_YAML = True
except ImportError:
    HAS_YAML = False

_LABEL_PATTERN = re.compile("[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
_SUBDOMAIN_PATTERN = re.compile(rf"{_LABEL_PATTERN.pattern}(?:\.{_LABEL_PATTERN.pattern})*")
_INT32_MAX = 2**31 - 1


def plain(value: Any) -> Any:
    """Give an exact ``str`` for any kind of string, and every other value as it is.

    Ansible 2.19 and later hand over subclasses of str that carry tags, earlier
    ones an object that decrypts itself. Both must give the same bytes as plain
    text does, in hashes as in JSON.
    """
    if isinstance(value, str):
        return str.__str__(value)
    if type(value).__name__ == "AnsibleVaultEncryptedUnicode":
        return str.__str__(str(value))
    return value


def native(value: Any) -> Any:
    """Give the value in Python's own maps, lists and text.

    Those of Ansible render templates and keep tags at each access, which many accesses cannot afford.
    """
    if isinstance(value, Mapping):
        return {plain(key): native(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [native(each) for each in value]
    return plain(value)


def is_blank(value: Any) -> bool:
    """Tell whether a value counts as not set: null, or text with nothing in it.

    A survey hands over an empty string for a question left open.
    """
    return value is None or (isinstance(value, str) and not value.strip())


def describe(value: Any) -> str:
    """Say what a value is, in the words of YAML, without showing what is in it."""
    if value is None:
        return "null"
    for kind, words in (
        (bool, "a boolean"),
        (str, "text"),
        ((int, float), "a number"),
        (Mapping, "a map"),
        ((list, tuple, set), "a list"),
    ):
        if isinstance(value, kind):
            return words
    kind_name = type(value).__name__
    return "a date" if kind_name in ("date", "datetime") else "of type " + kind_name


def yaml_word(value: Any) -> str:
    """Write a scalar as YAML would show it: true, not True."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def text(value: Any, what: str) -> str:
    """Return text, empty when not set; refuse what YAML made a number, boolean or date of."""
    value = plain(value)
    if is_blank(value):
        return ""
    if not isinstance(value, str):
        if isinstance(value, (Mapping, list, tuple, set)):
            raise InputError(f"{what} must be text, not {describe(value)}.")
        raise InputError(
            f"{what} must be text, but YAML made {describe(value)} of it ({yaml_word(value)}): "
            "quote it, as in '\"1.10\"'."
        )
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(f"{what} contains characters that cannot be written as UTF-8.") from None
    return value


def whole_number(value: Any, what: str, maximum: int = _INT32_MAX) -> int:
    """Return a whole number from 0; Jinja and surveys hand numbers over as text."""
    value = plain(value)
    if isinstance(value, str) and re.fullmatch("[0-9]+", value.strip()):
        value = int(value.strip())
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= maximum:
        raise InputError(f"{what} must be a whole number from 0 to {maximum}, not {_shown(value)}.")
    return int(value)


def truth(value: Any, what: str) -> bool:
    """Return a boolean; surveys and variables on the command line hand it over as text."""
    value = plain(value)
    word = yaml_word(value).strip().lower()
    if word in ("true", "yes", "on", "1"):
        return True
    if word in ("false", "no", "off", "0", ""):
        return False
    raise InputError(f"{what} must be true or false, not {_shown(value)}.")


def choice(value: str, what: str, choices: Sequence[str]) -> str:
    """Return the value when it is one of the choices, letter by letter."""
    if value in choices:
        return value
    near = [known for known in choices if known.lower() == value.lower()]
    hint = f" Did you mean {near[0]}?" if near else ""
    raise InputError("{} must be one of {}, not {}.{}".format(what, ", ".join(choices), _shown(value), hint))


def dns_label(name: str, what: str) -> str:
    """Return a name that fits RFC 1123's label rule, as Kubernetes asks of a namespace."""
    if len(name) <= 63 and _LABEL_PATTERN.fullmatch(name):
        return name
    raise InputError(
        f"{what} cannot be {_shown(name)}: write at most 63 lower-case letters, digits and '-', beginning and ending "
        f"with a letter or digit (RFC 1123 label).{_suggest(name, '[^a-z0-9-]+', 63)}"
    )


def dns_subdomain(name: str, what: str) -> str:
    """Return a name that fits RFC 1123's subdomain rule, as Kubernetes asks of most objects."""
    if len(name) <= 253 and _SUBDOMAIN_PATTERN.fullmatch(name):
        return name
    raise InputError(
        f"{what} cannot be {_shown(name)}: write at most 253 lower-case letters, digits, '-' and '.', each part "
        f"beginning and ending with a letter or digit (RFC 1123 subdomain).{_suggest(name, '[^a-z0-9.-]+', 253)}"
    )


def _suggest(name: str, unusable: str, limit: int) -> str:
    """Suggest the nearest usable name, or nothing when there is none."""
    parts = [part.strip("-") for part in re.sub(unusable, "-", name.lower()).split(".")]
    suggestion = ".".join(part for part in parts if part)
    return f" For example: {suggestion}" if suggestion and len(suggestion) <= limit else ""


def _shown(value: Any) -> str:
    """Show a value inside a message, not longer than a line."""
    shown = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else yaml_word(value)
    return shown if len(shown) <= 80 else shown[:77] + "..."


def unknown_key(where: str, key: Any, known: Iterable[str]) -> InputError:
    """Make the error for a key that does not exist, with the nearest one that does."""
    key = plain(key)
    names: list[str] = list(known)
    message = "{}: unknown key {}. Known keys: {}.".format(where, _shown(key), ", ".join(names))
    simple = {re.sub("[^a-z0-9]", "", name.lower()): name for name in reversed(names)}
    near = difflib.get_close_matches(re.sub("[^a-z0-9]", "", str(key).lower()), list(simple), n=1)
    return InputError(message + (f" Did you mean {simple[near[0]]}?" if near else ""))


def mapping_from_text(content: str, what: str) -> Any:
    """Read one YAML or JSON document, as surveys and environment variables hand it over; None where there is none."""
    documents = documents_from_text(content, what)
    if len(documents) > 1:
        raise InputError(f"{what} is given as text with {len(documents)} YAML documents. Write one.")
    return documents[0] if documents else None


def structure(written: Any, what: str) -> Any:
    """A map or list, also as YAML or JSON text, as surveys hand it over; None where nothing is set."""
    value = plain(written)
    if isinstance(value, str):
        value = plain(mapping_from_text(value, what))
    return None if is_blank(value) else value


def documents_from_text(content: str, what: str) -> list[Any]:
    """Read JSON, or any number of YAML documents. Documents with nothing in them are left out."""
    try:
        documents = [json.loads(content, object_pairs_hook=lambda pairs: _without_twins(pairs, what))]
    except ValueError:
        documents = _yaml_documents(content, what)
    return [document for document in documents if document is not None]


def _yaml_documents(content: str, what: str) -> list[Any]:
    if not HAS_YAML:
        raise InputError(
            f"{what} is given as text that is not JSON, and PyYAML is not installed for this Python. "
            "Write it as JSON, or install PyYAML."
        )
    try:
        for node in yaml.compose_all(content, Loader=yaml.SafeLoader):
            _refuse_twins_in_yaml(node, what)
        return list(yaml.safe_load_all(content))
    except (yaml.YAMLError, ValueError) as error:
        # Not the whole error: it quotes the text, which may hold passwords.
        mark = getattr(error, "problem_mark", None)
        place = " in line {}: {}".format(mark.line + 1, getattr(error, "problem", "")) if mark else ""
        raise InputError(f"{what} is given as text that is neither JSON nor YAML{place}.") from None


def _without_twins(pairs: list[tuple[str, Any]], what: str) -> dict[str, Any]:
    # JSON and YAML readers keep the last of two equal keys in silence.
    keys = [key for key, _value in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise InputError(f"{what} names {_shown(key)} twice. Write it once.")
    return dict(pairs)


def _refuse_twins_in_yaml(node: Any, what: str) -> None:
    if isinstance(node, yaml.MappingNode):
        _without_twins([(str(key.value), None) for key, _value in node.value], what)
        for _key, value in node.value:
            _refuse_twins_in_yaml(value, what)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            _refuse_twins_in_yaml(value, what)
