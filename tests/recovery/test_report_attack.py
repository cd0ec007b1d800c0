# SPDX-License-Identifier: Apache-2.0
"""What a report reads of a cell, its debugging information above all, is the cell's to make up."""
import pytest

# A compilation unit before clang's own, with blocks of all addresses inside each other.
NESTED = r"""#include <stdio.h>
int kept = 3;
__asm__(".pushsection .debug_abbrev,\"\",@progbits\n"
        ".byte 1,0x11,1, 0x11,1, 0x12,7, 0x10,0x17, 0,0\n"
        ".byte 2,0x0b,1, 0x11,1, 0x12,7, 0,0\n"
        ".byte 0\n.popsection\n"
        ".pushsection .debug_info,\"\",@progbits\n"
        ".4byte 9f-8f\n8: .2byte 4\n.4byte 0\n.byte 8\n"
        ".byte 1\n.quad 0\n.quad 0x7fffffffffffffff\n.4byte 0\n"
        ".rept {depth}\n.byte 2\n.quad 0\n.quad 0x7fffffffffffffff\n.endr\n"
        ".fill {depth}+1,1,0\n9:\n.popsection\n");
"""


# A variable `p` to a structure with 300 members of its own type, without names: looking a name up does not end.
ENDLESS = r"""#include <stdio.h>
struct s { int zz; } *p;
__asm__(".pushsection .debug_abbrev,\"\",@progbits\n"
        ".byte 1,0x11,1, 0x11,1, 0x12,7, 0x10,0x17, 0,0\n"
        ".byte 2,0x2e,0, 0x11,1, 0x12,7, 0,0\n"
        ".byte 3,0x34,0, 0x03,8, 0x49,0x13, 0,0\n"
        ".byte 4,0x0f,0, 0x0b,0x0b, 0x49,0x13, 0,0\n"
        ".byte 5,0x13,1, 0x0b,0x0b, 0,0\n"
        ".byte 6,0x0d,0, 0x49,0x13, 0,0\n"
        ".byte 0\n.popsection\n"
        ".pushsection .debug_info,\"\",@progbits\n"
        "1: .4byte 9f-8f\n8: .2byte 4\n.4byte 0\n.byte 8\n"
        ".byte 1\n.quad 0\n.quad 0x7fffffffffffffff\n.4byte 0\n"
        ".byte 2\n.quad 0\n.quad 0x7fffffffffffffff\n"
        ".byte 3\n.asciz \"p\"\n.4byte 2f-1b\n"
        "2: .byte 4\n.byte 8\n.4byte 3f-1b\n"
        "3: .byte 5\n.byte 4\n.rept 300\n.byte 6\n.4byte 3b-1b\n.endr\n"
        ".byte 0\n.byte 0\n9:\n.popsection\n");
"""


@pytest.mark.parametrize("depth", [10, 100_000, 1_000_000])
def test_debugging_information_of_any_shape(fresh_kernel, depth):
    """Deep nesting overflows the stack of who reads it with libdw."""
    session = fresh_kernel
    pid = session.pid
    session.run("int before = 41;").ok()
    session.run(NESTED.replace("{depth}", str(depth)) +
                "void fall(int *p) { *p = 1; }\nint after = 1;").ok()
    failed = session.run("after = 2; fall(NULL);")
    assert failed.ename == "SegmentationFault" and "is a null pointer; at In[" in failed.evalue, failed.shown
    assert ("Lines and values are not known" in failed.shown) == (depth >= 100_000), failed.shown
    assert session.run('printf("%d %d\\n", before, after);').ok().stdout == "41 1\n"
    assert session.pid == pid


def test_debugging_information_without_end(fresh_kernel):
    fresh_kernel.run(ENDLESS + "void fall(void) { p->zz = 1; }\nint after = 1;").ok()
    failed = fresh_kernel.run("after = 2; fall();")
    assert failed.ename == "SegmentationFault" and "is a null pointer; at In[" in failed.evalue, failed.shown
    assert "gave up (it takes too long)" in failed.shown, failed.shown
    assert fresh_kernel.run('printf("%d\\n", after);').ok().stdout == "1\n"
    # What cells without such information do is told as ever.
    failed = fresh_kernel.run("int *q = NULL;\n*q = 1;")
    assert "q = 0x0" in failed.shown and "Lines and values" not in failed.shown, failed.shown
