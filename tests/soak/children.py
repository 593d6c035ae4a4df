"""Functions run in processes of their own, which may crash or be killed."""

import multiprocessing
import os
import resource
import traceback
from multiprocessing import forkserver
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]

MEMORY = 4 * 2**30
"""A damaged file that asks for more than this must be refused."""

LONGEST = 60
"""Seconds after which a process counts as hanging."""

context = multiprocessing.get_context("forkserver")


class Child:
    """A function call in a new process."""

    def __init__(self, function, *arguments):
        context.set_forkserver_preload(["tests.soak.corruption", "tests.soak.kills"])
        # The server of Python 3.11 knows the path of its parent from this variable only.
        with mock.patch.dict(os.environ, PYTHONPATH=f"{ROOT}{os.pathsep}{ROOT / 'book'}"):
            forkserver.ensure_running()
        self.pipe, other = context.Pipe(duplex=False)
        self.process = context.Process(target=_call, args=(other, function, arguments))
        self.process.start()
        other.close()

    def result(self):
        """What the function returned or raised; fail if the process crashed or hangs."""
        assert self.pipe.poll(LONGEST), f"no answer after {LONGEST} seconds"
        try:
            result, error, trace = self.pipe.recv()
        except EOFError:
            self.process.join()
            raise AssertionError(f"crashed, exit code {self.process.exitcode}") from None
        finally:
            self.kill()
        if error is not None:
            raise error from AssertionError(trace)
        return result

    def kill(self):
        self.process.kill()
        self.process.join()


def _call(pipe, function, arguments):
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
    try:
        pipe.send((function(*arguments), None, ""))
    except Exception as error:
        pipe.send((None, error, traceback.format_exc()))
