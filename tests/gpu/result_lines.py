# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest for tests/gpu/product: one line of JSON for each test, written as soon as the test has ended.

RESULT_LINES names the file; what it has already is not done again. RESULT_DEADLINE is how many seconds a test may take,
its fixtures included: then whatever it waits for raises.
"""
import json
import os
import signal

import pytest

PATH = os.environ["RESULT_LINES"]
DEADLINE = int(os.environ["RESULT_DEADLINE"])
TEXT_MAX = 4000
running = {}  # name of a test: what its parts have said so far


def finished():
    """Names of the tests that the file has."""
    if not os.path.exists(PATH):
        return set()
    with open(PATH) as f:
        return {json.loads(line)["test"] for line in f}


def pytest_collection_modifyitems(config, items):
    done = finished()
    config.hook.pytest_deselected(items=[i for i in items if i.nodeid in done])
    items[:] = [i for i in items if i.nodeid not in done]


def time_is_up(number, frame):
    signal.alarm(DEADLINE // 4)  # what the test does to clean up may wait, too
    raise TimeoutError(f"the test took more than {DEADLINE} s")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol():
    signal.signal(signal.SIGALRM, time_is_up)
    signal.alarm(DEADLINE)
    yield
    signal.alarm(0)


def pytest_runtest_logreport(report):
    test = running.setdefault(report.nodeid, {"test": report.nodeid, "end": "ok", "seconds": 0, "text": ""})
    test["seconds"] += report.duration
    if report.when == "call":
        test["text"] += report.capstdout
    if not report.passed:
        test["end"] = "failed"
        test["text"] += report.longreprtext
    if report.when == "teardown":
        line = {**running.pop(report.nodeid), "seconds": round(test["seconds"], 2), "text": test["text"][-TEXT_MAX:]}
        with open(PATH, "a") as f:  # to append: other processes write lines, too
            f.write(json.dumps(line) + "\n")
