# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names and label values that are made of the name of an agent config. Pure.

Private to the collection: not a public interface.
"""

from __future__ import annotations

import hashlib
import re

RECORD_PREFIX = "porter-agent-config-"


def short_resource_label(name: str) -> str:
    """Return a config name as a label value: the name itself, or as much as fits and a hash.

    A name of an object has up to 253 characters, a label value 63.
    """
    return shortened_name(name, 63)


def record_name(name: str) -> str:
    """Return the name of the ConfigMap that stands for an agent config."""
    return RECORD_PREFIX + shortened_name(name, 253 - len(RECORD_PREFIX))


def shortened_name(name: str, limit: int) -> str:
    """Cut a name to a limit so that different names stay different.

    A cut name has exactly the limit's length and ends in '-' and hexadecimal
    digits; a whole name that happens to look like that is cut too.
    """
    usable = re.sub("[^A-Za-z0-9._-]+", "-", name).strip("._-")
    looks_cut = len(name) == limit and re.search("-[0-9a-f]{16,}$", name)
    if usable == name and len(name) <= limit and not looks_cut:
        return name
    digits = hashlib.sha256(name.encode("utf-8")).hexdigest() * 4
    start = usable[: limit - 17].rstrip("._-")
    return ((start or "config") + "-" + digits)[:limit]
