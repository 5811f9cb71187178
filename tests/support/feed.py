# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Run the plugin feed of demo and tests in a cluster.

From the root of the repository: python -m tests.support.feed --kubeconfig FILE
prints the feed's base URL once it answers.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from kubernetes import client, config
from kubernetes.dynamic import DynamicClient

from tests.images.build import FEED_IMAGE

NAMESPACE = "plugin-feed"
NAME = "plugin-feed"
# What the image was built from, as its build recorded it.
IMAGE_RECORD = Path(__file__).resolve().parents[2] / ".build" / "images" / "plugin-feed.tar.inputs"
FIELD_MANAGER = "getporter.porter-tests"
# Seconds until the feed must answer.
PATIENCE = 60


def deploy(kubeconfig: str) -> str:
    """Bring the feed up, or leave it as it is where nothing changed, and return its base URL.

    The URL holds the Service's address, because a small cluster may have no DNS.
    """
    api = client.ApiClient(config.load_kube_config(kubeconfig) or client.Configuration.get_default_copy())
    dynamic = DynamicClient(api)
    for manifest in (_namespace(), _deployment(), _service()):
        resource = dynamic.resources.get(api_version=manifest["apiVersion"], kind=manifest["kind"])
        resource.server_side_apply(
            body=manifest,
            namespace=manifest["metadata"].get("namespace"),
            field_manager=FIELD_MANAGER,
            force_conflicts=True,
        )
    _wait_until_rolled_out(client.AppsV1Api(api))
    address = client.CoreV1Api(api).read_namespaced_service(NAME, NAMESPACE).spec.cluster_ip
    return f"http://{address}"


def _wait_until_rolled_out(apps: client.AppsV1Api) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        deployment = apps.read_namespaced_deployment(NAME, NAMESPACE)
        status = deployment.status
        current = status.observed_generation == deployment.metadata.generation
        if current and status.available_replicas == status.updated_replicas == status.replicas == 1:
            return
        time.sleep(0.3)
    raise SystemExit(f"The plugin feed did not become available within {PATIENCE} s: {deployment.status.conditions}")


def _namespace() -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}


def _deployment() -> dict[str, Any]:
    labels = {"app": NAME}
    container = {
        "name": "feed",
        "image": FEED_IMAGE,
        "imagePullPolicy": "IfNotPresent",
        "ports": [{"containerPort": 8080}],
        "readinessProbe": {"httpGet": {"path": "/healthz", "port": 8080}, "periodSeconds": 1},
    }
    # The tag stays when the image's content changes; the digest makes the cluster roll it out.
    annotations = {"getporter.local/image": IMAGE_RECORD.read_text()}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": NAME, "namespace": NAMESPACE},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels, "annotations": annotations},
                "spec": {"containers": [container], "terminationGracePeriodSeconds": 1},
            },
        },
    }


def _service() -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": NAME, "namespace": NAMESPACE},
        "spec": {"selector": {"app": NAME}, "ports": [{"port": 80, "targetPort": 8080}]},
    }


def main(arguments: list[str] | None = None) -> int:
    """Deploy and print the URL."""
    parser = argparse.ArgumentParser(description="Run the plugin feed of demo and tests in a cluster.")
    parser.add_argument("--kubeconfig", required=True)
    print(deploy(parser.parse_args(arguments).kubeconfig))
    return 0


if __name__ == "__main__":
    sys.exit(main())
