# SPDX-License-Identifier: Apache-2.0
"""%%on_restart: what dies with a worker is made again."""

OPEN = """%%on_restart
FILE *notes = fopen("notes.txt", "a");
fprintf(notes, "open\\n");
fflush(notes);"""
CRASH = "*(volatile int *)0 = 1;"
WRITE = 'fprintf(notes, "written\\n") > 0 && !fflush(notes)'


def test_a_file_is_open_again(start_kernel, tmp_path):
    kernel = start_kernel(cwd=tmp_path)
    run = kernel.run
    run("int crashes = 0;").ok()
    run(OPEN).ok()
    failed = run(CRASH)
    assert "notes.txt" in failed.traceback  # what is lost is named as ever
    result = run(WRITE).ok()
    assert result.text == "1" and "In[2] (%%on_restart) was run again" in result.stderr, result.shown
    assert "run again" not in run("1").ok().stderr
    kernel.kill(kernel.worker_pid())  # between cells
    result = run(WRITE).ok()
    assert result.text == "1" and "was run again" in result.stderr
    run("%undo").ok()
    assert run(WRITE).ok().text == "1"
    assert (tmp_path / "notes.txt").read_text().split() == ["open", "open", "written", "open", "written", "open", "written"]
    run("%%on_restart").ok()
    run(CRASH)
    assert "run again" not in run("1").ok().stderr
    kernel.close()


def test_an_error_in_it_is_shown_and_does_not_loop(fresh_kernel):
    run = fresh_kernel.run
    run("int fuse = 0, good = 0;").ok()
    run("%%on_restart\nif (fuse) abort();\n").ok()
    run("%%on_restart\ngood++;\n").ok()
    run("fuse = 1;").ok()
    run(CRASH)
    result = run("fuse + 1").ok()
    assert result.text == "2"
    assert "In[2] (%%on_restart) failed" in result.stderr and "Aborted" in result.stderr, result.stderr
    assert result.stderr.count("(%%on_restart) was run again") == 1, result.stderr
    assert run("good").ok().text == "2"
    run(CRASH)
    result = run("good").ok()
    assert result.text == "3" and "failed" not in result.stderr


def test_one_that_no_longer_compiles(fresh_kernel):
    run = fresh_kernel.run
    run("int here;").ok()
    run("%%on_restart\nhere = 1;").ok()
    run("%reset here").ok()
    run(CRASH)
    result = run("5").ok()
    assert result.text == "5" and "failed when it was run again" in result.stderr, result.stderr
    assert "failed" not in run("6").ok().stderr


def test_again_with_a_snapshot(start_kernel, tmp_path):
    first = start_kernel(cwd=tmp_path, HOME=str(tmp_path), CGPU_AUTOSAVE="0")
    first.run(OPEN).ok()
    first.run("%snapshot save with_notes").ok()
    first.close()
    second = start_kernel(cwd=tmp_path, HOME=str(tmp_path), CGPU_AUTOSAVE="0")
    second.run("%restore with_notes").ok()
    result = second.run(WRITE).ok()
    assert result.text == "1" and "was run again" in result.stderr
    second.close()
