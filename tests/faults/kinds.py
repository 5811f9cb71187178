# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""What tests and proxy both know: the kinds of faults, and how to speak to the proxy."""

from __future__ import annotations

# Requests below this path are for the proxy.
CONTROL = "/-/faults/"

# The run is killed before the request goes to the API server, or once the API server has answered it.
KILLED_BEFORE = "killed-before"
KILLED_AFTER = "killed-after"
KILLS = (KILLED_BEFORE, KILLED_AFTER)

# The API server acts, and the connection ends without its answer.
CUT = "cut"
# Answers in place of the API server's, which learns nothing of the request: status to reason.
REFUSALS = {
    "409": "Conflict",
    "429": "TooManyRequests",
    "500": "InternalError",
    "503": "ServiceUnavailable",
}
ERRORS = (*REFUSALS, CUT)
