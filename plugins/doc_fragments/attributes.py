# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Documentation that modules share: what they do in check mode, diff mode and on a second run."""

from __future__ import annotations


class ModuleDocFragment:
    """The attributes of the collection's modules."""

    DOCUMENTATION = r"""
options: {}
attributes:
  check_mode:
    description: Can run in check mode and then predicts its result without changing anything.
  diff_mode:
    description: Shows in diff mode what it changed, or in check mode would change.
  idempotent:
    description: A second run with the same options changes nothing, as long as nothing else changed the cluster.
"""

    # For modules that only compute.
    PURE = r"""
options: {}
attributes:
  check_mode:
    support: full
    details:
      - This module changes nothing.
  diff_mode:
    support: none
    details:
      - This module changes nothing.
  idempotent:
    support: full
"""

    # For modules that only read from a cluster.
    INFO = r"""
options: {}
attributes:
  check_mode:
    support: full
    details:
      - This module reads only.
  diff_mode:
    support: none
    details:
      - This module reads only.
  idempotent:
    support: full
"""

    # For modules that change a cluster.
    CHANGES = r"""
options: {}
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: full
"""

    # For modules that talk to a cluster: they are in the collection's action group.
    ACTIONGROUP_PORTER = r"""
options: {}
attributes:
  action_group:
    description: Use C(group/getporter.porter.porter) in C(module_defaults) to set defaults for this module.
    support: full
    membership:
      - getporter.porter.porter
"""
