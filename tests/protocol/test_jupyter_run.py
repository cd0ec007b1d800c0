# SPDX-License-Identifier: Apache-2.0
"""`jupyter run FILE`: a file as one cell, which also gives the name of the file to the kernel as an argument."""
import os
import subprocess
import sys

import pytest


@pytest.fixture
def run(prefix, mark, cache, tmp_path):
    """run(text, name) -> CompletedProcess."""
    def run(text, name="program.c"):
        (tmp_path / name).write_text(text)
        env = {**os.environ, "JUPYTER_PATH": str(prefix / "share" / "jupyter"), "HOME": str(tmp_path), "CGPU_TEST_MARK": mark,
               "XDG_CACHE_HOME": str(cache)}
        return subprocess.run([sys.executable, "-m", "jupyter_client.runapp", "--kernel", "cgpu", name], env=env, cwd=tmp_path,
                              text=True, capture_output=True)
    return run


def test_a_file_is_a_cell(run):
    ended = run("int twice(int n) { return 2 * n; }\nprintf(\"%d\\n\", twice(21));\n")
    assert (ended.returncode, ended.stdout) == (0, "42\n"), ended.stderr


def test_a_program_is_told_how_it_runs(run):
    ended = run("int main(void) { puts(\"ran\"); return 0; }\n")
    assert ended.returncode == 0 and "%run ARGUMENTS` runs it" in ended.stderr and not ended.stdout
    ended = run("%run\nint main(void) { puts(\"ran\"); return 0; }\n")
    assert ended.returncode == 0 and ended.stdout.startswith("ran\n"), ended.stderr


def test_a_file_that_fails(run):
    ended = run("puts(\"so far\");\n*(volatile int *)0 = 1;\n", "wrong.c")
    assert ended.returncode != 0 and ended.stdout.startswith("so far\n")
    assert "address 0x0 is a null pointer; at In[1], line 2" in ended.stderr
