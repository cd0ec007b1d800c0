# SPDX-License-Identifier: Apache-2.0
"""%%expect: tests of what somebody else has written, which cannot know what is expected of it."""
import json

import pytest
from machine import need_mounts

INCLUDES = "#include <math.h>\n#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n"


@pytest.fixture
def session(kernel):
    kernel.run(INCLUDES + "int square(int x) { return x * x; }\nint calls;").ok()
    return kernel


@pytest.mark.parametrize("expected, code", [
    ("9", "square(3)"), ("0.25 +- 0.01", "1.0 / 4.1"), ("{1, 2, 3}", "int a[] = {1, 2, 3};\na"), ('"abc"', '"abc"'),
    ("true", "(_Bool)1"), ("6.02e23 +- 1e21", "6.0221e23")])
def test_the_value_is_the_one(session, expected, code):
    shown = session.run(f"%%expect {expected}\n{code}").ok()
    assert shown.text and not shown.stderr


@pytest.mark.parametrize("expected, code, why", [
    ("10", "square(3)", "the value is 9, expected is 10"),
    ("0.25 +- 0.001", "1.0 / 4.1", "the value is 0.24390243902439027, expected is 0.25 +- 0.001"),
    ("9 +- 1", '"9"', 'the value is "9", expected is 9 +- 1'),
    ("9", "square(3);", "has no value to compare")])
def test_another_value_fails_the_cell(session, expected, code, why):
    failed = session.run(f"%%expect {expected}\n{code}")
    assert failed.ename == "ExpectationFailed" and why in failed.evalue and failed.errors == 1, failed.shown
    assert failed.text is None


def test_nothing_of_it_is_kept(session):
    session.run("%%expect 1\n++calls").ok()
    assert session.run("%%expect 2\n++calls").ename == "ExpectationFailed"
    assert session.run("calls").ok().text == "0"


def test_what_else_fails_is_what_it_is(session):
    assert session.run("%%expect 1\n*(volatile int *)0").ename == "SegmentationFault"
    assert session.run("%%expect 1\nno_such_name").ename == "CompileError"
    assert session.run("%%expect\nsquare(3)").ename == "UsageError"


def test_a_silent_cell_is_compared_too(session):
    failed = session.run("%%expect 10\nsquare(3)", silent=True)
    assert failed.status == "error", failed.shown


# Each would turn a test that decides in the worker into one that passes.
FORGED = {
    "a macro": "#undef assert\n#define assert(x) ((void)0)\nint cube(int x) { return 0; }",
    "the end of the process": "int cube(int x) { _exit(0); }",
    "exit()": "int cube(int x) { exit(0); }",
    "a value that is printed": 'int cube(int x) { printf("27\\n"); fflush(stdout); return 0; }',
    # What it looks for is nowhere in its own code.
    "all memory that it has": """
int is_it(const char *p) { return p[0] == '%' && p[1] == '%' && !memcmp(p + 2, "expect 27", 9); }
int cube(int x) {
    static char line[512], part[1 << 16]; unsigned long from, to;
    FILE *maps = fopen("/proc/self/maps", "r"); int mem = open("/proc/self/mem", O_RDONLY);
    while (fgets(line, sizeof(line), maps)) {
        if (sscanf(line, "%lx-%lx r", &from, &to) != 2 || strstr(line, "[v")) continue;
        for (int n = 0; n < 1000 && from < to; n++, from += sizeof(part)) {
            ssize_t n = pread(mem, part, sizeof(part), from);
            for (ssize_t i = 0; i + 11 < n; i++) if (is_it(part + i)) return 27;
        }
    }
    return 0;
}""",
    "the notebook": """
int cube(int x) {
    static char text[1 << 16]; FILE *f = fopen("grade.ipynb", "r");
    return f && fread(text, 1, sizeof(text) - 1, f) && strstr(text, "expect 27") ? 27 : 0;
}""",
    "the history": """
int cube(int x) {
    return system("grep -r 'expect 27' $HOME >/dev/null 2>&1") ? 0 : 27;
}""",
}


@pytest.mark.parametrize("way", FORGED)
def test_code_that_is_marked_does_not_pass_by_itself(tmp_path, prefix, mark, cache, way, monkeypatch):
    """As a grader runs it: nbclient, the profile `locked`, the tests in the notebook beside the work."""
    import nbclient  # here, as they take two seconds in each process that collects tests
    import nbformat

    need_mounts()
    conf = tmp_path / "cgpu.conf"
    conf.write_text("profile min = locked\ntime = 60s\n")
    folder = tmp_path / "submitted"
    folder.mkdir()
    work = "#include <assert.h>\n#include <fcntl.h>\n#include <string.h>\n" + INCLUDES + FORGED[way]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in (
        work, "%%expect 27\ncube(3)", "%%expect 8\n2 * 4")])
    notebook.metadata.kernelspec = {"name": "cgpu", "display_name": "C GPU (safe)", "language": "c"}
    nbformat.write(notebook, folder / "grade.ipynb")
    for name, value in {"CGPU_LIMITS": conf, "CGPU_TEST_MARK": mark, "HOME": tmp_path, "XDG_CACHE_HOME": cache,
                        "JUPYTER_PATH": prefix / "share" / "jupyter"}.items():
        monkeypatch.setenv(name, str(value))
    nbclient.NotebookClient(notebook, allow_errors=True, timeout=120, resources={"metadata": {"path": folder}}).execute()
    work, test, other = [[(o.output_type, o.get("ename")) for o in cell.outputs] for cell in notebook.cells]
    assert not [name for kind, name in work if kind == "error"], json.dumps(notebook.cells[0].outputs)
    why = "ExpectationFailed" if "exit" not in FORGED[way] else "CellExited"
    assert ("error", why) in test, json.dumps(notebook.cells[1].outputs)
    assert not [name for kind, name in other if kind == "error"], json.dumps(notebook.cells[2].outputs)


def test_a_hidden_test_of_nbgrader(session):
    cell = "// ### BEGIN HIDDEN TESTS\n%%expect {}\nsquare(3)\n// ### END HIDDEN TESTS"
    session.run(cell.format(9)).ok()
    assert session.run(cell.format(8)).ename == "ExpectationFailed"
