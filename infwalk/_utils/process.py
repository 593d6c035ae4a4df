"""Facts about a running process."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from infwalk._utils.optional import optional_import


def peak_memory(pid: int | None = None) -> int | None:
    """Return the peak resident memory in bytes of a process, by default this one.

    None where the system does not say. Other processes are known on Linux only.
    """
    # On Linux, getrusage would count what the parent held when it started this process.
    with suppress(OSError):
        status = Path("/proc", "self" if pid is None else str(pid), "status").read_text()
        if found := re.search(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE):
            return int(found[1]) * 1024
    resource = optional_import("resource")
    if pid is not None or resource is None:
        return None
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
