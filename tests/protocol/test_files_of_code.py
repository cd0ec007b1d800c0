# SPDX-License-Identifier: Apache-2.0
"""%run FILE and %load FILE: the launcher reads the file, with the rights that commands of cells have."""
import os

import pytest

PROGRAM = """#include <stdio.h>
int turns;
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++, turns++) printf("<%s>", argv[i]);
    return argc - 1;
}
"""


@pytest.fixture
def folder(kernel, tmp_path):
    kernel.run(f"%cd {tmp_path}").ok()
    return tmp_path


def test_a_program_in_a_file(kernel, folder):
    (folder / "p.c").write_text(PROGRAM)
    shown = kernel.run('%run p.c one "two words"').ok()
    assert shown.stdout == "<one><two words>" and shown.displays == [{"text/plain": "exit status 2"}], shown.shown
    assert kernel.run("turns").ok().text == "2"
    assert kernel.run("%run p.c").ok().stdout == ""


@pytest.mark.cuda
def test_a_program_of_cuda(kernel, folder):
    (folder / "p.cu").write_text("""#include <cstdio>
#include <vector>
__global__ void twice(int *p) { p[threadIdx.x] *= 2; }
int main()
{
    std::vector<int> v(32, 21);
    int *d;
    cudaMalloc(&d, 128);
    cudaMemcpy(d, v.data(), 128, cudaMemcpyHostToDevice);
    twice<<<1, 32>>>(d);
    cudaMemcpy(v.data(), d, 128, cudaMemcpyDeviceToHost);
    cudaFree(d);
    std::printf("%d", v[31]);
}
""")
    assert kernel.run("%run p.cu").ok().stdout == "42"


def test_its_faults_have_its_lines(kernel, folder):
    (folder / "bad.c").write_text("int main(void)\n{\n    int *p = 0;\n    return *p;\n}\n")
    failed = kernel.run("%run bad.c")
    assert failed.ename == "SegmentationFault" and "return *p;" in failed.traceback and "line 4" in failed.evalue, failed.shown
    (folder / "bad.c").write_text("int main(void) { return no_such_name; }\n")
    assert kernel.run("%run bad.c").ename == "CompileError"


@pytest.mark.parametrize("magic", ["%run", "%load"])
def test_what_cannot_be_read_says_why(kernel, folder, magic):
    (folder / "large.c").write_text("//" + "x" * (1 << 20))
    (folder / "zero.c").write_bytes(b"int a;\0")
    for name, why in (("none.c", "No such file"), ("large.c", "larger than a megabyte"), ("zero.c", "it has a zero byte")):
        failed = kernel.run(f"{magic} {name}")
        assert failed.ename == "UsageError" and why in failed.evalue and name in failed.evalue, failed.shown


def test_a_cell_has_one_program(kernel, folder):
    (folder / "p.c").write_text(PROGRAM)
    failed = kernel.run("%run p.c\nint more;")
    assert failed.ename == "UsageError" and "code of its own" in failed.evalue, failed.shown


def test_load_puts_the_file_into_the_cell(kernel, folder):
    (folder / "it's.c").write_text("int loaded = 7;\n")
    [payload] = kernel.run("%load it's.c").ok().reply["payload"]
    assert payload == {"source": "set_next_input", "text": "// %load it's.c\nint loaded = 7;\n", "replace": True}
    kernel.run(payload["text"]).ok()
    assert kernel.run("loaded").ok().text == "7"
    assert "which file?" in kernel.run("%load").evalue


def test_the_connection_file_is_out_of_reach(kernel, folder):
    path = kernel.manager.connection_file
    assert os.path.exists(path)
    shown = kernel.run(f"%load {path}")
    assert kernel.manager.session.key.decode() not in str(shown.reply) + shown.shown


def test_a_fifo_waits_until_it_is_interrupted(kernel, folder):
    os.mkfifo(folder / "fifo.c")
    for _ in range(30):
        cell = kernel.start("%load fifo.c").wait_busy()
        kernel.interrupt()
        assert cell.wait().status == "error"
    assert kernel.run("1 + 1").ok().text == "2"
