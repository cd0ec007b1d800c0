# SPDX-License-Identifier: Apache-2.0
"""The profile `locked`: cells and commands change no files but their own in memory, see none of the home but the notebook's
folder, and have no network."""
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from file_attacks import ATTRIBUTES, COMMANDS, INCLUDES, MACHINE, WRITES, state
from machine import need_mounts

FOLDERS = ["/tmp", "/dev/shm"]


@pytest.fixture(scope="module")
def home():
    """A user's: a secret, and a notebook with data beside it. It is not below /tmp."""
    folder = Path(tempfile.mkdtemp(dir="/var/tmp"))
    (folder / "secret").write_text("the user's")
    (folder / "notebook" / "folder").mkdir(parents=True)
    (folder / "notebook" / "file").write_text("data")
    (folder / "notebook" / "own.h").write_text("#define OWN 11\n")
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def locked(start_kernel, home, tmp_path_factory):
    need_mounts()
    conf = tmp_path_factory.mktemp("conf") / "cgpu.conf"
    conf.write_text("profile min = locked\ndisk = 16M\ntime = 60s\n")
    session = start_kernel(CGPU_LIMITS=str(conf), CGPU_PROFILE="open", cwd=home / "notebook", HOME=str(home))
    session.home, session.inside = home, home / "notebook"
    session.run(INCLUDES).ok()
    return session


def unchanged(session, run):
    kept_by_the_kernel = session.home / ".local"
    before = state(session.home, kept_by_the_kernel)
    result = run()
    assert state(session.home, kept_by_the_kernel) == before
    return result


@pytest.mark.parametrize("attack", {**WRITES, **ATTRIBUTES})
def test_cells_change_nothing(locked, attack):
    code = {**WRITES, **ATTRIBUTES}[attack]
    code = code.format(outside=locked.inside, inside="/tmp", process=os.getpid())
    assert unchanged(locked, lambda: locked.run(code)).ok().text not in ("0", "false")


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_change_nothing(locked, command):
    unchanged(locked, lambda: locked.run("!" + command.format(outside=locked.inside)))


@pytest.mark.parametrize("path", MACHINE)
def test_cells_of_root_do_not_set_up_the_machine(locked, path):
    assert locked.run(f'open("{path}", O_WRONLY) < 0').ok().text in ("1", "true")


def test_only_devices_that_every_program_may_use(locked):
    """Root's processes could write to disks and the kernel's log, whatever the mounts are."""
    listed = set(locked.run("!ls -A /dev").ok().stdout.split())
    assert {"null", "zero", "full", "urandom", "shm", "pts"} <= listed
    others = {p.name for p in Path("/dev").iterdir() if p.is_block_device()} | {"mem", "kmsg", "console", "kvm", "tty0"}
    assert not listed & others
    assert locked.run("!find /dev -type b").ok().stdout == ""
    for name in others:
        assert locked.run(f'open("/dev/{name}", O_RDONLY) < 0 && errno == ENOENT').ok().text in ("1", "true")
    assert locked.run('mkdir("/dev/new", 0700) < 0 && errno == EROFS').ok().text in ("1", "true")


def test_devices_work(locked):
    assert locked.run("!echo x >/dev/null; head -c 4 /dev/urandom | wc -c; echo out >/dev/stdout").ok().stdout == "4\nout\n"
    assert locked.run('open("/dev/null", O_RDWR) >= 0').ok().text in ("1", "true")
    assert locked.run("!ls /dev/pts").ok().stdout == "ptmx\n"
    assert locked.run("posix_openpt(O_RDWR) >= 0").ok().text in ("1", "true")


def test_a_file_that_a_cell_writes(locked):
    assert unchanged(locked, lambda: locked.run("%%writefile file\ntext")).status == "error"
    locked.run("%%writefile /tmp/written\ntext").ok()
    assert locked.run("!cat /tmp/written").ok().stdout == "text"


def test_the_home_is_empty_but_for_the_notebook(locked):
    assert locked.run(f'fopen("{locked.home}/secret", "r") == NULL').ok().text in ("1", "true")
    assert "the user's" not in locked.run(f"!cat {locked.home}/secret").shown
    assert locked.run("!ls ~").ok().stdout.split() == ["notebook"]
    assert locked.run("!cat file").ok().stdout == "data"
    assert locked.run('#include "own.h"\nOWN').ok().text == "11"
    refused = locked.run(f'#include "{locked.home}/secret"\n')
    assert refused.ename == "CompileError" and "the user's" not in refused.shown


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm", "home"])
def test_private_folders_are_those_of_cells_and_commands(locked, folder):
    place = Path(str(locked.home) if folder == "home" else folder) / f"cgpu-locked-{os.getpid()}"
    locked.run(f'{{ FILE *f = fopen("{place}", "w"); fputs("text", f); fclose(f); }}').ok()
    assert locked.run("*(volatile int *)0 = 1;").ename == "SegmentationFault"
    assert locked.run(f"!cat {place} && echo more >>{place}").ok().stdout == "text"
    assert locked.run(f'{{ char b[32] = ""; FILE *f = fopen("{place}", "r"); fread(b, 1, 31, f); fclose(f); puts(b); }}'
                      ).ok().stdout == "textmore\n\n"
    assert not place.exists()


def test_they_have_a_size(locked):
    shown = locked.run("!head -c 20000000 /dev/zero >/tmp/large; wc -c </tmp/large; rm /tmp/large").ok().stdout
    assert int(shown.split()[-1]) < 16 << 20, shown
    locked.run("%%writefile /tmp/after\ntext").ok()


def test_no_network(locked):
    assert locked.run("#include <netinet/in.h>\nsocket(AF_INET, SOCK_STREAM, 0) < 0 && errno == EPERM").ok().text == "1"


def test_nothing_is_kept(locked):
    refused = locked.run("%snapshot save here")
    assert "the profile locked keeps nothing on disk" in refused.evalue, refused.shown


def test_the_time_limit_can_be_lowered_only(locked):
    assert "time    1 min a cell" in locked.run("%limit").ok().stdout
    for value in ("2min", "off"):
        assert "the profile locked allows 1 min at most" in locked.run(f"%limit time {value}").evalue
    locked.run("%limit time 1s").ok()
    assert locked.run("for (;;) ;").ename == "TimeLimit"
    locked.run("%limit time 60s").ok()


def test_the_session_works(locked):
    locked.run("%%cpp\n#include <vector>\nstd::vector<int> v{1, 2};").ok()
    assert locked.run("%%cpp\nv.size()").ok().text == "2"
    if locked.has_cuda:
        locked.run("__global__ void k(int *p) { *p = 5; }\nint *p; cudaMallocManaged(&p, 4); k<<<1, 1>>>(p);"
                   "cudaDeviceSynchronize();").ok()
        assert locked.run("p != NULL && *p == 5").ok().text in ("1", "true")
    locked.kill(locked.compiler_pid())
    assert locked.run("int after = 3;\nafter").ok().text == "3"
    assert "locked" in locked.run("%doctor").ok().shown


def test_it_is_that_or_an_error(prefix, tmp_path):
    """Where there is no mount namespace."""
    ran = subprocess.run([prefix / "bin" / "cgpu-kernel", "--doctor"], capture_output=True, text=True, cwd=tmp_path,
                         env={**os.environ, "HOME": str(tmp_path), "CGPU_PROFILE": "locked", "CGPU_WITHOUT": "hide-file"})
    assert ran.returncode != 0 and "The profile locked needs a mount namespace" in ran.stderr, ran
