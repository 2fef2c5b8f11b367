"""How many processors there are for this process."""

import os


def available_processors() -> int:
    """Processors that this process may use; all of the machine's where the system does not say."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
