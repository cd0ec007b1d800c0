# SPDX-License-Identifier: Apache-2.0
"""pytest --nbval: a notebook gives again what is saved in it, and a changed output is found."""
import re
import subprocess
import sys

import pytest

from session import DEADLINE

IGNORED = {"tags": ["nbval-ignore-output"]}
FAILS = {"tags": ["raises-exception"]}
# What differs between runs: numbers of cells, which nbval does not count, and times. Addresses do not.
CELLS = ("int n = 6;\nint *p = &n;", "n * 7", 'printf("one\\n"); fprintf(stderr, "two\\n"); printf("three\\n");', "p",
         "char *h = malloc(10);\nh", "%time n += 1", ("*(volatile int *)0 = n;", FAILS), "#warning \"old\"\nn",
         ("int m = no_such;", FAILS), ("getpid()", IGNORED))
CHANGED = 1  # of CELLS


@pytest.fixture(scope="module")
def folder(jupyter, root, new_notebook, tmp_path_factory):
    """good.ipynb with its outputs, changed.ipynb with one that is another, and the patterns that the page tells."""
    import nbclient
    import nbformat
    made = tmp_path_factory.mktemp("nbval")
    notebook = new_notebook("cgpu", *CELLS)
    with pytest.MonkeyPatch.context() as patch:
        for name in jupyter.keys() - {"PYTEST_CURRENT_TEST"}:
            patch.setenv(name, jupyter[name])
        nbclient.NotebookClient(notebook, timeout=DEADLINE, resources={"metadata": {"path": made}}).execute()
    nbformat.write(notebook, made / "good.ipynb")
    notebook.cells[CHANGED].outputs[0].data["text/plain"] = "43"
    nbformat.write(notebook, made / "changed.ipynb")
    page = (root / "docs" / "front-ends.md").read_text()
    (made / "sanitize.cfg").write_text(re.search(r"^```\n(\[cells\]\n.*?)^```", page, re.M | re.S)[1])
    (made / "pytest.ini").write_text("[pytest]\n")
    return made


def nbval(jupyter, folder, *arguments):
    """(exit status, names of the cells that failed, all that was said)"""
    done = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--color=no", *arguments],
                          cwd=folder, env=jupyter, text=True, capture_output=True, timeout=DEADLINE)
    return done.returncode, re.findall(r"^FAILED (\S+::Cell \d+)", done.stdout, re.M), done.stdout + done.stderr


def test_the_changed_output_is_the_one_that_fails(jupyter, folder):
    status, failed, said = nbval(jupyter, folder, "--nbval", "--nbval-sanitize-with", "sanitize.cfg",
                                 "good.ipynb", "changed.ipynb")
    assert (status, failed) == (1, [f"changed.ipynb::Cell {CHANGED}"]), said
    assert f"1 failed, {2 * len(CELLS) - 1} passed" in said, said


def test_lax_runs_the_cells_and_looks_at_errors_only(jupyter, folder):
    status, failed, said = nbval(jupyter, folder, "--nbval-lax", "changed.ipynb")
    assert (status, failed) == (0, []) and f"{len(CELLS)} passed" in said, said
