# SPDX-License-Identifier: Apache-2.0
"""What a cell does to the files of the history, which it may write as the user may: it costs the process that has the
history, and neither the session that the cell belongs to nor any other one."""
import os
import shutil
import time

import pytest

from session import DEADLINE, alive, wait_until

HOLD = """
#include <fcntl.h>
#include <unistd.h>
int held = open("{path}-shm", O_RDWR);
struct flock all_locks = {{.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 120, .l_len = 8}};
held >= 0 && fcntl(held, F_SETLKW, &all_locks) == 0"""


def inputs(session):
    return [row[2] for row in session.ask("history", hist_access_type="tail", n=-1)["history"]]


def start_with(start_kernel, path, **env):
    session = start_kernel(CGPU_HISTORY=str(path), **env)
    assert session.run("1 + 1").ok().text == "2"
    assert inputs(session)[-1] == "1 + 1"
    return session


def test_an_index_that_a_cell_truncates(start_kernel, tmp_path):
    """SQLite maps the index of the log: the process that is the first to write a row then ends with SIGBUS. The one that
    takes its place makes the index anew, for all."""
    path = tmp_path / "history.sqlite"
    sessions = [start_with(start_kernel, path) for _ in range(2)]
    first = sessions[0].history_pid()
    cut = f'#include <unistd.h>\ntruncate("{path}-shm", 0)'
    assert sessions[0].run(cut).ok().text == "0"
    assert wait_until(lambda: not alive(first))
    for session in sessions:
        assert session.run("2 + 2").ok().text == "4"
        assert session.run("3 + 3").ok().text == "6"
        assert alive(session.pid)
    for session in sessions:
        assert wait_until(lambda: sorted(inputs(session)) == sorted(["1 + 1", "2 + 2", "3 + 3"] * 2 + [cut]))


OVERWRITE = """#include <fcntl.h>
#include <unistd.h>
#include <sys/stat.h>
static void overwrite(const char *path)
{{
	int fd = open(path, O_RDWR);
	struct stat st;
	char noise[512];
	fstat(fd, &st);
	for (int i = 0; i < sizeof(noise); i++)
		noise[i] = i * 37 ^ i >> 3;
	for (off_t at = 0; at < st.st_size; at += sizeof(noise))
		pwrite(fd, noise, sizeof(noise), at);
	close(fd);
}}
overwrite("{path}");"""


@pytest.mark.parametrize("what", ["", "-wal", "-shm"])
def test_files_that_a_cell_overwrites(start_kernel, tmp_path, what):
    """Rows may be lost with what was overwritten; the session goes on, and who asks is answered."""
    path = tmp_path / "history.sqlite"
    session = start_with(start_kernel, path)
    session.run(OVERWRITE.format(path=f"{path}{what}")).ok()
    for i in range(4):
        assert session.run(f"{i} + 5").ok().text == str(i + 5)
        assert session.ask("history", hist_access_type="tail", n=9)["status"] == "ok"
        assert "history" in session.run("%doctor").ok().shown
    session.close()
    assert start_kernel(CGPU_HISTORY=str(path)).run("1 + 1").ok().text == "2"


def test_locks_that_a_cell_holds(start_kernel, tmp_path):
    """Who asks for the history waits, nobody else does; rows of meanwhile are written when the locks are gone."""
    path = tmp_path / "history.sqlite"
    session = start_with(start_kernel, path)
    hold = HOLD.format(path=path)
    assert session.run(hold).ok().text == "1"
    asked = session.client.history(hist_access_type="tail", n=1)
    assert session.run("4 + 4").ok().text == "8"
    # Replies come in the order in which they are made.
    assert session.ask("kernel_info")["status"] == "ok"
    assert asked not in session.replies
    assert session.reply(asked, time.monotonic() + DEADLINE)["content"] == {"status": "ok", "history": []}
    assert session.run("close(held)").ok().text == "0"
    assert wait_until(lambda: inputs(session) == ["1 + 1", hold, "4 + 4", "close(held)"])


def test_the_process_is_killed(start_kernel, tmp_path):
    session = start_with(start_kernel, tmp_path / "history.sqlite")
    for i in range(3):
        session.kill(session.history_pid())
        session.run(f"{i} + 7").ok()
    # The third one comes after a pause.
    assert wait_until(lambda: inputs(session) == ["1 + 1", "0 + 7", "1 + 7", "2 + 7"])
    rows = session.ask("history", hist_access_type="range", session=0, start=1, stop=3)["history"]
    assert rows == [[1, 1, "1 + 1"], [1, 2, "0 + 7"]]


def test_a_program_that_cannot_be_had(start_kernel, prefix, tmp_path):
    folder = tmp_path / "libexec"
    shutil.copytree(prefix / "libexec" / "cgpu", folder, copy_function=os.symlink)
    (folder / "cgpu-history").unlink()
    session = start_kernel(CGPU_LIBEXEC_DIR=str(folder))
    assert session.run("1 + 1").ok().text == "2"
    shown = session.run("%doctor").ok().shown
    assert f"--   history                cannot start {folder}/cgpu-history: No such file or directory\n" in shown
    # Its rows are there as soon as the program is.
    (folder / "cgpu-history").symlink_to(prefix / "libexec" / "cgpu" / "cgpu-history")
    assert wait_until(lambda: inputs(session) == ["1 + 1", "%doctor"])
