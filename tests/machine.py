# SPDX-License-Identifier: Apache-2.0
"""What this machine allows of the containment, found out without cgpu: see SECURITY.md, "Where a machine does not allow a
step"."""
import ctypes
import functools
import os

import pytest

CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000
LANDLOCK_CREATE_RULESET, LANDLOCK_VERSION, LANDLOCK_SCOPES = 444, 1, 6


@functools.cache
def allows_mounts():
    """Whether a process gets a mount namespace, as root or by a user namespace."""
    libc = ctypes.CDLL(None)
    child = os.fork()
    if not child:
        os._exit(libc.unshare(CLONE_NEWNS) and libc.unshare(CLONE_NEWUSER | CLONE_NEWNS) and 1)
    return os.waitpid(child, 0)[1] == 0


@functools.cache
def landlock():
    """Its ABI; 0 or less: there is none."""
    return ctypes.CDLL(None).syscall(LANDLOCK_CREATE_RULESET, None, 0, LANDLOCK_VERSION)


def has_landlock_scopes():
    return landlock() >= LANDLOCK_SCOPES


STEPS = {"hide-file": ("namespace", allows_mounts), "landlock": ("landlock", has_landlock_scopes)}


def need_mounts():
    """For the profile `locked`."""
    if not allows_mounts():
        pytest.skip("the profile locked does not start without a mount namespace")


def stopped_by(session, *steps):
    """For an attempt that any of these steps of CGPU_WITHOUT stops. Where the session has none of them %doctor says so, and the
    attempt is not made: it succeeds there."""
    missing = [row for step, (row, is_there) in STEPS.items()
               if step in steps and (step in session.without or not is_there())]
    if len(missing) < len(steps):
        return
    rows = session.run("%doctor").ok().stdout.splitlines()
    for name in missing:
        assert any(row.split()[:2] == ["--", name] for row in rows), rows
    pytest.skip(f"nothing stops this without {' and '.join(missing)}")
