# SPDX-License-Identifier: Apache-2.0
"""A cell that takes longer than `%limit time` is interrupted, whatever it does."""
import pytest

ENDLESS = {
    "loop": "n = 1; for (;;) ;",
    "sleep": "#include <unistd.h>\nn = 1; sleep(1000);",
    "deaf": "#include <signal.h>\nsigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, NULL);\nn = 1; for (;;) ;",
    "command": "!sleep 1000\nn = 1;",
    "deaf command": "!trap '' INT; while :; do sleep 1; done\nn = 1;",
    "input": '#include <stdio.h>\nn = 1; getchar();',
}


@pytest.fixture(scope="module")
def limited(start_kernel):
    session = start_kernel(CGPU_TIME="1s")
    session.run("int n = 0;").ok()
    return session


@pytest.mark.parametrize("name", ENDLESS)
def test_whatever_it_does(limited, name):
    result = limited.run(ENDLESS[name])
    assert result.ename == "TimeLimit", result.shown
    assert result.evalue.startswith("the cell took longer than 1 s (`%limit time`): ")
    assert "TimeLimit" in result.traceback and result.errors == 1
    assert limited.run("n").ok().text == "0"


@pytest.mark.cuda
def test_a_launch_that_never_ends(limited):
    result = limited.run("__global__ void spin(volatile int *p) { while (!*p) ; }\n"
                         "int *p; cudaMalloc(&p, 4); cudaMemset(p, 0, 4);\n"
                         "n = 1; spin<<<1, 1>>>(p); cudaDeviceSynchronize();")
    assert result.ename == "TimeLimit", result.shown
    assert limited.run("n").ok().text == "0"


def test_it_is_set_by_a_magic_for_this_cell_and_the_next_ones(limited):
    assert "time    1 s a cell" in limited.run("%limit").ok().stdout
    limited.run("%limit time off\n!sleep 1.5").ok()
    limited.run("!sleep 1.5").ok()
    assert limited.run("%limit time 500ms\nfor (;;) ;").evalue.startswith("the cell took longer than 500 ms")
    assert limited.run("for (;;) ;").evalue.startswith("the cell took longer than 500 ms")
    assert "is no time" in limited.run("%limit time 5").evalue
    limited.run("%limit time 1s").ok()


def test_an_interrupt_by_hand_is_none(limited):
    cell = limited.start('#include <stdio.h>\nprintf("here\\n"); fflush(stdout); for (;;) ;').wait_output("here")
    limited.interrupt()
    assert cell.wait().ename == "Interrupted"


def test_the_administrators_limit(start_kernel, tmp_path):
    conf = tmp_path / "cgpu.conf"
    conf.write_text("time = 2s\ntime max = 5s\n")
    session = start_kernel(CGPU_LIMITS=str(conf))
    assert "time    2 s a cell" in session.run("%limit").ok().stdout
    for value in ("6s", "off"):
        refused = session.run(f"%limit time {value}")
        assert f"{conf} allows 5 s at most" in refused.evalue, refused.shown
    assert "time    5 s a cell" in session.run("%limit time 5s").ok().stdout
