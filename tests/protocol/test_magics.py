# SPDX-License-Identifier: Apache-2.0
"""The commands of a cell, each through a front end."""
import re
import time

import pytest

from session import DEADLINE, alive, wait_until


def test_who_and_whos(fresh_kernel):
    assert "no variables" in fresh_kernel.run("%who").ok().stdout
    fresh_kernel.run("#include <stdlib.h>\nint count = 3;\ndouble grid[4];\nint *block;").ok()
    fresh_kernel.run("block = malloc(100 * sizeof(int));\nblock[0] = 11;").ok()
    assert set(fresh_kernel.run("%who").ok().stdout.split()) == {"count", "grid", "block"}
    rows = {line.split()[0]: line for line in fresh_kernel.run("%whos").ok().printed.splitlines()}
    assert "int" in rows["count"] and "4 B" in rows["count"] and "In[2]" in rows["count"]
    assert rows["count"].endswith("3")
    assert "double" in rows["grid"] and "32 B" in rows["grid"]
    assert "400 bytes on the heap" in rows["block"] and "In[3]" in rows["block"]
    assert fresh_kernel.run("%who g*").ok().stdout.split() == ["grid"]
    assert fresh_kernel.run("%who int \\*").ok().stdout.split() == ["block"]
    assert [line.split()[0] for line in fresh_kernel.run("%whos int").ok().printed.splitlines()] == ["name", "count"]
    for magic in ("%who", "%whos"):
        assert "a name or a type like `float *`" in fresh_kernel.run(f"{magic} float *").ok().stdout


@pytest.mark.cuda
def test_whos_says_nothing_of_the_runtime_s_handles(fresh_kernel):
    fresh_kernel.run("cudaStream_t s; cudaEvent_t e; cudaStreamCreate(&s); cudaEventCreate(&e); int *wild = (int *)99;").ok()
    rows = {line.split()[0]: line for line in fresh_kernel.run("%whos").ok().printed.splitlines()}
    assert "  [" not in rows["s"] + rows["e"] and "[nobody's memory]" in rows["wild"], rows


@pytest.mark.cuda
def test_whos_shows_device_buffers(fresh_kernel):
    fresh_kernel.run("float *d;\ncudaMalloc(&d, 4096);").ok()
    assert "4096 bytes on the device" in fresh_kernel.run("%whos").ok().printed
    shown = fresh_kernel.run("%gpu").ok().printed
    assert "memory:" in shown and "4 KB" in shown and "In[1]" in shown


def test_tables_are_also_html(fresh_kernel):
    fresh_kernel.run('int a = 3; char *text = "<b>&";').ok()
    result = fresh_kernel.run('%whos\nprintf("behind it\\n");').ok()
    assert [m["msg_type"] for m in result.messages if m["msg_type"] in ("stream", "display_data")] == ["display_data", "stream"]
    html = result.displays[0]["text/html"]
    assert html.count("<tr>") == 3 and ">a</td>" in html and "&lt;b&gt;&amp;" in html and "<b>" not in html, html


@pytest.mark.cuda
def test_buffers_are_also_html(fresh_kernel):
    fresh_kernel.run("float *d;\ncudaMalloc(&d, 4096);").ok()
    shown, = fresh_kernel.run("%gpu").ok().displays
    html = shown["text/html"]
    assert "<pre style=" in html and "memory: " in html and ">d</td><td>4 KB</td>" in html, html


def test_a_pointer_shows_what_it_points_to(fresh_kernel):
    """A struct with its members, as many elements as its block has, and no byte behind the block."""
    def shown(code):
        return re.sub("0x[0-9a-f]+", "0x0", fresh_kernel.run(code).ok().shown)

    assert shown("struct node { int v; struct node *next; } last = {2, NULL}, first = {1, &last}, *list = &first;\nlist") == (
        "(struct node *) 0x0 -> {.v = 1, .next = 0x0} [first, In[1]]")
    assert shown("struct node *many = calloc(3, sizeof *many);\nmany[2].v = 7;\nmany + 1") == (
        "(struct node *) 0x0 -> {{.v = 0, .next = NULL}, {.v = 7, .next = NULL}} [48 bytes on the heap + 16, In[2]]")
    assert shown("float *few = calloc(2, 4), *all = calloc(1000, 4);\nfew") == (
        "(float *) 0x0 -> {0.0, 0.0} [8 bytes on the heap, In[3]]")
    assert shown("all") == f"(float *) 0x0 -> {{{'0.0, ' * 20}... 1000 items}} [4000 bytes on the heap, In[3]]"
    assert shown("double alone = 2.5, *at = &alone;\nat") == "(double *) 0x0 -> 2.5 [alone, In[5]]"
    fresh_kernel.run('char *word = malloc(3);\nmemcpy(word, "abc", 3);').ok()
    rows = {line.split()[0]: line for line in fresh_kernel.run("%whos").ok().printed.splitlines()}
    assert "\"abc\" (its 3 bytes have no '\\0')" in rows["word"], rows["word"]
    assert "-> {0.0, 0.0, 0.0, 0.0, 0.0, 0.0...  [4000 bytes" in rows["all"], rows["all"]
    assert fresh_kernel.run("stdout").ok().shown.startswith("(FILE *) 0x")


@pytest.mark.cuda
def test_a_device_pointer_shows_what_is_on_the_device(fresh_kernel):
    fresh_kernel.run("float v[3] = {1, 2, 3}, *d;\ncudaMalloc(&d, 12);\ncudaMemcpy(d, v, 12, cudaMemcpyDefault);").ok()
    for _ in range(2):
        shown = fresh_kernel.run("d").ok().shown
        assert re.fullmatch(r"\(float \*\) 0x\w+ -> \{1.0, 2.0, 3.0\} \[12 bytes on the device, In\[1\]\]", shown), shown
        assert "value: (float *) 0x" in kernel_text(fresh_kernel, "d") and "-> {1.0, 2.0, 3.0}" in kernel_text(fresh_kernel, "d")
        fresh_kernel.run("%park").ok()


def kernel_text(kernel, name):
    return kernel.ask("inspect", name, len(name), 0)["data"]["text/plain"]


@pytest.mark.cuda
def test_pointers_of_every_kind_are_listed(fresh_kernel):
    fresh_kernel.run("char *none, *text, *wild, *device_text;\nvoid *anything;\nvoid (*function)(int);\n"
                     'text = strdup("caf\u00e9"); wild = (char *)0x123456; anything = &text;\n'
                     "cudaMalloc(&device_text, 64);").ok()
    rows = {line.split()[0]: line for line in fresh_kernel.run("%whos").ok().printed.splitlines()}
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
    for kind in ("gpu", "ram"):
        assert fresh_kernel.run(f"%limit {kind} 100").evalue == f"%limit {kind}: 100 of what? Say a unit: 100M, 100G or 100%"
    assert re.match(r"The machine has \d.*: more cannot be had\.\n", fresh_kernel.run("%limit ram 1000T").ok().stdout)
    assert "ram     100 MB" in fresh_kernel.run("%limit ram 104857600").ok().stdout
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


PER_LOOP = re.compile(r"([\d.]+) (ns|us|ms|s) \+- [\d.]+ (ns|us|ms|s) per loop "
                      r"\(mean \+- std\. dev\. of (\d+) runs?, (\d+) loops? each\)")


def per_loop(result):
    """(nanoseconds a loop, runs, loops a run) of what %timeit shows."""
    found = PER_LOOP.fullmatch(result.ok().displays[-1]["text/plain"])
    assert found, result.displays
    return float(found[1]) * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[found[2]], int(found[4]), int(found[5])


def test_timeit_runs_the_code_as_often_as_it_says(kernel):
    kernel.run("int turns;").ok()
    assert per_loop(kernel.run("%timeit -n 10 -r 3 turns++"))[1:] == (3, 10)
    assert kernel.run("turns").ok().text == "30"
    assert per_loop(kernel.run("%timeit -n4 -r1 turns = 5 // with a comment behind it"))[1:] == (1, 4)
    # As long as it sleeps, and not much longer, whatever else the machine does: the mean of one run is what it was.
    ns, runs, loops = per_loop(kernel.run("%%timeit -r 1\nturns++;\nusleep(5000);"))
    assert 5e6 <= ns and runs == 1 and loops in (20, 50, 10, 5, 2, 1)


def test_timeit_finds_how_many_loops_make_a_run(kernel):
    kernel.run("volatile long counted;").ok()
    ns, runs, loops = per_loop(kernel.run("%timeit counted++"))
    assert runs == 7 and loops >= 1000 and str(loops).rstrip("0") in ("1", "2", "5") and ns < 1e5
    # The trials come to less than two runs.
    assert 7 * loops < int(kernel.run("counted").ok().text) < 9 * loops


@pytest.mark.parametrize("cell, place", [("%timeit  nope", "1:10"), ("%timeit -n 5 nope", "1:14"),
                                         ("%%timeit -r 2\nint x = 1;\nnope", "3:1")])
def test_timeit_keeps_the_place_of_an_error(kernel, cell, place):
    r = kernel.run(cell)
    assert r.evalue.startswith(f"In[{r.count}]:{place}: error: use of undeclared identifier 'nope'"), r.shown


@pytest.mark.parametrize("cell, place, line", [
    ("%timeit 1 +", "1:12", " " * 8 + "1 +"), ("%timeit 1 << 40;", "1:11", " " * 8 + "1 << 40;"),
    ("%%timeit -r 2\nint x = 1;\nx = 2 +", "3:8", "x = 2 +"),
    ("%timeit *(volatile int *)0 = 1;", "1", " " * 8 + "*(volatile int *)0 = 1;")])
def test_no_message_quotes_the_loop_of_timeit(kernel, cell, place, line):
    r = kernel.run(cell)
    text = r.traceback + r.stderr
    assert f"In[{r.count}]:{place}: " in text or f"In[{r.count}], line {place}\n" in text, text
    assert f"| {line}\n" in text and "cgpu_" not in text, text


def test_timeit_is_a_cell_as_any_other(kernel):
    kernel.run("int before = 1;").ok()
    failed = kernel.run("%timeit -n 10 if (before++ == 5) *(volatile int *)0 = 1")
    assert failed.ename == "SegmentationFault" and "line 1" in failed.evalue
    assert kernel.run("before").ok().text == "1"


@pytest.mark.parametrize("cell, says", [("%timeit", "which code? %timeit [-n LOOPS] [-r RUNS] CODE"),
                                        ("%%timeit -r 3\n ", "which code?"), ("%timeit -n x n++", "a number from 1"),
                                        ("%timeit -r 0 n++", "a number from 1"),
                                        ("%timeit -n 5x n++", "a number from 1")])
def test_timeit_says_what_is_missing(kernel, cell, says):
    refused = kernel.run(cell)
    assert refused.ename == "UsageError" and says in refused.evalue, refused.shown


def test_timeit_of_cpp(kernel):
    kernel.run("%%cpp\n#include <vector>\nstd::vector<int> timed(10);").ok()
    assert per_loop(kernel.run("%%cpp\n%timeit -n 5 -r 2 for (int &i : timed) i++"))[1:] == (2, 5)
    assert kernel.run("%%cpp\ntimed[9]").ok().text == "10"


@pytest.mark.cuda
def test_timeit_waits_for_the_device(kernel):
    """A launch returns before its work is done, which belongs to the run."""
    kernel.run("__global__ void spin(long *n) { for (int i = 0; i < 100000; i++) atomicAdd((unsigned long long *)n, 1ull); }\n"
               "long *spun; cudaMallocManaged(&spun, 8);").ok()
    alone = kernel.run("%time spin<<<1, 1>>>(spun); cudaDeviceSynchronize();").ok()
    ns, *_ = per_loop(kernel.run("%timeit -n 2 -r 1 spin<<<1, 1>>>(spun)"))
    assert ns > float(re.search(r"run ([\d.]+) ms", alone.stdout)[1]) * 1e6 / 20
    assert kernel.run("*spun").ok().text == "300000"
    failed = kernel.run("%timeit -n 2 -r 2 spin<<<1, 1>>>((long *)64)")
    assert failed.ename == "CudaIllegalAddress" and not failed.displays


def test_history_shows_inputs(fresh_kernel):
    run = fresh_kernel.run
    run("int first_input = 1;").ok()
    run("int b = 2;\nb").ok()
    assert run("%history").ok().stdout == "int first_input = 1;\nint b = 2;\nb\n%history\n"
    assert run("%history -n 1-2").ok().stdout == "   1: int first_input = 1;\n   2: int b = 2;\n      b\n"
    assert run("%hist 2").ok().stdout == "int b = 2;\nb\n"
    assert run("%history -l 1").ok().stdout == "%history -l 1\n"
    assert "int first_input = 1;\n" in run("%history -g first_i*=").ok().stdout
    assert run("%history 90-99").ok().stdout == ""
    for word in ("x", "3-2", "0", "2-", "-l", "-l x", "-l 0"):
        refused = run(f"%history {word}")
        assert refused.ename == "UsageError" and "no number and no range as 3-5" in refused.evalue, refused.shown
    assert "which text?" in run("%history -g").evalue


@pytest.mark.parametrize("magic, name", [("%%bash", "bash"), ("%%sh", "sh")])
def test_a_script_of_a_shell(kernel, magic, name):
    script = "for i in 1 2; do\n  echo \"it's $i\"\ndone\ncat <<'END'\nof $0\nEND\nps -o comm= -p $$\ntrue"
    assert kernel.run(f"{magic}\n{script}").ok().stdout == f"it's 1\nit's 2\nof $0\n{name}\n"


@pytest.mark.parametrize("script, says", [("echo so far; exit 3", "exit status 3"),
                                          ("echo so far; kill -9 $$", "ended by signal 9 (Killed)")])
def test_a_script_that_fails_is_an_error(kernel, script, says):
    """So "Run All" stops there. A command of `!` only says it."""
    failed = kernel.run(f"%%bash\n{script}")
    assert (failed.ename, failed.evalue, failed.stdout) == ("CommandFailed", f"%%bash: {says}", "so far\n")
    assert kernel.run(f"!{script}").ok().stderr == f"{says}\n"


def test_a_script_is_interrupted(kernel):
    script = "%%bash\ntrap 'echo trapped; exit 1' INT\necho begins\nwhile :; do sleep 0.1; done"
    cell = kernel.start(script).wait_output("begins\n")
    kernel.interrupt()
    ended = cell.wait()
    assert "interrupted" in ended.evalue and ended.ename != "CommandFailed", ended.shown
    assert "trapped" in ended.stdout


@pytest.mark.parametrize("cell, says", [("%%bash", "there is no script"), ("%%sh\n \n", "there is no script"),
                                        ("%%bash -x\necho", "takes no arguments")])
def test_a_script_is_asked_for(kernel, cell, says):
    refused = kernel.run(cell)
    assert refused.ename == "UsageError" and says in refused.evalue, refused.shown


def test_help_names_every_command(kernel):
    listed, = kernel.run("%help").ok().displays
    shown = listed["text/plain"]
    assert max(map(len, shown.splitlines())) <= 96
    for name in ("%who ", "%whos", "%gpu", "%limit", "%undo", "%reset", "%time", "%timeit", "%history", "%%bash", "%doctor",
                 "!COMMAND"):
        assert name in shown and f">{name.strip()}" in listed["text/html"]
    assert "block" in kernel.run("%help whos").ok().printed
    assert "nearest" in kernel.run("%help whoos").evalue


def test_the_help_of_a_command_in_three_forms(kernel):
    shown, = kernel.run("%help interrupt").ok().displays
    first = "Sets what becomes of an interrupted cell: rolled back, or kept as far as it came."
    assert shown["text/plain"].startswith(f"%interrupt [keep|back]\n{first}\n- `back`: it is rolled back,")
    assert shown["text/markdown"].startswith(f"`%interrupt [keep|back]`\n\n{first}\n\n- `back`: it is rolled back,")
    assert shown["text/html"].startswith(f"<p><code>%interrupt [keep|back]</code></p><p>{first}</p><ul><li><code>back</code>: it")
    assert kernel.run("%interrupt?").ok().reply["payload"][0]["data"] == shown
    assert kernel.ask("inspect", "%interrupt keep", 5, 0)["data"] == shown


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
    for question in ("?whos", "%whos?", "?%whos", "%%whos??", "whos?"):
        assert "%whos" in kernel.run(question).ok().reply["payload"][0]["data"]["text/plain"]
    assert kernel.run("?no_such_thing_at_all").status == "error"
    assert "there is no magic %whoz; the nearest is %who" in kernel.run("%whoz?").evalue


def test_a_name_of_the_code_comes_before_that_of_a_magic(fresh_kernel):
    def page(code):
        return fresh_kernel.run(code).ok().reply["payload"][0]["data"]["text/plain"]

    assert "%limit" in page("limit?")
    fresh_kernel.run("double limit = 2.5;").ok()
    assert "double limit" in page("limit?") and "2.5" in page("?limit")
    assert "%limit" in page("%limit?")


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


def test_cflags_of_the_environment(start_kernel):
    kernel = start_kernel(CGPU_CFLAGS="-DOF_ALL=17")
    assert kernel.run("OF_ALL").ok().text == "17" and "-DOF_ALL=17" in kernel.run("%cflags").ok().stdout
    kernel.run("%cflags off").ok()
    assert "OF_ALL" in kernel.run("OF_ALL").evalue
    kernel.close()
    refused = start_kernel(CGPU_CFLAGS="-fplugin=x.so")
    assert refused.run("%cflags").ok().stdout == "cflags: none\n" and refused.run("1 + 1").ok().text == "2"
    refused.close()


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
