# SPDX-License-Identifier: Apache-2.0
"""Two notebooks on one device: what one holds the other cannot have, waits for, and gets in the end."""
import fcntl
import os
import signal
import struct

from session import wait_until

TAKE = """#include <stdio.h>
char *p; printf("%d", cudaMalloc(&p, 160 << 20));"""
ASK = """#include <stdio.h>
printf("asking\\n"); fflush(stdout);
char *q; printf("%d", cudaMalloc(&q, 160 << 20));"""


def printed(session, code):
    return session.run(code).ok().printed


def test_what_one_notebook_holds_is_refused_to_the_other(pair):
    first, second = pair
    assert printed(first, TAKE) == "0"
    answer = second.run("char *q; cudaMalloc(&q, 160 << 20);")
    assert answer.ename == "CudaOutOfMemory"
    assert f"""\
cudaMalloc of 160.0 MiB for `q` in line 1 was refused: the notebooks on this machine share 256 MB of device memory, \
and so much is not free.

     160 MB  first.ipynb, process {first.pid}

Free what is not needed (cudaFree), here or there, or let cells wait for it: %limit wait 5min.
""" in answer.traceback
    assert printed(second, "#include <stdio.h>\nchar *q; " 'printf("%d", cudaMalloc(&q, 90 << 20));') == "0"
    shown = printed(first, "%gpu")
    assert "notebooks that share device 0:\n" in shown
    assert "     160 MB  first.ipynb (this one)" in shown and f"      90 MB  second.ipynb, process {second.pid}" in shown
    printed(second, "cudaFree(q);")
    printed(first, "cudaFree(p);")
    assert "notebooks" not in printed(first, "%gpu")
    assert printed(second, TAKE) == "0"


def test_memory_of_a_failed_cell_is_the_others_again(pair):
    first, second = pair
    assert first.run(TAKE + "\n*(volatile int *)0 = 1;").ename == "SegmentationFault"
    assert printed(second, TAKE) == "0"
    assert first.run("char *p; cudaMalloc(&p, 160 << 20);").ename == "CudaOutOfMemory"


def test_a_cell_waits_until_the_other_notebook_gives_memory_back(pair):
    first, second = pair
    assert printed(first, TAKE) == "0"
    assert "wait    1 min" in printed(second, "%limit wait 60s")
    waiting = second.start(ASK)
    waiting.wait_output("asking")
    assert printed(first, "cudaFree(p);") == ""
    assert waiting.wait().ok().stdout == "asking\n0"


def test_a_cell_that_waits_can_be_interrupted(pair):
    first, second = pair
    assert printed(first, TAKE) == "0"
    printed(second, "%limit wait 1h")
    waiting = second.start("int kept = 7;\n" + ASK + "\nfor (;;);")
    waiting.wait_output("asking")
    second.interrupt()
    assert waiting.wait().ename == "Interrupted"
    assert "Brought back" in printed(second, "%redo")
    assert printed(second, 'printf("%d", kept);') == "7"
    assert "waits" not in printed(first, "%gpu")


def test_what_a_killed_kernel_held_is_free(pair):
    first, second = pair
    assert printed(first, TAKE) == "0"
    printed(second, "%limit wait 1h")
    waiting = second.start(ASK)
    waiting.wait_output("asking")
    os.kill(first.pid, signal.SIGKILL)
    assert waiting.wait().ok().stdout == "asking\n0"


def test_the_last_one_to_wait_for_another_gives_way(pair):
    first, second = pair
    for session in pair:
        session.run("%limit wait 1h").ok()
        session.run("#include <stdio.h>\nchar *a; cudaMalloc(&a, 100 << 20);").ok()
    waiting = first.start('printf("asking\\n"); fflush(stdout); char *b; printf("%d", cudaMalloc(&b, 100 << 20));')
    waiting.wait_output("asking")
    assert wait_until(lambda: "waits for 100 MB more" in printed(second, "%gpu"))
    answer = second.run("char *b; cudaMalloc(&b, 100 << 20);")
    assert answer.ename == "CudaOutOfMemory" and "all others wait for more, too" in answer.evalue
    printed(second, "cudaFree(a);")
    assert waiting.wait().ok().stdout == "asking\n0"


class Locked:
    """The list of notebooks as a kernel has it that gets no processor."""

    def __init__(self, path):
        self.path = path

    def __enter__(self):
        self.file = open(self.path, "r+b")
        fcntl.fcntl(self.file, fcntl.F_OFD_SETLKW, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 1, 0))

    def __exit__(self, *_):
        self.file.close()


def test_a_list_that_is_locked_for_long_is_tried_again(pair, tmp_path):
    first, second = pair
    assert printed(first, TAKE) == "0"
    printed(second, "%limit wait 60s")
    with Locked(tmp_path / "gpus" / "share"):
        # That nothing is held any more cannot be said now, and nobody can ask.
        printed(first, "cudaFree(p);")
        waiting = second.start(ASK)
        waiting.wait_output("asking")
        # Each of these cells waits for the lock in vain, at its begin and at its end.
        for _ in range(2):
            printed(first, "int x;")
    assert waiting.wait().ok().stdout == "asking\n0"
