# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""A real Kubernetes for tests, on any machine: `python -m tools.local_cluster --help`.

The driver `local` needs no Docker: it runs the components of Kubernetes and
Debian's containerd in Linux namespaces of their own, see `local.py`.
"""
