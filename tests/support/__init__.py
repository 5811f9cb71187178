# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""What demo and tests share."""
