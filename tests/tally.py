#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sum the results of all tests into one line, "N passed, N failed", and exit 1 unless all passed.

tally.py (FOLDER | JUNIT.xml)... : a build folder stands for what its `make check` ran (the .trs and .log
files of automake, cmocka's counts inside), an XML file for a pytest run. A skipped test counts as failed: a test
that did not run has shown nothing. So does a part that left no results at all. Each failure is listed with the
lines that say what was wrong, since the end of a log is often all that a reader of it is given.
"""
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path


REASON_LINES = 4
REASON_WIDTH = 200


def say_why(lines):
    for line in [line for line in lines if line.strip()][:REASON_LINES]:
        print(f"    | {line.rstrip()[:REASON_WIDTH]}")


def unit_reason(log):
    """The lines from the first failure on, or the last ones of a program that tells of none."""
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    errors = [i for i, line in enumerate(lines) if re.match(r"ERROR: |\[  ERROR   \]|.*ERROR: \w+Sanitizer", line)]
    return lines[errors[0]:] if errors else lines[-REASON_LINES:]


def unit_counts(log, result):
    """(passed, failed) of one unit test program: cmocka's sums, or 1 for a program that only has an exit status."""
    text = log.read_text(errors="replace") if log.exists() else ""
    passed = sum(int(n) for n in re.findall(r"\[  PASSED  \] (\d+) test", text))
    failed = sum(int(n) for n in re.findall(r"\[  FAILED  \].*?(\d+) test\(s\), listed", text))
    if result == "PASS":
        return max(passed, 1), failed
    return passed, max(failed, 1)


def folder_counts(folder):
    passed = failed = 0
    for trs in sorted(folder.rglob("*.trs")):
        result = re.search(r":test-result: (\w+)", trs.read_text())
        p, f = unit_counts(trs.with_suffix(".log"), result.group(1) if result else "ERROR")
        if f:
            print(f"  FAILED {trs.with_suffix('.log')}")
            say_why(unit_reason(trs.with_suffix(".log")))
        passed, failed = passed + p, failed + f
    return passed, failed


def junit_counts(path):
    passed = failed = 0
    if not path.exists():
        return passed, failed
    for case in ET.parse(path).iter("testcase"):
        bad = [e for e in case if e.tag in ("failure", "error", "skipped")]
        passed, failed = passed + (not bad), failed + bool(bad)
        if bad:
            print(f"  {bad[0].tag.upper():7} {case.get('classname')}.{case.get('name')}")
            say_why(bad[0].get("message", "").splitlines())
    return passed, failed


def main(parts):
    passed = failed = 0
    for part in map(Path, parts):
        p, f = junit_counts(part) if part.suffix == ".xml" else folder_counts(part)
        if p + f == 0:
            print(f"  FAILED {part}: no test ran")
            f = 1
        print(f"{part.name}: {p} passed, {f} failed")
        passed, failed = passed + p, failed + f
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
