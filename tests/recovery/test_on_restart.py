# SPDX-License-Identifier: Apache-2.0
"""%%on_restart: what dies with a worker is made again."""
import re

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


def test_listed_replaced_and_dropped(fresh_kernel):
    session, run = fresh_kernel, fresh_kernel.run

    def listed():
        return run("%on_restart list").ok().stdout.splitlines()

    assert listed() == ["No cell is run again after a recovery."]
    run("char order[100];").ok()
    session.start('%%on_restart\nstrcat(order, "a");', cell_id="one").wait().ok()
    session.start('%%on_restart\nstrcat(order, "b");', cell_id="two").wait().ok()
    session.start('%%on_restart\nstrcat(order, "c");', cell_id="three").wait().ok()
    run("*order = 0;").ok()
    run(CRASH)
    assert run("(char *)order").ok().text.strip('"') == "abc"
    session.start('%%on_restart\n\nstrcat(order, "A");', cell_id="one").wait().ok()  # edited: it keeps its place
    rows = listed()
    assert len(rows) == 3 and 'strcat(order, "A");' in rows[0] and '"b"' in rows[1] and '"c"' in rows[2], rows
    assert re.match(r"In\[\d+\] ", rows[0])
    session.start('strcat(order, "x");', cell_id="two").wait().ok()  # the line %%on_restart was taken out
    assert [row[-4] for row in listed()] == ["A", "c"]
    run("%on_restart drop " + rows[2].split()[0]).ok()
    assert "no cell '99'" in run("%on_restart drop 99").evalue
    run("*order = 0;").ok()
    run(CRASH)
    assert run("(char *)order").ok().text.strip('"') == "A"
    assert session.ask("complete", "%on_restart drop ", 17)["matches"] == ["all", listed()[0].split()[0]]
    run("%on_restart drop all").ok()
    assert listed() == ["No cell is run again after a recovery."]


def test_a_failed_one_is_listed_as_such(fresh_kernel):
    run = fresh_kernel.run
    run("int fuse = 0;").ok()
    run("%%on_restart\nif (fuse) abort();").ok()
    run("fuse = 1;").ok()
    run(CRASH)
    run("1").ok()
    assert "failed; runs again when you have run it" in run("%on_restart").ok().stdout


def test_one_that_is_taken_back_does_not_run_again(fresh_kernel):
    run = fresh_kernel.run
    run("int a = 0;").ok()
    run("%%on_restart\na++;").ok()
    run("%undo").ok()
    assert "No cell" in run("%on_restart").ok().stdout
    assert run("a").ok().text == "0"


def test_reset_and_load_are_taken_back_with_their_cells(start_kernel, tmp_path):
    session = start_kernel(cwd=tmp_path, HOME=str(tmp_path), CGPU_AUTOSAVE="0")
    run = session.run
    run("int a = 0;\n").ok()
    run("%snapshot save without").ok()
    run("%%on_restart\na++;").ok()
    run("%cflags -DFLAG=3").ok()
    for away in ("%reset", "%snapshot load without"):
        run(away).ok()
        assert "No cell" in run("%on_restart").ok().stdout
        run("%undo").ok()
        assert "a++;" in run("%on_restart").ok().stdout
        assert run("FLAG").ok().text == "3"
    session.close()
