# SPDX-License-Identifier: Apache-2.0
"""Writes of host code that spoil nothing that anybody looks at: one byte behind a heap block, or into one that was freed. The
cell goes on, and at its end a warning names the block; it is told once, and a cell that is right gets none."""
import re

import pytest

HINT = "    %%memcheck on top of the cell finds the line that does it\n"
FIRST = "(the first is byte 0)\n"


def warned(result):
    """The warnings, with the numbers of cells as [0] for the cell itself and [-1] for the one before."""
    count = result.ok().count
    return re.sub(r"In\[(\d+)\]", lambda m: f"In[{int(m[1]) - count}]", result.stderr)


@pytest.fixture(scope="module")
def session(kernel):
    kernel.run("#include <stdlib.h>\n#include <string.h>\n#include <malloc.h>").ok()
    return kernel


@pytest.mark.parametrize("code, size, line, at", [
    ("char *p = malloc(10);\np[10] = 0;", "10 bytes", 1, "10"),
    ("int n = 10;\nint *p = malloc(n * sizeof(int));\nfor (int i = 0; i <= n; i++)\n  p[i] = i;", "40 bytes", 2, "40"),
    ("char *p = malloc(5);\nstrcpy(p, \"hello\");", "5 bytes", 1, "5"),
    ("float *p = calloc(1001, sizeof(float));\np[1001] = 1;", "4,004 bytes", 1, "4,004"),
    ("double *p = malloc(100001 * 8);\np[100001] = 1;", "800,008 bytes", 1, "800,008"),
    ("char *p = malloc(1);\np[15] = 1;", "1 byte", 1, "15"),
    ("char *p = malloc(100);\np = realloc(p, 105);\np[105] = 1;", "105 bytes", 1, "105"),
    ("%%cpp\n#include <vector>\nstd::vector<int> v(5);\nv.data()[5] = 1;", "20 bytes", 3, "20"),
    ("#include <stdint.h>\nfor (int i = 0; i < 1; i++) {\n  char *p = malloc(6);\n  p[6] = 1;\n  free(p);\n}", "6 bytes", 3, "6"),
])
def test_an_overrun_is_told(session, code, size, line, at):
    assert warned(session.run(code)) == (f"heap overrun: a block of {size}, allocated in In[0], line {line}, "
                                         f"was written behind its end, at byte {at} {FIRST}{HINT}")
    assert session.run("1").ok().stderr == ""


def test_an_overrun_by_a_later_cell(session):
    session.run("char *q = malloc(10);").ok()
    assert session.run("q[9] = 1;").ok().stderr == ""
    assert "was written behind its end, at byte 12 " in warned(session.run("q[12] = 1;"))
    assert session.run("q[9] = 2;").ok().stderr == ""
    assert session.run("free(q);").ok().stderr == ""


def test_a_large_block_is_looked_at_when_it_is_freed(session):
    session.run("char *large = malloc(100000);").ok()
    session.run("large[100000] = 1;").ok()
    assert warned(session.run("free(large);")) == ("heap overrun: a block of 100,000 bytes, allocated in In[-2], line 1, "
                                                   f"was written behind its end, at byte 100,000 {FIRST}{HINT}")


def test_a_write_after_free(session):
    session.run("int *p = malloc(40);").ok()
    assert session.run("free(p);").ok().stderr == ""
    assert warned(session.run("p[3] = 1;")) == ("use after free: a block of 40 bytes, allocated in In[-2], line 1 and freed in "
                                                f"In[-1], was written afterwards, at byte 12 {FIRST}{HINT}")
    assert session.run("p = malloc(40);").ok().stderr == ""
    assert warned(session.run("free(p);\np[0] = 1;\np = malloc(40);")).startswith("use after free: a block of 40 bytes, ")


def test_many_are_counted(session):
    result = session.run("char *all[20];\nfor (int i = 0; i < 20; i++) {\n  all[i] = malloc(10);\n  all[i][10] = 1;\n}").ok()
    assert result.stderr.count("heap overrun") == 8 and f"and 12 more blocks\n{HINT}" in result.stderr


def test_memcheck_finds_the_line(session):
    result = session.run("%%memcheck\nchar *p = malloc(10);\np[10] = 1;")
    assert result.ename == "MemcheckError" and "line 3" in result.evalue


def test_what_a_cell_may_write_is_no_damage(session):
    """Each size up to its last byte, each way to get a block, sizes that change, blocks that are freed and taken again."""
    assert session.run("""
char *kept[300];
for (int i = 0; i < 300; i++) {
  kept[i] = i % 3 ? malloc(i) : calloc(1, i);
  memset(kept[i], 1, malloc_usable_size(kept[i]));
}
for (int i = 0; i < 300; i++) {
  kept[i] = realloc(kept[i], 2 * (i + 1) % 301 + 1);
  memset(kept[i], 2, malloc_usable_size(kept[i]));
}
for (int i = 0; i < 300; i += 2)
  free(kept[i]);
for (int i = 0; i < 300; i += 2)
  memset(kept[i] = aligned_alloc(64, 64 * (i % 7 + 1)), 3, 64 * (i % 7 + 1));
for (size_t n = 1 << 14; n < 1 << 20; n += 4095) {
  char *p = malloc(n);
  memset(p, 4, n);
  p = realloc(p, n / 2);
  memset(p, 5, n / 2);
  p = realloc(p, 3 * n);
  memset(p, 6, 3 * n);
  free(p);
}""").ok().stderr == ""
    assert session.run("for (int i = 0; i < 300; i++) free(kept[i]);").ok().stderr == ""


def test_a_rollback_brings_the_guards_back(session):
    session.run("char *r = malloc(10);").ok()
    assert session.run("r[10] = 1; free(r); *(volatile int *)0 = 1;").ename == "SegmentationFault"
    assert session.run("r[0] = 1;").ok().stderr == ""
    assert "at byte 11 " in session.run("r[11] = 1;").ok().stderr


def test_a_snapshot_brings_them_back(session):
    session.run("char *kept_block = malloc(10), *gone = malloc(50);\nfree(gone);").ok()
    session.run("%snapshot save guards").ok()
    session.run("kept_block[1] = 1; free(kept_block);").ok()
    session.run("%snapshot load guards").ok()
    assert session.run("kept_block[2] = 1;").ok().stderr == ""
    assert session.run("kept_block[10] = 1; gone[1] = 1;").ok().stderr.count(FIRST) == 2
