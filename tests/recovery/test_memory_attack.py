# SPDX-License-Identifier: Apache-2.0
"""Committed memory against a cell that writes to the files behind it, by system calls of its own, and then fails."""
import pytest
from machine import stopped_by

SETUP = r"""#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
int value = 1, forged = 666;
int *block = calloc(1 << 20, sizeof(int)), *mapped[64];
for (int i = 0; i < 1 << 20; i++)
    block[i] = i;
static long offset_of(const void *p) { return (long)p - 0x200000000000; }
static int again(int fd)
{
    char name[64];
    snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
    return open(name, O_RDWR | O_CLOEXEC);
}
static int *map(int fd, const void *p, int protection)
{
    struct stat file;
    if (fstat(fd, &file) || file.st_size < offset_of(p) + 4096)
        return MAP_FAILED;
    return (int *)syscall(SYS_mmap, NULL, 4096, protection, MAP_SHARED, fd, offset_of(p) & -4096);
}
static void write_mapped(int *page, const void *p)
{
    if (page != MAP_FAILED)
        page[(offset_of(p) & 4095) / 4] = forged;
}
static void write_by(int fd)
{
    if (fd < 0)
        return;
    pwrite(fd, &forged, sizeof(forged), offset_of(&value));
    pwrite(fd, &forged, sizeof(forged), offset_of(&block[5000]));
    close(fd);
}
"""
ATTACKS = {
    "write": "pwrite(fd, &forged, sizeof(forged), offset_of(&value)); "
             "pwrite(fd, &forged, sizeof(forged), offset_of(&block[5000]));",
    "hole": "syscall(SYS_fallocate, fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset_of(block) & -4096, 1l << 20);",
    "map": "write_mapped(map(fd, &value, PROT_READ | PROT_WRITE), &value);",
    "map, then make writable": "{ int *page = map(fd, &value, PROT_READ); if (page != MAP_FAILED && "
                               "!syscall(SYS_mprotect, page, 4096, PROT_READ | PROT_WRITE)) write_mapped(page, &value); }",
    "truncate": "ftruncate(fd, 0); ftruncate(fd, 1l << 40);",
    "open again": "write_by(again(fd));",
    "allow and open again": "fchmod(fd, 0777); write_by(again(fd));",
    "remove from memory": "{ int *page = map(fd, &value, PROT_READ); if (page != MAP_FAILED) "
                          "syscall(SYS_madvise, page, 4096, MADV_REMOVE); }",
}


@pytest.fixture
def session(start_kernel, request):
    """With all of the containment, or as on a machine that allows no mount."""
    session = start_kernel(CGPU_WITHOUT=getattr(request, "param", ""))
    session.run(SETUP).ok()
    yield session
    session.close()


def is_whole(session):
    shown = session.run('long sum = 0;\nfor (int i = 0; i < 1 << 20; i++)\n    sum += block[i];\n'
                        'printf("%d %ld", value, sum);').ok().stdout
    return shown == f"1 {(1 << 20) * ((1 << 20) - 1) // 2}"


@pytest.mark.parametrize("session, attack", [("", attack) for attack in ATTACKS] +
                         [("hide-file", attack) for attack in ATTACKS if "again" not in attack], indirect=["session"])
def test_a_cell_that_fails_has_changed_nothing(session, attack):
    if "again" in attack:
        stopped_by(session, "hide-file")
    result = session.run(f"for (int fd = 3; fd < 64; fd++) {{ {ATTACKS[attack]} }}\nabort();")
    assert result.status == "error" and result.ename == "Aborted", result.shown
    assert is_whole(session)


def test_what_a_machine_without_mounts_lacks_is_said(start_kernel):
    session = start_kernel(CGPU_WITHOUT="hide-file")
    shown = session.run("%doctor").ok().shown
    row, mend = next((a, b) for a, b in zip(shown.splitlines(), shown.splitlines()[1:]) if a.split()[1:2] == ["memory"])
    assert row.startswith("--") and "/proc/self/fd" in mend, shown


def test_a_mapping_that_an_earlier_cell_has_kept(session):
    """The file that the worker may write has what no state has yet; later cells find nothing there that counts."""
    made = session.run("for (int fd = 3; fd < 64; fd++)\n    mapped[fd] = map(fd, &value, PROT_READ | PROT_WRITE);\n"
                       "int n = 0;\nfor (int fd = 3; fd < 64; fd++)\n    n += mapped[fd] && mapped[fd] != MAP_FAILED;\nn")
    assert int(made.ok().text) > 0  # the live memfd
    assert is_whole(session)
    session.run("for (int fd = 3; fd < 64; fd++)\n    if (mapped[fd] && mapped[fd] != MAP_FAILED)\n"
                "        write_mapped(mapped[fd], &value);\nabort();")
    assert is_whole(session)


def test_undo_is_not_deceived(session):
    """What a cell has put behind the committed bytes is part of that cell, and goes with it."""
    session.run("value = 1;").ok()
    session.run("for (int fd = 3; fd < 64; fd++)\n    pwrite(fd, &forged, sizeof(forged), offset_of(&value));\nvalue = 2;").ok()
    assert session.run("value").ok().text in ("2", "666")
    session.run("%undo 2").ok()
    assert session.run("value").ok().text == "1"


def test_a_large_range_that_is_written_in_place(session):
    """Cells overwrite it whole, so it lies in the file that the worker may write."""
    session.run("int *large = calloc(4 << 20, sizeof(int));").ok()
    fill = "for (int i = 0; i < 4 << 20; i++)\n    large[i] = i + {};"
    for n in range(3):
        session.run(fill.format(n)).ok()
    for attack in ("write", "hole", "map"):
        text = ATTACKS[attack].replace("&value", "&large[5000]").replace("block", "large")
        session.run(f"for (int fd = 3; fd < 64; fd++) {{ {text} }}\nabort();")
        assert session.run("large[5000]").ok().text == "5002"
        session.run(fill.format(2)).ok()
