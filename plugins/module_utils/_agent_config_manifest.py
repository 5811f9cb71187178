# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""AgentConfig manifests, and everything else that agent configs are written as. Pure.

This file is private to the collection: not a public interface.

A manifest of the Porter Operator is taken as it is. The shapes that the operator had before, and
other resources with the same kind, are refused with the form that is read today.
"""

from __future__ import annotations

from typing import Any, Iterable, Iterator, Mapping

from ansible_collections.getporter.porter.plugins.module_utils._agent_config import (
    SPEC_KEYS,
    camel_case,
    normalize_agent_config,
)
from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError
from ansible_collections.getporter.porter.plugins.module_utils._input import (
    describe,
    documents_from_text,
    is_blank,
    mapping_from_text,
    plain,
    text,
    unknown_key,
)
from ansible_collections.getporter.porter.plugins.module_utils._plugin_set import usual_names

API_VERSION = "getporter.org/v1"
KIND = "AgentConfig"

_MANIFEST_KEYS = ("apiVersion", "kind", "metadata", "spec", "status")
# A map with one of these is a manifest, and no map of settings.
_MARKS = ("apiVersion", "kind", "metadata", "spec")
_RESOURCE_KEYS = (*(camel_case(key) for key in SPEC_KEYS), "pluginConfigFile")
# kubectl writes several resources as a List, the API as an AgentConfigList.
_LIST_KINDS = ("List", "AgentConfigList")

_FIRST_GROUP = "porter.sh/"
_OPENSHIFT_VERSIONS = ("v1alpha1", "v1beta1")


def agent_config_from_manifest(manifest: Any) -> dict[str, Any]:
    """Return what an AgentConfig manifest sets, its name and namespace included, under the snake case keys."""
    content = plain(manifest)
    if isinstance(content, str):
        content = mapping_from_text(content, "The AgentConfig manifest")
    if not isinstance(content, Mapping):
        raise InputError(f"An AgentConfig manifest must be a map, not {describe(content)}. {_current_form()}")
    fields = {plain(key): value for key, value in content.items()}
    where = _where(fields)
    _refuse_other_resources(fields, where)
    for key in fields:
        if key not in _MANIFEST_KEYS:
            raise unknown_key(where, key, _MANIFEST_KEYS)
    return {**_named(fields, where), **_settings(fields, where)}


def is_manifest(config: Any) -> bool:
    """Tell whether a map is meant as a Kubernetes resource, and not as settings."""
    return isinstance(config, Mapping) and any(plain(key) in _MARKS for key in config)


def settings_of(config: Any) -> Any:
    """Return a manifest as the settings in it, and everything else as it is."""
    return agent_config_from_manifest(config) if is_manifest(config) else config


def agent_configs_in(written: Any) -> Iterator[Any]:
    """Give the agent configs that are in a map, in text, in a manifest, or in a list of any of these."""
    written = plain(written)
    if is_blank(written):
        return
    if isinstance(written, str):
        for document in documents_from_text(written, "The list of agent configs"):
            if isinstance(document, str):
                raise InputError(f"An agent config must be a map, not text. {_current_form()}")
            yield from agent_configs_in(document)
    elif isinstance(written, (list, tuple)):
        for item in written:
            yield from agent_configs_in(item)
    elif is_manifest(written) and plain(written.get("kind")) in _LIST_KINDS:
        yield from _items(written)
    else:
        yield settings_of(written)


def _items(resources: Mapping[Any, Any]) -> Iterator[dict[str, Any]]:
    # The items of an AgentConfigList do not say what they are: the list does.
    shared = {"apiVersion": resources.get("apiVersion"), "kind": KIND}
    for item in resources.get("items") or []:
        says_itself = plain(resources.get("kind")) == "List" or not isinstance(item, Mapping)
        yield agent_config_from_manifest(item if says_itself else {**shared, **item})


def _refuse_other_resources(fields: Mapping[Any, Any], where: str) -> None:
    kind, version = plain(fields.get("kind")), plain(fields.get("apiVersion"))
    if kind != KIND:
        said = "has no kind" if is_blank(kind) else f'is of kind "{kind}"'
        raise InputError(f"{where} {said}, and no AgentConfig of {API_VERSION}. {_form_for(fields)}")
    if version == API_VERSION:
        return
    if isinstance(version, str) and version.startswith(_FIRST_GROUP):
        reason = f"has the apiVersion {version}, which was the Porter Operator's before {API_VERSION}"
    elif version in _OPENSHIFT_VERSIONS:
        reason = f"has the apiVersion {version}: that is the AgentConfig of OpenShift's installer, not Porter's"
    else:
        said = "no apiVersion" if is_blank(version) else f'the apiVersion "{version}"'
        reason = f"has {said}, where {API_VERSION} is wanted"
    raise InputError(f"{where} {reason}. {_form_for(fields)}")


def _named(fields: Mapping[Any, Any], where: str) -> dict[str, str]:
    """The name and, where there is one, the namespace. Everything else in the metadata is of no matter here."""
    metadata = _map(fields.get("metadata"), f"metadata of {where}")
    name = text(metadata.get("name"), f"metadata.name of {where}")
    if not name:
        hint = (
            " generateName is of no use here: every run would make another one." if "generateName" in metadata else ""
        )
        raise InputError(f"{where} has no metadata.name.{hint} {_form_for(fields)}")
    namespace = text(metadata.get("namespace"), f"metadata.namespace of {where}")
    return {"name": name, **({"namespace": namespace} if namespace else {})}


def _settings(fields: Mapping[Any, Any], where: str) -> dict[str, Any]:
    spec = _map(fields.get("spec"), f"spec of {where}")
    if "plugins" in spec:
        raise InputError(f"{where} has an older form of spec.plugins. {_form_for(fields)}")
    for key in spec:
        if key not in _RESOURCE_KEYS:
            raise unknown_key(f"spec of {where}", key, _RESOURCE_KEYS)
    return normalize_agent_config(spec, where=where)


def _map(value: Any, what: str) -> dict[Any, Any]:
    value = plain(value)
    if is_blank(value):
        return {}
    if not isinstance(value, Mapping):
        raise InputError(f"{what} must be a map, not {describe(value)}. {_current_form()}")
    return {plain(key): item for key, item in value.items()}


def _where(fields: Mapping[Any, Any]) -> str:
    metadata = fields.get("metadata")
    name = plain(metadata.get("name")) if isinstance(metadata, Mapping) else None
    return f'manifest "{name}"' if isinstance(name, str) and name.strip() else "a manifest"


def _form_for(fields: Mapping[Any, Any]) -> str:
    """The current form, with the names of the user's own plugins where an older form has them."""
    spec = fields.get("spec")
    plugins = plain(spec.get("plugins")) if isinstance(spec, Mapping) else None
    if isinstance(plugins, Mapping):
        configs = plugins.get("configs")
        plugins = list(configs if isinstance(configs, Mapping) else plugins)
    return _current_form(usual_names(plugins) if isinstance(plugins, (list, tuple)) else ())


def _current_form(names: Iterable[str] = ()) -> str:
    plugins = ", ".join(f"{name}: {{version: ...}}" for name in names) or "kubernetes: {version: v1.0.1}"
    return (
        f"Write it as in {{apiVersion: {API_VERSION}, kind: {KIND}, metadata: {{name: default}}, spec: "
        f"{{pluginConfigFile: {{schemaVersion: 1.0.0, plugins: {{{plugins}}}}}}}}}."
    )
