# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Write the manifests in docs/rbac from the collection's table of rights: python -m tools.rbac_manifests"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from textwrap import indent, wrap

from ansible_collections.getporter.porter.plugins.module_utils._rights import (
    ACTION_RIGHTS,
    ACTIONS_MANIFEST,
    CLUSTER_MANIFEST,
    NAMESPACE_MANIFEST,
    RIGHTS,
    Access,
    Right,
    rules_for,
)

ROOT = Path(__file__).resolve().parents[1]
ACCOUNT_MANIFEST = "docs/rbac/service-account.yml"
NAMESPACED_ONLY_MANIFEST = "docs/rbac/namespaced-only.yml"

ACCOUNT = "porter-plugins"
ACCOUNT_NAMESPACE = "porter"
VOLUMES_ROLE = f"{ACCOUNT}-volumes"
NAMESPACED_ONLY_ROLE = f"{ACCOUNT}-namespaced-only"
ACTIONS_ROLE = f"{ACCOUNT}-actions"
WIDTH = 110

_ABOUT_ACCOUNT = f"""
The account that Ansible, or AWX, uses the collection getporter.porter with.

  kubectl apply -n {ACCOUNT_NAMESPACE} -f service-account.yml
"""
_ABOUT_NAMESPACE = f"""
What the account needs in each namespace with plugin volumes. With it goes cluster.yml.

  kubectl apply -n NAMESPACE -f namespace.yml

The account is looked for in the namespace {ACCOUNT_NAMESPACE}: change the subject where it is another.
"""
_ABOUT_CLUSTER = f"""
What the account needs in the whole cluster: PersistentVolumes belong to no namespace, so that no Role can give rights
on them. The optional rules may be left out.

  kubectl apply -f cluster.yml

The account is looked for in the namespace {ACCOUNT_NAMESPACE}: change the subject where it is another.
"""
_ABOUT_NAMESPACED_ONLY = f"""
In place of namespace.yml, for an account that is to have no rights outside its namespace.

  kubectl apply -n NAMESPACE -f namespaced-only.yml

It can keep records and the owners of plugin claims that another account installed (module porter_pvc_owner), and delete
such claims. Pods can mount them without any of these rights.

What it cannot do: install or refresh plugins, finish an install that another run began, or use the role porter_plugins
at all. For each of these PersistentVolumes are looked at, which takes cluster.yml.

The account is looked for in the namespace {ACCOUNT_NAMESPACE}: change the subject where it is another.
"""
_ABOUT_ACTIONS = f"""
What an account needs that only runs agent actions (role porter_action). What namespace.yml gives holds all of it.

  kubectl apply -n NAMESPACE -f actions.yml

Who may make Jobs in a namespace can read its Secrets, by a pod that mounts them.

The account is looked for in the namespace {ACCOUNT_NAMESPACE}: change the subject where it is another.
"""


def manifests() -> dict[str, str]:
    """Path below the collection's root to content."""
    namespaced = [right for right in RIGHTS if right.namespaced]
    return {
        ACCOUNT_MANIFEST: _file(_ABOUT_ACCOUNT, _object("v1", "ServiceAccount", ACCOUNT)),
        NAMESPACE_MANIFEST: _file(_ABOUT_NAMESPACE, _role_and_binding("", ACCOUNT, namespaced)),
        CLUSTER_MANIFEST: _file(
            _ABOUT_CLUSTER,
            _role_and_binding("Cluster", VOLUMES_ROLE, [right for right in RIGHTS if not right.namespaced]),
        ),
        ACTIONS_MANIFEST: _file(
            _ABOUT_ACTIONS,
            _role_and_binding("", ACTIONS_ROLE, [right for right in ACTION_RIGHTS if right.namespaced]),
        ),
        NAMESPACED_ONLY_MANIFEST: _file(
            _ABOUT_NAMESPACED_ONLY,
            # Under a name of its own: whoever applies the whole folder must not narrow the other Role.
            _role_and_binding("", NAMESPACED_ONLY_ROLE, [right for right in namespaced if right.without_volumes]),
        ),
    }


def _file(about: str, content: str) -> str:
    made = "Made from plugins/module_utils/_rights.py by `make rbac`."
    head = [f"# {line}".rstrip() for line in [*about.strip().splitlines(), "", made]]
    return "---\n" + "\n".join(head) + "\n" + content


def _object(api_version: str, kind: str, name: str) -> str:
    return f"apiVersion: {api_version}\nkind: {kind}\nmetadata:\n  name: {name}\n"


def _role_and_binding(prefix: str, name: str, rights: Iterable[Right]) -> str:
    """A List, because ansible-test accepts one document in a file."""
    api_version = "rbac.authorization.k8s.io/v1"
    role = _object(api_version, f"{prefix}Role", name) + "rules:\n" + "".join(_rules(rights))
    reference = f"roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: {prefix}Role\n  name: {name}\n"
    subject = f"subjects:\n  - kind: ServiceAccount\n    name: {ACCOUNT}\n    namespace: {ACCOUNT_NAMESPACE}\n"
    binding = _object(api_version, f"{prefix}RoleBinding", name) + reference + subject
    return "apiVersion: v1\nkind: List\nitems:\n" + _item(role) + _item(binding)


def _item(document: str) -> str:
    return "  - " + indent(document, "    ").lstrip()


def _rules(rights: Iterable[Right]) -> Iterable[str]:
    """One rule for each resource, under the reasons for it."""
    by_resource: dict[tuple[str, str], list[Right]] = {}
    for right in rights:
        by_resource.setdefault((right.group, right.resource), []).append(right)
    for (group, resource), rows in by_resource.items():
        for row in rows:
            why = ("To " if row.required else "Optional: to ") + row.why + "."
            yield from (f"  # {line}\n" for line in wrap(why, WIDTH))
        (rule,) = rules_for(Access(group, resource, verb) for row in rows for verb in row.verbs)
        groups, verbs = group or "''", ", ".join(rule.verbs)
        yield f"  - apiGroups: [{groups}]\n    resources: [{resource}]\n    verbs: [{verbs}]\n"


def main() -> None:
    for path, content in manifests().items():
        target = ROOT / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content)


if __name__ == "__main__":
    main()
