# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Soak the role on a cluster: ``make soak``.

From the root of the repository: python -m tests.soak --kubeconfig FILE --rounds 200
"""

from __future__ import annotations

import argparse
import secrets
import signal
import sys
import time
from collections.abc import Sequence
from itertools import islice

from tests.soak.model import Round, farewell, rounds
from tests.soak.soak import RoundError, Soak, new_soak


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 1 where a round did not end as the model says."""
    options = _parser().parse_args(arguments)
    seed = secrets.randbelow(10**6) if options.seed is None else options.seed
    # Both end the soak by an exception, so that all that it made is removed; a shell's background jobs ignore SIGINT.
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda number, _frame: sys.exit(128 + number))
    _say(f"soak: {options.rounds} rounds and a farewell, seed {seed}")
    with new_soak(options.kubeconfig) as soak:
        try:
            held = _play_all(soak, seed, options.rounds)
        finally:
            _say(f"soak: {soak.figures}; seed {seed}")
    if not held:
        _say(f"The same again: make soak SEED={seed} ROUNDS={options.rounds}")
    return int(not held)


def _play_all(soak: Soak, seed: int, count: int) -> bool:
    drawn = enumerate(islice(rounds(seed), count), start=1)
    return all(_play(soak, f"round {number}", each) for number, each in drawn) and _play(soak, "farewell", farewell())


def _play(soak: Soak, name: str, each: Round) -> bool:
    begin = time.monotonic()
    _say(f"{name}: {each}")
    try:
        soak.play(each)
    except RoundError as error:
        _say(f"{name} did not hold.\n{error}")
        return False
    _say(f"{name} held after {time.monotonic() - begin:.1f} s")
    return True


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.soak", description="Add, change, share and remove agent configs at random, with faults."
    )
    parser.add_argument("--kubeconfig", required=True)
    parser.add_argument("--rounds", type=int, default=200, help="(default: %(default)s)")
    parser.add_argument("--seed", type=int, help="play the rounds again that had this seed")
    return parser


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
