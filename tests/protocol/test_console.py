# SPDX-License-Identifier: Apache-2.0
"""jupyter console, as a person at a terminal uses it."""
import os
import sys

import pexpect
from session import DEADLINE


def test_console(prefix, mark, tmp_path):
    env = {**os.environ, "JUPYTER_PATH": str(prefix / "share" / "jupyter"), "HOME": str(tmp_path), "TERM": "dumb",
           "CGPU_TEST_MARK": mark}
    console = pexpect.spawn(sys.executable, ["-m", "jupyter_console", "--kernel", "cgpu", "--simple-prompt"],
                            env=env, encoding="utf8", timeout=DEADLINE)
    console.expect(r"C GPU \(safe\)")
    console.expect(r"In \[1\]")
    console.sendline("6*7")
    console.expect(r"Out\[1\]: 42")
    console.expect(r"In \[2\]")
    console.sendline("int x = no_such_name;")
    console.expect("undeclared identifier 'no_such_name'")
    console.expect(r"In \[3\]")
    console.sendline("*(volatile int *)0 = 1;")
    console.expect("SegmentationFault")
    console.expect(r"In \[4\]")
    console.sendline("exit")
    console.expect(pexpect.EOF)
