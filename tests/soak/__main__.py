"""Run the soak test: ``python -m tests.soak --minutes 2 --seed 7``."""

import argparse
import sys
import tempfile
import time
import traceback
from collections import Counter
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def kinds():
    """Every kind of case: a function of (seed, folder, shrink) that counts outcomes or raises."""
    from tests.soak import corruption, kills, routes

    def compare(name, seed, folder, shrink):
        return routes.run(name, seed, shrink=shrink)

    def other(run, seed, folder, shrink):
        return run(seed, folder)

    killed = {
        "killed fits": kills.kill_fits,
        "killed writers": kills.kill_writers,
        "killed reproduction": kills.kill_reproduction,
    }
    return {name: partial(compare, name) for name in routes.ROUTES} | {
        name: partial(other, run) for name, run in (killed | corruption.CORRUPTIONS).items()
    }


def soak(known, deadline, seed, case):
    """Run cases until the time is up, each kind for as long as the others, and print the counts.

    A kind that fails is not tried again. Returns the number of those.
    """
    spent, numbers, counts = Counter(), Counter(), {name: Counter() for name in known}
    waiting = sorted(known)
    while waiting and time.monotonic() < deadline:
        name = min(waiting, key=spent.__getitem__)
        number, began = numbers[name] if case is None else case, time.monotonic()
        numbers[name] += 1
        with tempfile.TemporaryDirectory(prefix="infwalk-soak-") as folder:
            try:
                counts[name] += known[name](1000 * seed + number, Path(folder), case is not None)
            except Exception as error:
                waiting.remove(name)
                print(
                    f"\nFAILED {name}, case {number}. To repeat it alone, and shrink its graph:\n"
                    f"  python -m tests.soak --seed {seed} --kind '{name}' --case {number}\n"
                    + "".join(traceback.format_exception(error, limit=-3))
                )
        spent[name] += time.monotonic() - began
        if case is not None:
            break
    for name in known:
        outcomes = ", ".join(f"{count} {what}" for what, count in counts[name].most_common())
        print(f"{name:38}{counts[name].total():6} cases in {spent[name]:4.0f} s: {outcomes}")
    total, failed = sum(map(Counter.total, counts.values())), len(known) - len(waiting)
    print(f"seed {seed}: {total} cases in {spent.total():.0f} s; {failed} kinds failed")
    return failed


def main():
    """Run the command and return its exit status."""
    known = kinds()
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=int(time.time()) % 100_000, help="default: new")
    parser.add_argument("--kind", choices=known, help="only this kind")
    parser.add_argument("--case", type=int, help="only the case of this number; needs --kind")
    arguments = parser.parse_args()
    if arguments.case is not None and arguments.kind is None:
        parser.error("--case needs --kind")
    chosen = {name: run for name, run in known.items() if arguments.kind in (None, name)}
    deadline = time.monotonic() + 60 * arguments.minutes
    return int(soak(chosen, deadline, arguments.seed, arguments.case) > 0)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "book"))
    sys.exit(main())
