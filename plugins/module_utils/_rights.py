# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rights that the account of a run needs: the table, access reviews, and what is missing in words. Pure.

Private to the collection: not a public interface. The manifests in docs/rbac are made from this table.
"""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, NamedTuple, Sequence

Manifest = Dict[str, Any]

NAMESPACE_MANIFEST = "docs/rbac/namespace.yml"
CLUSTER_MANIFEST = "docs/rbac/cluster.yml"
ACTIONS_MANIFEST = "docs/rbac/actions.yml"


class Right(NamedTuple):
    """A row of the table: verbs on a resource, in each namespace with plugin volumes or in the whole cluster."""

    group: str
    # With the subresource, as in pods/log.
    resource: str
    verbs: tuple[str, ...]
    # Completes "it is needed to".
    why: str
    namespaced: bool = True
    # Without an optional right some mistakes show later, and some details are left out.
    required: bool = True
    # Whether it is of use to an account that has no rights on PersistentVolumes.
    without_volumes: bool = False


class Access(NamedTuple):
    """One thing that an account may do, or may not: in a namespace, or (None) in the whole cluster."""

    group: str
    resource: str
    verb: str
    namespace: str | None = None


class Rule(NamedTuple):
    """A rule of a Role or ClusterRole."""

    group: str
    resource: str
    verbs: tuple[str, ...]


RIGHTS = (
    Right(
        "",
        "persistentvolumeclaims",
        ("get", "list", "patch", "delete"),
        "see which plugin claims there are, note their owners, and remove what nobody needs",
        without_volumes=True,
    ),
    Right("", "persistentvolumeclaims", ("create",), "make the staging claim of an install, then the plugin claim"),
    Right(
        "",
        "configmaps",
        ("get", "list", "create", "patch", "delete"),
        "keep the records of agent configs",
        without_volumes=True,
    ),
    Right("batch", "jobs", ("get", "list", "create", "delete"), "run Porter in Jobs, and remove these afterwards"),
    Right("", "secrets", ("create",), "hand the plugins document to Porter; no Secret is ever read"),
    Right("", "pods", ("list",), "tell how an install goes on"),
    Right("", "pods/log", ("get",), "read what Porter installed, or why it failed"),
    Right("", "events", ("list",), "tell why a pod does not start"),
    Right(
        "getporter.org",
        "agentconfigs",
        ("list",),
        "take AgentConfig resources from the cluster, and report who owns the operator's claims",
        required=False,
    ),
    Right(
        "",
        "persistentvolumes",
        ("get", "list", "patch"),
        "hand the volume of an install over to its plugin claim",
        namespaced=False,
    ),
    Right("", "namespaces", ("get",), "say that a namespace does not exist", namespaced=False, required=False),
    Right(
        "storage.k8s.io",
        "storageclasses",
        ("list",),
        "refuse storage that cannot be had before anything is made",
        namespaced=False,
        required=False,
    ),
    Right("", "nodes", ("get",), "note the architecture that plugins are for", namespaced=False, required=False),
)

# What an agent action needs, in its namespace.
ACTION_RIGHTS = (
    Right(
        "",
        "configmaps",
        ("get", "list", "create", "patch"),
        "read the records of agent configs, and keep those of named actions",
    ),
    Right("", "persistentvolumeclaims", ("get",), "see whether the plugins are there"),
    Right("batch", "jobs", ("get", "list", "create", "delete"), "run Porter in a Job, and remove it afterwards"),
    Right("", "secrets", ("create",), "hand the action's files to Porter; no Secret is ever read"),
    Right("", "pods", ("list",), "tell how the action goes on"),
    Right("", "pods/log", ("get",), "read what Porter says"),
    Right("", "events", ("list",), "tell why a pod does not start"),
    Right("", "namespaces", ("get",), "say that a namespace does not exist", namespaced=False, required=False),
)

# The order that rules show them in: reading first.
_VERBS = ("get", "list", "create", "patch", "delete")
# How the API server words a refusal by RBAC, or by another authorizer.
_REFUSAL = re.compile(
    r'cannot (?P<verb>\S+) resource "(?P<resource>[^"]+)" in API group "(?P<group>[^"]*)"'
    r'(?: in the namespace "(?P<namespace>[^"]+)")?'
)


def needed_accesses(namespaces: Iterable[str], rights: Sequence[Right] = RIGHTS) -> list[Access]:
    """All that a run in these namespaces cannot do without, by default one with plugin volumes."""
    places = sorted(set(namespaces))
    return [
        Access(right.group, right.resource, verb, namespace)
        for right in rights
        if right.required
        for namespace in (places if right.namespaced else [None])
        for verb in right.verbs
    ]


def access_review(access: Access) -> Manifest:
    """The SelfSubjectAccessReview that asks for it."""
    resource, _slash, subresource = access.resource.partition("/")
    attributes = {
        "group": access.group,
        "resource": resource,
        "subresource": subresource,
        "verb": access.verb,
        "namespace": access.namespace or "",
    }
    return {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "metadata": {},
        "spec": {"resourceAttributes": {key: value for key, value in attributes.items() if value}},
    }


def is_allowed(review: Manifest) -> bool:
    """What the answer to an access review says."""
    return bool((review.get("status") or {}).get("allowed"))


def refused_access(message: str) -> Access | None:
    """What the account would have had to be allowed, out of the API server's words for a 403.

    None where something other than missing rights refused, such as an admission plugin.
    """
    found = _REFUSAL.search(message)
    return Access(found["group"], found["resource"], found["verb"], found["namespace"]) if found else None


def rules_for(accesses: Iterable[Access]) -> list[Rule]:
    """The fewest rules that allow just these, wherever they are."""
    verbs: dict[tuple[str, str], set[str]] = {}
    for access in accesses:
        verbs.setdefault((access.group, access.resource), set()).add(access.verb)
    return [Rule(group, resource, _in_order(wanted)) for (group, resource), wanted in verbs.items()]


def missing_in_words(missing: Sequence[Access], rights: Sequence[Right] = RIGHTS) -> str:
    """Lines with the missing rules, to be pasted into a Role or ClusterRole, and the manifest that holds them."""
    rules_of: dict[str | None, list[str]] = {}
    for place in dict.fromkeys(access.namespace for access in missing):
        rules_of[place] = [_line(rule) for rule in rules_for(each for each in missing if each.namespace == place)]
    lines: list[str] = []
    for rules in dict.fromkeys(tuple(rules) for rules in rules_of.values()):
        places = [place for place, those in rules_of.items() if tuple(those) == rules]
        lines += [_heading(places, rules, rights), *rules]
    return "\n".join([*lines, *_manifests(missing, rights)])


def _line(rule: Rule) -> str:
    """In YAML's flow style, which stays readable where a callback shows line breaks as such characters."""
    return "- {apiGroups: [%s], resources: [%s], verbs: [%s]}" % (
        rule.group or "''",
        rule.resource,
        ", ".join(rule.verbs),
    )


def _heading(places: Sequence[str | None], rules: Sequence[str], rights: Sequence[Right]) -> str:
    namespaces = [place for place in places if place]
    if not namespaces:
        return "Missing in a ClusterRole:"
    needed = rules_for(access for access in needed_accesses(namespaces[:1], rights) if access.namespace)
    doubt = " (all that is needed there; is the name right?)" if list(rules) == [_line(rule) for rule in needed] else ""
    of_which = "namespace" if len(namespaces) == 1 else "each of the namespaces"
    return "Missing in a Role of %s %s%s:" % (of_which, ", ".join(namespaces), doubt)


def _manifests(missing: Sequence[Access], rights: Sequence[Right]) -> list[str]:
    """The sentence that names what the collection ships; nothing where that would not help."""
    if not all(_is_in_table(access) for access in missing):
        return []
    if rights is ACTION_RIGHTS:
        return ["%s of the collection getporter.porter holds all rules that it needs." % ACTIONS_MANIFEST]
    scopes = sorted({access.namespace is None for access in missing})
    names = [CLUSTER_MANIFEST if of_cluster else NAMESPACE_MANIFEST for of_cluster in scopes]
    verb = "hold" if len(names) > 1 else "holds"
    return ["%s of the collection getporter.porter %s all rules that it needs." % (" and ".join(names), verb)]


def _is_in_table(access: Access) -> bool:
    return any(
        (right.group, right.resource, right.namespaced) == (access.group, access.resource, bool(access.namespace))
        and access.verb in right.verbs
        for right in RIGHTS
    )


def _in_order(verbs: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(verbs, key=lambda verb: (_VERBS.index(verb) if verb in _VERBS else len(_VERBS), verb)))
