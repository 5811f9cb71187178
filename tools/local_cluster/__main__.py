# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The command `python -m tools.local_cluster`."""

import sys

from .cli import main

sys.exit(main())
