# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """The option of the modules that look at namespaces or at the whole cluster."""

    DOCUMENTATION = r"""
options:
  namespaces:
    description:
      - The namespaces to look at, and the volumes of their claims; empty for the whole cluster.
      - An account with rights in some namespaces only must name them.
    type: list
    elements: str
    default: []
requirements:
  - kubernetes >= 24.2.0 (Python library)
"""
