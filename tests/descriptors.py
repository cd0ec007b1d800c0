# SPDX-License-Identifier: Apache-2.0
"""The open descriptors of a process, which may close some while they are looked at."""
import os


def named(pid, text):
    """(path below /proc, os.stat_result) of each descriptor of the process whose file has `text` in its name."""
    found = []
    for fd in os.scandir(f"/proc/{pid}/fd"):
        try:
            if text in os.readlink(fd.path):
                found.append((fd.path, os.stat(fd.path)))
        except FileNotFoundError:
            pass
    return found
