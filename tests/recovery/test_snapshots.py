# SPDX-License-Identifier: Apache-2.0
"""Snapshots on disk: saved, loaded after a restart and after kill -9 of the kernel, compared, damaged."""
import os
import re
import signal
import subprocess

import pytest

from session import wait_until


@pytest.fixture
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("notebook")


@pytest.fixture
def start(start_kernel, home):
    """Starts a kernel of this notebook."""
    return lambda **env: start_kernel(cwd=home, HOME=str(home), XDG_STATE_HOME=str(home / "state"), **env)


def folder(home):
    found = list((home / "state" / "cgpu").iterdir())
    assert len(found) == 1
    return found[0]


def kill_kernel(session):
    """As the machine's end would do it."""
    os.kill(session.pid, signal.SIGKILL)
    session.manager.provisioner.process.wait()
    session.close()


@pytest.mark.cuda
def test_save_and_load_in_one_session(start, home, make_state):
    session = start()
    state = make_state(session)
    saved = session.run("%snapshot save before").ok().stdout
    assert str(folder(home)) in saved, saved
    session.run("numbers[3] = 7; heap[9] = 1; free(word); word = NULL; cudaMemset(device, 7, 1000); int later = 4;").ok()
    shown = session.run("%snapshot load before").ok()
    assert "What could not" not in shown.stderr, shown.stderr
    state.assert_untouched()
    assert session.run("later").ename == "CompileError"
    session.run("%undo 3").ok()  # two displays of the check, and the load
    assert session.run("later").ok().text == "4"
    assert session.run("numbers[3]").ok().text == "7"
    session.close()


@pytest.mark.cuda
def test_load_after_a_restart(start, make_state):
    first = start()
    state = make_state(first)
    first.run("%snapshot save kept").ok()
    first.run("numbers[1] = 99;").ok()
    first.close()
    second = start()
    second.run("int own = 3;").ok()
    shown = second.run("%restore kept").ok()
    assert "What could not" not in shown.stderr, shown.stderr
    state.session, state.pid = second, second.pid
    state.assert_untouched()
    # It goes on as a session does.
    assert second.run("numbers[2] = 5;\n*(volatile int *)0 = 1;").ename == "SegmentationFault"
    state.assert_untouched()
    fault = second.run("mix(0, NULL, 1000);")  # of a cell that only the first kernel has compiled
    assert fault.ename == "SegmentationFault" and "in mix" in fault.traceback and "h ^ *p" in fault.traceback, fault.shown
    second.run("fill<<<256, 256>>>(device, device_count); cudaDeviceSynchronize();").ok()
    state.assert_untouched()
    second.close()


@pytest.mark.cuda
def test_kill_9_of_the_kernel_then_load_last(start, home, make_state):
    first = start()
    state = make_state(first)
    first.run("%snapshot save mark").ok()
    first.run("numbers[5] = 55;").ok()
    expected = state.fingerprint()
    number = first.run("int newest = 1;").ok().count

    def is_saved():
        rows = re.findall(r"^current .* In\[(\d+)\]", first.run("%snapshots").ok().stdout, re.M)
        return rows and int(rows[0]) >= number

    assert wait_until(is_saved)
    kill_kernel(first)
    second = start()
    shown = second.run("%snapshot load last").ok()
    assert "What could not" not in shown.stderr, shown.stderr
    state.session, state.pid = second, second.pid
    assert state.fingerprint() == expected
    assert second.run("newest").ok().text == "1"
    assert second.run("1 + 1").ok().count > number
    second.close()


def test_kill_9_in_a_long_cell(start, home):
    first = start()
    first.run("int a = 5, *block = calloc(1 << 20, 4); block[1 << 19] = 6;").ok()
    first.start('a = 7; block[1 << 19] = 8; printf("on\\n"); for (;;) ;').wait_output("on")
    assert wait_until(lambda: list(home.glob("state/cgpu/*/current.snapshot")))
    kill_kernel(first)
    second = start()
    second.run("%restore").ok()
    assert second.run("a * 10 + block[1 << 19]").ok().text == "56"
    second.close()


def test_last_is_of_the_session_before(start, home):
    first = start()
    first.run("int of_first = 11;").ok()
    first.close()  # an orderly end saves at once
    second = start()
    second.run("int of_second = 22;").ok()
    saved = folder(home) / "last.snapshot"
    assert wait_until(saved.exists)
    second.run("%snapshot load last").ok()
    assert second.run("of_first").ok().text == "11"
    assert second.run("of_second").ename == "CompileError"
    second.close()


@pytest.mark.cuda
def test_list_diff_drop(start, home):
    session = start()
    run = session.run
    assert "no snapshots" in run("%snapshots").ok().stdout
    run("int a = 1; double d[10]; int *heap = malloc(100000); float *dev; cudaMalloc(&dev, 4096); cudaMemset(dev, 0, 4096);"
        "memset(heap, 0, 100000);").ok()
    run("int f(void) { return 1; }").ok()
    run("%snapshot save one").ok()
    assert run("%snapshot diff one").ok().stdout == "no difference\n"
    run("a = 2; d[3] = 1; d[4] = 2; heap[20000] = 1; cudaMemset(dev, 1, 8); int b = 1;").ok()
    run("int f(void) { return 2; }").ok()
    shown = run("%snapshot diff one").ok().stdout
    for part in ("a: 1 -> 2\n", "d: 2 of 10 elements differ\n", "b: is not in the snapshot\n", "heap: 1 pages",
                 "device buffer dev", ": 8 of 4096 bytes differ", "f(): was defined again"):
        assert part in shown, shown
    run("%snapshot two").ok()
    listed = run("%snapshot list").ok().stdout
    assert "one " in listed and "two " in listed, listed
    run("%snapshot drop one").ok()
    assert "one " not in run("%snapshots").ok().stdout
    assert "no snapshot 'one'" in run("%snapshot load one").evalue
    assert run("a").ok().text == "2"
    for wrong in ("save ../x", "save last", "load .", "frobnicate a b", "drop none"):
        assert run(f"%snapshot {wrong}").status == "error", wrong
    assert oct(folder(home).stat().st_mode & 0o777) == "0o700"
    session.close()


def test_damaged_files_are_refused(start, home):
    session = start()
    session.run("int a = 1; char *block = malloc(1 << 20); memset(block, 3, 1 << 20);").ok()
    session.run("%snapshot save good").ok()
    session.run("a = 2;").ok()
    where = folder(home)
    for name in ("good.snapshot", "blocks"):
        whole = (where / name).read_bytes()
        for damaged in (whole[:len(whole) // 2], whole[:100], b"", whole[:200] + b"?" + whole[201:]):
            (where / name).write_bytes(damaged)
            refused = session.run("%snapshot load good")
            assert refused.status == "error", (name, len(damaged))
            assert "good" in refused.evalue, refused.evalue
            assert session.run("a").ok().text == "2"
        (where / name).write_bytes(whole)
    session.run("%snapshot load good").ok()
    assert session.run("a").ok().text == "1"
    session.close()


@pytest.mark.emulated
def test_a_device_without_room_for_both(start):
    """The session's device memory stays for %undo while a snapshot is loaded; what makes room is said."""
    session = start(CGPU_EMULATED_MEMORY="64M")
    session.run("int *d, h = 5;\ncudaMalloc(&d, 48 << 20);\ncudaMemcpy(d + 999, &h, 4, cudaMemcpyDefault);").ok()
    session.run("%snapshot save large").ok()
    session.run("h = 6;\ncudaMemcpy(d + 999, &h, 4, cudaMemcpyDefault);").ok()
    refused = session.run("%snapshot load large")
    assert "no room" in refused.evalue and "after a restart of the kernel" in refused.evalue, refused.shown
    show = "cudaMemcpy(&h, d + 999, 4, cudaMemcpyDefault);\nh"
    assert session.run(show).ok().text == "6"
    session.close()
    session = start(CGPU_EMULATED_MEMORY="64M")
    session.run("%snapshot load large").ok()
    assert session.run(show).ok().text == "5"


@pytest.mark.emulated
def test_libraries_come_along(start):
    first = start(CGPU_AUTOSAVE="0")
    first.run("%pkg gsl\n#include <gsl/gsl_sf_bessel.h>\ndouble at(double x) { return gsl_sf_bessel_J0(x); }").ok()
    first.run("double (*by_pointer)(double) = gsl_sf_bessel_J0; double first = at(5);").ok()
    first.run("%snapshot save with_gsl").ok()
    first.close()
    second = start(CGPU_AUTOSAVE="0")
    shown = second.run("%snapshot load with_gsl").ok().stderr
    assert second.run("at(5) == first").ok().text == "1"
    assert second.run("gsl_sf_bessel_J0(5) == first").ok().text == "1"
    # Valid as long as the library lies where it was; where it does not, that is said.
    assert "by_pointer" in shown or second.run("by_pointer(5) == first").ok().text == "1"
    second.close()


@pytest.mark.emulated
def test_a_library_of_another_build(start, home):
    """Units call it by name; pointers into it that are data are named."""
    def build(answer, pad):
        source = home / "mine.c"
        source.write_text(f"static char pad[{pad}]; int mine(void) {{ return {answer} + pad[1]; }}")
        subprocess.run(["gcc", "-shared", "-fPIC", "-Wl,--build-id", "-o", str(home / "libmine.so"), str(source)], check=True)

    build(1, 10)
    first = start(CGPU_AUTOSAVE="0")
    first.run(f"%ldflags {home}/libmine.so\nint mine(void);\nint call(void) {{ return mine(); }}").ok()
    first.run("int (*by_pointer)(void) = mine; int (**on_heap)(void) = malloc(8); *on_heap = mine; int plain = 3;").ok()
    assert first.run("call() + by_pointer()").ok().text == "2"
    first.run("%snapshot save a").ok()
    first.close()
    build(40, 300000)
    second = start(CGPU_AUTOSAVE="0")
    shown = second.run("%snapshot load a").ok().stderr
    assert "libmine.so is another build" in shown and "linked again by name" in shown, shown
    assert "`by_pointer` points into libmine.so" in shown and "1 places on the heap point into libmine.so" in shown, shown
    assert "plain" not in shown
    assert second.run("call() + plain").ok().text == "43"
    second.close()


def test_what_cannot_be_restored_is_named(start, home):
    """A19: files, threads and library handles of the process that is gone."""
    first = start(CGPU_AUTOSAVE="0")
    first.run("""#include <pthread.h>
#include <unistd.h>
FILE *notes = fopen("notes.txt", "w");
void *forever(void *p) { for (;;) pause(); }
pthread_t t; pthread_create(&t, NULL, forever, NULL);
int a = 5;""").ok()
    first.run("%snapshot save with_files").ok()
    first.close()
    second = start(CGPU_AUTOSAVE="0")
    shown = second.run("%snapshot load with_files").ok()
    assert "What could not be restored" in shown.stderr and "notes.txt" in shown.stderr, shown.stderr
    assert "thread" in shown.stderr, shown.stderr
    assert second.run("a").ok().text == "5"
    second.close()


def test_no_automatic_snapshot_when_it_is_off(start, home):
    session = start(CGPU_AUTOSAVE="0")
    session.run("int a = 1;").ok()
    session.close()
    assert not (home / "state").exists()


def test_list_says_what_one_is(start, home):
    session = start(CGPU_AUTOSAVE="0")
    run = session.run
    run("""#include <pthread.h>
#include <unistd.h>
unsigned x = 1, *noise = malloc(1 << 20), *same = malloc(1 << 20);
for (int i = 0; i < 1 << 18; i++) same[i] = noise[i] = x = x * 1664525u + 1013904223u;
FILE *notes = fopen("notes.txt", "w");
void *forever(void *p) { for (;;) pause(); }
pthread_t t; pthread_create(&t, NULL, forever, NULL);""").ok()
    number = run("%snapshot save with.odd-name_1").ok().count
    rows = run("%snapshot list").ok().stdout.splitlines()
    assert re.match(r"with\.odd-name_1 +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +\d+ s ago +after In\[%d\] +[\d.]+ .B +[\d.]+ .B on disk$"
                    % number, rows[0]), rows
    assert "2.1 MB" in rows[0] or "2.2 MB" in rows[0] or "2.3 MB" in rows[0], rows  # two blocks of 1 MB with one content
    assert "without: open file notes.txt of In[1], thread forever of In[1]" in rows[1], rows
    assert str(folder(home)) in rows[2]
    for wrong in (".hidden", "a/b", "x" * 65, "caf\u00e9", "'q'"):
        assert "is no name of a snapshot" in run(f"%snapshot save {wrong}").evalue, wrong
    run("%snapshot save 2").ok()
    for code, found in (("%snapshot load ", ["2", "with.odd-name_1"]), ("%snapshot drop w", ["with.odd-name_1"]),
                        ("%restore 2", ["2"]), ("%snapshot sa", ["save"]), ("%snapshot save x ", []),
                        ("int b;\n//%snapshot diff ", ["2", "with.odd-name_1"])):
        assert session.ask("complete", code, len(code))["matches"] == found, code
    run("%snapshot drop with.odd-name_1").ok()
    assert "with.odd" not in run("%snapshots").ok().stdout
    session.close()


def test_the_saved_and_the_automatic_are_told_apart(start, home):
    first = start()
    first.run("int of_first = 1;").ok()
    first.close()
    second = start()
    code = "%snapshot load "
    assert second.ask("complete", code, len(code))["matches"] == ["last"]
    rows = second.run("%snapshots").ok().stdout.splitlines()
    assert rows[0].startswith("last ") and "by itself, of the session before" in rows[0], rows
    second.run("int of_second = 1;").ok()
    assert wait_until((folder(home) / "last.snapshot").exists)
    rows = second.run("%snapshots").ok().stdout.splitlines()
    assert rows[0].startswith("current ") and rows[1].startswith("last "), rows
    second.run("%snapshot drop last").ok()
    assert not (folder(home) / "last.snapshot").exists()
    assert second.run("%snapshot load last").status == "error"
    second.close()


def test_an_automatic_one_that_cannot_be_written_is_said(start, home):
    session = start()
    session.run("int a = 1;").ok()
    session.run("%snapshot save one").ok()
    where = folder(home)
    assert wait_until((where / "current.snapshot").exists)
    (where / "current.snapshot").unlink()
    (where / "current.snapshot").mkdir()
    session.run("a = 2;").ok()
    assert wait_until(lambda: "could not be saved by itself" in session.run("%snapshots").ok().stderr)
    (where / "current.snapshot").rmdir()
    session.run("a = 3;").ok()
    assert wait_until(lambda: "could not be saved" not in session.run("%snapshots").ok().stderr)
    session.close()
