# SPDX-License-Identifier: Apache-2.0
"""The commands of a cell, each through a front end."""
import time

import pytest

from session import DEADLINE, alive, wait_until


def test_who_and_whos(fresh_kernel):
    assert "no variables" in fresh_kernel.run("%who").ok().stdout
    fresh_kernel.run("#include <stdlib.h>\nint count = 3;\ndouble grid[4];\nint *block;").ok()
    fresh_kernel.run("block = malloc(100 * sizeof(int));\nblock[0] = 11;").ok()
    assert set(fresh_kernel.run("%who").ok().stdout.split()) == {"count", "grid", "block"}
    rows = {line.split()[0]: line for line in fresh_kernel.run("%whos").ok().stdout.splitlines()}
    assert "int" in rows["count"] and "4 B" in rows["count"] and "In[2]" in rows["count"]
    assert rows["count"].endswith("3")
    assert "double" in rows["grid"] and "32 B" in rows["grid"]
    assert "400 bytes on the heap" in rows["block"] and "In[3]" in rows["block"]
    assert fresh_kernel.run("%who g*").ok().stdout.split() == ["grid"]


@pytest.mark.cuda
def test_whos_says_nothing_of_the_runtime_s_handles(fresh_kernel):
    fresh_kernel.run("cudaStream_t s; cudaEvent_t e; cudaStreamCreate(&s); cudaEventCreate(&e); int *wild = (int *)99;").ok()
    rows = {line.split()[0]: line for line in fresh_kernel.run("%whos").ok().stdout.splitlines()}
    assert "  [" not in rows["s"] + rows["e"] and "[nobody's memory]" in rows["wild"], rows


@pytest.mark.cuda
def test_whos_shows_device_buffers(fresh_kernel):
    fresh_kernel.run("float *d;\ncudaMalloc(&d, 4096);").ok()
    assert "4096 bytes on the device" in fresh_kernel.run("%whos").ok().stdout
    shown = fresh_kernel.run("%gpu").ok().stdout
    assert "memory:" in shown and "4 KB" in shown and "In[1]" in shown


@pytest.mark.cuda
def test_pointers_of_every_kind_are_listed(fresh_kernel):
    fresh_kernel.run("char *none, *text, *wild, *device_text;\nvoid *anything;\nvoid (*function)(int);\n"
                     'text = strdup("caf\u00e9"); wild = (char *)0x123456; anything = &text;\n'
                     "cudaMalloc(&device_text, 64);").ok()
    rows = {line.split()[0]: line for line in fresh_kernel.run("%whos").ok().stdout.splitlines()}
    assert rows["none"].endswith("(char *) NULL")
    assert '"caf\u00e9"' in rows["text"] and "6 bytes on the heap" in rows["text"]
    assert "0x123456" in rows["wild"] and "nobody" in rows["wild"]
    assert "64 bytes on the device" in rows["device_text"]
    assert "text, In[1]" in rows["anything"]
    assert rows["function"].endswith("NULL")
    for name in ("none", "text", "wild", "device_text", "anything", "function"):
        assert fresh_kernel.run(name).ok().text


def test_limit(fresh_kernel):
    shown = fresh_kernel.run("%limit").ok().stdout
    assert all(word in shown for word in ("gpu", "ram", "output"))
    assert "64 MB" in fresh_kernel.run("%limit gpu 64M").ok().stdout
    r = fresh_kernel.run("%limit gpu lots")
    assert r.status == "error" and "512M" in r.evalue
    assert "has no limit" in fresh_kernel.run("%limit disk 5G").evalue
    assert "off" in fresh_kernel.run("%limit gpu off").ok().stdout


def test_undo_and_reset(fresh_kernel):
    fresh_kernel.run("int u = 1;").ok()
    fresh_kernel.run("u = 2; int v = 9;").ok()
    fresh_kernel.run("%undo").ok()
    assert fresh_kernel.run("u").ok().text == "1"
    r = fresh_kernel.run("v")
    assert r.status == "error" and "v" in r.traceback
    fresh_kernel.run("%reset").ok()
    assert fresh_kernel.run("u").status == "error"
    assert fresh_kernel.run("int u = 5;\nu").ok().text == "5"
    assert fresh_kernel.run("%undo").ok()


def test_undo_with_nothing_to_undo_is_an_error(fresh_kernel):
    assert fresh_kernel.run("%undo").status == "error"


def test_time(kernel):
    r = kernel.run("%time int t = 3;").ok()
    assert "compile" in r.stdout and "run" in r.stdout and "commit" in r.stdout
    r = kernel.run("%%time\nint t2 = 4;\nt2").ok()
    assert r.text == "4" and "compile" in r.stdout


def test_help_names_every_command(kernel):
    shown = kernel.run("%help").ok().stdout
    for name in ("%who ", "%whos", "%gpu", "%limit", "%undo", "%reset", "%time", "%doctor", "!COMMAND"):
        assert name in shown
    assert "block" in kernel.run("%help whos").ok().stdout
    assert "nearest" in kernel.run("%help whoos").evalue


def test_unknown_commands_name_the_nearest(kernel):
    r = kernel.run("\n%gup")
    assert r.status == "error" and r.ename == "UsageError"
    assert "line 2" in r.evalue and "%gpu" in r.evalue
    assert kernel.run("%load_ext autoreload").status == "error"
    assert "built in" in kernel.run("%load_ext nvcc4jupyter").ok().stdout


def test_lines_hold_behind_commands(kernel):
    r = kernel.run("%who\n\nint y = undeclared;")
    assert ":3:" in r.traceback or "line 3" in r.traceback


def test_doctor(kernel):
    shown = kernel.run("%doctor").ok().stdout
    assert "ZeroMQ" in shown and "clang" in shown.lower()


def test_page(kernel):
    kernel.run("int paged = 12;").ok()
    r = kernel.run("paged?").ok()
    (payload,) = r.reply["payload"]
    assert payload["source"] == "page" and "12" in payload["data"]["text/plain"]
    assert "%whos" in kernel.run("?whos").reply["payload"][0]["data"]["text/plain"]
    assert kernel.run("?no_such_thing_at_all").status == "error"


def test_shell(kernel):
    r = kernel.run("!echo out; echo err >&2; exit 3").ok()
    assert r.stdout == "out\n" and r.stderr == "err\nexit status 3\n"
    r = kernel.run("!echo one\n!echo two\nint after_shell = 2;\nafter_shell").ok()
    assert r.stdout == "one\ntwo\n" and r.text == "2"
    assert kernel.run("!cat").ok().stdout == ""
    assert "signal 9" in kernel.run("!kill -9 $$").ok().stderr


def test_shell_output_streams_and_can_be_interrupted(kernel):
    cell = kernel.start("!echo begun; sleep 600\nint not_run = 1;")
    cell.wait_output("begun")
    kernel.interrupt()
    assert cell.wait().ename == "Interrupted"
    assert "not_run" not in kernel.run("%who").stdout


def test_a_stubborn_shell_command_is_killed_by_the_second_interrupt(kernel):
    cell = kernel.start("!trap '' INT; echo $$; while :; do sleep 600; done")
    cell.wait_output("\n")
    pid = int(cell.result.stdout)
    kernel.interrupt()
    assert alive(pid)
    kernel.interrupt()
    assert cell.wait().ename == "Interrupted"
    assert wait_until(lambda: not alive(pid))


def test_a_shell_command_has_no_descriptors_of_the_kernel(kernel):
    shown = kernel.run("!ls -l /proc/self/fd").ok().stdout
    targets = [line.split(" -> ")[1] for line in shown.splitlines() if " -> " in line]
    assert not [t for t in targets if t.startswith(("socket:", "anon_inode:", "/memfd:"))], shown


def test_background_commands_do_not_hold_the_cell(kernel):
    began = time.monotonic()
    r = kernel.run("!sleep 600 & echo started $!").ok()
    assert r.stdout.startswith("started")
    assert time.monotonic() - began < DEADLINE
    kernel.run(f"!kill {r.stdout.split()[1]}").ok()


def test_folder_and_environment_hold_for_cells_too(fresh_kernel, tmp_path):
    folder = tmp_path / "with space \u20ac"
    folder.mkdir()
    fresh_kernel.run(f"%cd {folder}").ok()
    assert fresh_kernel.run("%pwd").ok().stdout.strip() == str(folder)
    fresh_kernel.run("%env CGPU_TEST_VALUE=a b").ok()
    show = '#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n' \
           'char where[4096];\nprintf("%s|%s\\n", getcwd(where, 4096), getenv("CGPU_TEST_VALUE"));'
    assert fresh_kernel.run(show).ok().stdout == f"{folder}|a b\n"
    assert fresh_kernel.run("!echo $CGPU_TEST_VALUE").ok().stdout == "a b\n"
    assert fresh_kernel.run("*(volatile int *)0 = 1;").status == "error"
    assert fresh_kernel.run(show).ok().stdout == f"{folder}|a b\n"
    assert fresh_kernel.run("%cd /no/such/folder").status == "error"


def test_writefile(kernel, tmp_path):
    path = tmp_path / "written.c"
    kernel.run(f"%%writefile {path}\nint main(void)\n{{\n}}\n").ok()
    assert path.read_text() == "int main(void)\n{\n}\n"
    kernel.run(f"%%writefile -a {path}\n/* more */\n").ok()
    assert path.read_text().endswith("}\n/* more */\n")
    assert "cannot write" in kernel.run("%%writefile /proc/x\n1").evalue


def test_cflags(fresh_kernel):
    fresh_kernel.run("%cflags -DFROM_FLAGS=31").ok()
    assert fresh_kernel.run("FROM_FLAGS").ok().text == "31"
    fresh_kernel.run("%cflags off").ok()
    assert fresh_kernel.run("FROM_FLAGS").status == "error"


def test_displays(kernel):
    r = kernel.run("%%html\n<b>bold</b>").ok()
    assert r.displays == [{"text/html": "<b>bold</b>", "text/plain": "<b>bold</b>"}]


def test_percent_and_bang_in_c_code(kernel):
    assert kernel.run("int p = 17\n% 5;\np").ok().text == "2"
    assert kernel.run("int q =\n!p;\nq").ok().text == "0"
    assert kernel.run("int r = 1; //%d is no command\nr").ok().text == "1"
