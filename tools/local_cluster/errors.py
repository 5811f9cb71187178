# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The one kind of error that the command reports without a traceback."""


class ClusterError(Exception):
    """Something that the user can act on; the message says what."""
