# SPDX-License-Identifier: Apache-2.0
"""All text of a cell that prints more than is shown is in a file, which the line about the gap names, for as long as the kernel
lives."""
import hashlib
import json
import os
import pathlib
import re
import signal

import pytest
from machine import need_mounts

from session import Session, alive, wait_until

MB = 1 << 20
WHERE = re.compile(r"\[\.\.\. \d+ bytes, \d+ lines left out here; (.*?)`%limit output SIZE` shows more \.\.\.\]\n")
FLOOD = '#include <stdio.h>\nfor (int i = 0; i < {}; i++) printf("line %09d\\n", i);'  # 15 bytes each


def where(text):
    """What the line about the gap says of the file."""
    return WHERE.search(text).group(1)


def file_of(text, said="all output is in "):
    """The file that has all."""
    return pathlib.Path(re.fullmatch(re.escape(said) + "(/.*); ", where(text)).group(1))


def lines(n):
    return "".join(f"line {i:09}\n" for i in range(n)).encode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The temporary one of the kernels."""
    return tmp_path_factory.mktemp("temporary")


@pytest.fixture(scope="module")
def kernel(start_kernel, folder):
    return start_kernel(TMPDIR=str(folder))


def test_ten_megabytes_in_one_write_are_there_as_they_came(kernel):
    r = kernel.run('#include <unistd.h>\n#include <stdlib.h>\n'
                   'unsigned char *big = malloc(10 << 20);\nunsigned at = 1;\n'
                   'for (int i = 0; i < 10 << 20; i++) { at = at * 1664525 + 1013904223; big[i] = at >> 24; }\n'
                   'write(1, big, 10 << 20)').ok()
    assert r.text == str(10 * MB)
    expected, at = bytearray(10 * MB), 1
    for i in range(10 * MB):
        at = (at * 1664525 + 1013904223) & 0xffffffff
        expected[i] = at >> 24
    data = file_of(r.stdout).read_bytes()
    assert len(data) == len(expected) and hashlib.sha256(data).digest() == hashlib.sha256(expected).digest()


def test_two_million_lines(kernel, folder):
    r = kernel.run(FLOOD.format(2000000)).ok()
    path = file_of(r.stdout)
    assert path.name == f"In{r.count}.txt" and path.parent.parent == folder
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700
    data, expected = path.read_bytes(), lines(2000000)
    assert len(data) == len(expected) and hashlib.sha256(data).digest() == hashlib.sha256(expected).digest()


def test_both_streams_are_in_their_order(kernel):
    r = kernel.run('for (int i = 0; i < 200000; i++) {\n  printf("line %09d\\n", i);\n'
                   '  if (i % 10000 == 9999) { fflush(stdout); fprintf(stderr, "done %d\\n", i + 1); }\n}').ok()
    assert r.stderr == "".join(f"done {i}\n" for i in range(10000, 200001, 10000))
    expected = b"".join(line + (b"done %d\n" % (i + 1) if i % 10000 == 9999 else b"")
                        for i, line in enumerate(lines(200000).splitlines(keepends=True)))
    assert file_of(r.stdout).read_bytes() == expected


def test_a_flood_on_stderr_and_of_a_command(kernel):
    r = kernel.run('for (int i = 0; i < 100000; i++) fprintf(stderr, "line %09d\\n", i);').ok()
    assert r.stdout == "" and file_of(r.stderr).read_bytes() == lines(100000)
    r = kernel.run("!seq -f 'line %09.0f' 0 299999").ok()
    assert file_of(r.stdout).read_bytes() == lines(300000)


def test_a_cell_that_fails_and_one_that_is_interrupted(kernel, tmp_path):
    r = kernel.run(FLOOD.format(300000) + "\nfflush(stdout);\n*(volatile int *)0 = 1;")
    assert r.ename == "SegmentationFault" and file_of(r.stdout).read_bytes() == lines(300000)
    cell = kernel.start(FLOOD.format(300000) + f'\nfflush(stdout);\nfclose(fopen("{tmp_path}/done", "w"));\nfor (;;) ;')
    assert wait_until((tmp_path / "done").exists)
    kernel.interrupt()
    r = cell.wait()
    assert r.ename == "Interrupted" and file_of(r.stdout).read_bytes() == lines(300000)


def test_without_a_gap_there_is_no_file(kernel):
    folder = file_of(kernel.run(FLOOD.format(200000)).ok().stdout).parent
    before = sorted(folder.iterdir())
    kernel.run("%limit output 20M").ok()
    r = kernel.run(FLOOD.format(1000000)).ok()  # for a while it has one
    kernel.run("%limit output 2M").ok()
    assert r.stdout.encode() == lines(1000000) and sorted(folder.iterdir()) == before


def test_cells_without_a_number_have_files_of_their_own(kernel):
    paths = [file_of(kernel.run(FLOOD.format(200000), silent=True, store_history=False).ok().stdout) for _ in range(2)]
    assert [p.name for p in paths] == ["In.txt", "In-2.txt"]
    assert all(p.read_bytes() == lines(200000) for p in paths)


@pytest.mark.parametrize("profile", ["open", "workspace", "locked"])
def test_cells_read_it_in_every_profile(start_kernel, profile):
    if profile == "locked":
        need_mounts()
    session = start_kernel(CGPU_PROFILE=profile)
    path = file_of(session.run(FLOOD.format(200000)).ok().stdout)
    assert path.parent.parent == pathlib.Path("/tmp")
    r = session.run(f'FILE *f = fopen("{path}", "r");\nchar line[32] = "";\nlong n = 0;\n'
                    'while (f && fgets(line, sizeof line, f)) n++;\nprintf("%ld %s", n, line);').ok()
    assert r.stdout == "200000 line 000199999\n"
    assert session.run(f"!tail -n 1 {path}").ok().stdout == "line 000199999\n"
    if profile == "locked":
        assert "Read-only file system" in session.run(f"!rm {path}").shown
    session.close()
    assert not path.parent.exists()


def test_they_go_with_a_kernel_that_is_killed(start_kernel, folder):
    session = start_kernel(TMPDIR=str(folder))
    path = file_of(session.run(FLOOD.format(200000)).ok().stdout)
    assert path.exists()
    os.kill(session.pid, signal.SIGKILL)
    assert wait_until(lambda: not path.parent.exists())
    assert wait_until(lambda: not alive(session.pid))


def test_they_have_a_limit_and_the_oldest_go_first(start_kernel):
    session = start_kernel(CGPU_OUTPUT_FILES="12M")
    first, second = (file_of(session.run(FLOOD.format(400000)).ok().stdout) for _ in range(2))
    assert first.exists() and second.exists()
    third = file_of(session.run(FLOOD.format(300000)).ok().stdout)
    assert not first.exists() and second.read_bytes() == lines(400000) and third.read_bytes() == lines(300000)
    r = session.run(FLOOD.format(2000000)).ok()
    cut = file_of(r.stdout, "the first 12 MB of all output are in ")
    assert cut.read_bytes() == lines(2000000)[:12 * MB] and list(cut.parent.iterdir()) == [cut]
    session.run("%limit output 12M").ok()
    assert where(session.run(FLOOD.format(2000000)).ok().stdout) == \
        "no file has it: CGPU_OUTPUT_FILES allows 12 MB, no more than a cell shows; "


def test_none_are_wanted(start_kernel, tmp_path):
    session = start_kernel(CGPU_OUTPUT_FILES="0", TMPDIR=str(tmp_path))
    assert where(session.run(FLOOD.format(400000)).ok().stdout) == ""
    assert list(tmp_path.glob("cgpu-output*")) == []


def test_a_folder_that_cannot_be_made_and_one_that_is_no_folder(start_kernel, tmp_path):
    session = start_kernel(TMPDIR=str(tmp_path / "gone"))
    r = session.run(FLOOD.format(400000)).ok()
    assert re.fullmatch(rf"no file has it: cannot make {tmp_path}/gone/cgpu-output-\w+: No such file or directory; ",
                        where(r.stdout))
    assert r.stdout.startswith("line 000000000\n") and r.stdout.endswith("line 000399999\n")
    (tmp_path / "gone").mkdir()
    path = file_of(session.run(FLOOD.format(400000)).ok().stdout)
    path.unlink()
    path.parent.rmdir()
    path.parent.symlink_to(tmp_path)
    assert where(session.run(FLOOD.format(400000)).ok().stdout) == f"no file has it: cannot open {path.parent}: Not a directory; "


def test_a_full_disk_fails_no_cell(prefix, mark, cache, tmp_path):
    need_mounts()
    spec, full = tmp_path / "share" / "jupyter" / "kernels" / "cgpu", tmp_path / "full"
    spec.mkdir(parents=True)
    full.mkdir()
    content = json.loads((prefix / "share" / "jupyter" / "kernels" / "cgpu" / "kernel.json").read_text())
    mount = f'mount -t tmpfs -o size=6m none {full} && exec "$@"'
    namespaces = ["unshare", "--mount", *(["--map-root-user"] if os.getuid() else [])]
    content["argv"] = [*namespaces, "sh", "-c", mount, "sh", *content["argv"]]
    (spec / "kernel.json").write_text(json.dumps(content))
    session = Session(tmp_path, tmp_path, "tcp", {
        "CGPU_TEST_MARK": mark, "HOME": str(tmp_path), "TMPDIR": str(full), "XDG_CACHE_HOME": str(cache)})
    r = session.run(FLOOD.format(1000000)).ok()
    assert re.fullmatch(rf"no file has it: cannot write {full}/cgpu-output-\w+/In1.txt: No space left on device; ",
                        where(r.stdout))
    assert r.stdout.startswith("line 000000000\n") and r.stdout.endswith("line 000999999\n")
    # What was written is gone, so that others have the room.
    path = file_of(session.run(FLOOD.format(200000)).ok().stdout)
    assert session.run(f"!ls {path.parent}").ok().stdout == "In2.txt\n"
    session.close()
