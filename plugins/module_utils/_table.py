# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tables of text. Pure.

Private to the collection: not a public interface.
"""

from __future__ import annotations

from typing import Sequence


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table, each column as wide as its widest cell; the first row has the headings."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
