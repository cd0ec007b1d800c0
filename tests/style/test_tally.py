# SPDX-License-Identifier: Apache-2.0
"""tests/tally.py adds up what ran, and counts what did not run as failed."""
import subprocess
import sys

CMOCKA_GOOD = "[==========] Running 3 test(s).\n[  PASSED  ] 3 test(s).\n"
CMOCKA_BAD = "[  PASSED  ] 2 test(s).\n[  FAILED  ] 1 test(s), listed below:\n[  FAILED  ] one\n\n 1 FAILED TEST(S)\n"
CMOCKA_117_BAD = "[  PASSED  ] 2 test(s).\n[  FAILED  ] suite: 1 test(s), listed below:\n[  FAILED  ] one\n"


def lines(root, *parts):
    run = subprocess.run([sys.executable, root / "tests" / "tally.py", *parts], text=True, capture_output=True)
    return run.returncode, run.stdout.splitlines()


def tally(root, *parts):
    status, printed = lines(root, *parts)
    return status, printed[-1]


def unit(folder, name, result, log):
    (folder / f"{name}.trs").write_text(f":test-result: {result}\n")
    (folder / f"{name}.log").write_text(log)


def junit(path, inner):
    path.write_text(f'<testsuites><testsuite><testcase classname="a" name="x"/>{inner}</testsuite></testsuites>')
    return path


def test_all_good(root, tmp_path):
    unit(tmp_path, "a", "PASS", CMOCKA_GOOD)
    unit(tmp_path, "b", "PASS", "no counts, only an exit status\n")
    assert tally(root, tmp_path, junit(tmp_path / "s.xml", "")) == (0, "5 passed, 0 failed")


def test_failures_are_counted_in_both_spellings_of_cmocka(root, tmp_path):
    unit(tmp_path, "a", "FAIL", CMOCKA_BAD)
    unit(tmp_path, "b", "FAIL", CMOCKA_117_BAD)
    assert tally(root, tmp_path) == (1, "4 passed, 2 failed")


def test_a_crashed_program_is_a_failure(root, tmp_path):
    unit(tmp_path, "a", "PASS", CMOCKA_GOOD)
    unit(tmp_path, "b", "FAIL", "[ RUN      ] one\n")
    assert tally(root, tmp_path) == (1, "3 passed, 1 failed")


def test_a_skipped_test_is_a_failure(root, tmp_path):
    path = junit(tmp_path / "s.xml", '<testcase classname="a" name="y"><skipped/></testcase>')
    assert tally(root, path) == (1, "1 passed, 1 failed")


def test_a_part_without_results_is_a_failure(root, tmp_path):
    assert tally(root, junit(tmp_path / "s.xml", ""), tmp_path / "missing.xml") == (1, "1 passed, 1 failed")
    (tmp_path / "empty").mkdir()
    assert tally(root, tmp_path / "empty") == (1, "0 passed, 1 failed")


def test_failures_say_what_was_wrong(root, tmp_path):
    unit(tmp_path, "a", "FAIL",
         "[ RUN      ] one\nERROR: show();\nIt is gone.\n[  ERROR   ] --- [   LINE   ] --- a.c:3: error\n")
    unit(tmp_path, "b", "FAIL", "[ RUN      ] one\n[  ERROR   ] --- 0x3 != 0\n[   LINE   ] --- b.c:3\n")
    unit(tmp_path, "c", "FAIL", "[ RUN      ] one\n")
    path = junit(tmp_path / "s.xml", '<testcase classname="a" name="y"><failure message="AssertionError: ah&#10;assert 1"/>'
                 '</testcase>')
    printed = lines(root, tmp_path, path)[1]
    said = [line.removeprefix("    | ") for line in printed if line.startswith("    | ")]
    assert said == ["ERROR: show();", "It is gone.", "[  ERROR   ] --- [   LINE   ] --- a.c:3: error",
                    "[  ERROR   ] --- 0x3 != 0", "[   LINE   ] --- b.c:3", "[ RUN      ] one",
                    "AssertionError: ah", "assert 1"]
