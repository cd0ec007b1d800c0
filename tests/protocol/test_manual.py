# SPDX-License-Identifier: Apache-2.0
"""Inspection of a function of the machine's headers shows the beginning of its manual page, if there is one."""
import gzip
import os
import shutil
import time

import pytest

PAGE = """\
.TH QSORT 3 2026-01-01 "Tests" "Manual of a test"
.SH NAME
qsort, qsort_r \\- sort what a test has
.SH LIBRARY
The library is not shown.
.SH SYNOPSIS
.nf
.B #include <stdlib.h>
.P
.BI "void qsort(void " base "[." n "], size_t " n );
.fi
.SS Feature Test Macro Requirements
None is shown.
.SH DESCRIPTION
The
.BR qsort ()
function sorts `quoted' *text* of an_array_of_names that is long enough for a second line of the page, or a third.
.P
The second paragraph.
.P
The third paragraph is not shown.
.SH RETURN VALUE
It returns \\fIno\\fP value.
.SH ERRORS
None is shown.
"""

SHOWN = """
```
NAME
       qsort, qsort_r - sort what a test has

SYNOPSIS
       #include <stdlib.h>

       void qsort(void base[.n], size_t n);

DESCRIPTION
       The qsort() function sorts `quoted' *text* of an_array_of_names that is
       long enough for a second line of the page, or a third.

       The second paragraph.

RETURN VALUE
       It returns no value.

`man 3 qsort` has all of it.
```"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("manual")
    for section in ("man2", "man3"):
        (folder / section).mkdir()
    (folder / "man3" / "qsort.3").write_text(PAGE)
    (folder / "man3" / "bsearch.3.gz").write_bytes(gzip.compress(PAGE.replace("qsort", "bsearch").encode()))
    (folder / "man3" / "lsearch.3").write_text(".so man3/qsort.3\n")
    (folder / "man2" / "open.2").write_text(PAGE.replace("qsort", "open"))
    (folder / "man3" / "qualified.3").write_text(PAGE.replace("qsort", "qualified"))
    return folder


@pytest.fixture(scope="module")
def kernel(start_kernel, pages, tmp_path_factory):
    """Its man is the one of the package, which images of Ubuntu have put aside."""
    man, folder = shutil.which("man.REAL") or shutil.which("man"), tmp_path_factory.mktemp("programs")
    if not man:
        pytest.fail("no man: ./bootstrap test installs man-db")
    (folder / "man").symlink_to(man)
    return start_kernel(MANPATH=str(pages), PATH=f"{folder}:{os.environ['PATH']}")


def inspect(session, code):
    return session.ask("inspect", code, len(code), 0)["data"]


def test_the_beginning_of_a_page(kernel):
    data = inspect(kernel, "qsort")
    assert data["text/plain"].startswith("void qsort(void *base, size_t nmemb, size_t size, __compar_fn_t compar)\n"
                                         "function qsort of <stdlib.h>, line ")
    assert data["text/plain"].endswith("\n" + SHOWN)
    assert data["text/markdown"].endswith("\n" + SHOWN) and "sorts `quoted' *text*" in data["text/html"]
    # What headers say themselves comes first.
    assert "Sort NMEMB elements of BASE" in data["text/plain"].split("```")[0]


def test_in_a_call(kernel):
    shown = inspect(kernel, "int numbers[3]; qsort(numbers, 3, ")["text/plain"]
    assert "\nat the cursor: size_t size\n" in shown and shown.endswith(SHOWN)


@pytest.mark.parametrize("before,name,said", [
    ("", "bsearch", "`man 3 bsearch` has all of it."),
    ("#include <search.h>\n", "lsearch", "`man 3 lsearch` has all of it."),
    ("#include <fcntl.h>\n", "open", "`man 2 open` has all of it."),
])
def test_packed_pages_other_names_and_system_calls(kernel, before, name, said):
    shown = inspect(kernel, before + name)["text/plain"]
    assert "sort what a test has" in shown and said in shown


def test_a_page_is_made_once(kernel, pages):
    first = inspect(kernel, "qsort")
    (pages / "man3" / "qsort.3").rename(pages / "aside")
    assert inspect(kernel, "qsort") == first
    (pages / "aside").rename(pages / "man3" / "qsort.3")


def test_what_has_no_page_and_what_is_not_of_the_machine(kernel):
    assert "```" not in inspect(kernel, "strlen")["text/plain"]
    kernel.run("int qualified(int n) { return n; }").ok()
    assert "```" not in inspect(kernel, "qualified")["text/plain"]
    assert "```" not in inspect(kernel, "RAND_MAX")["text/plain"]


def test_a_man_that_does_not_end_is_ended(start_kernel, pages, tmp_path):
    man = tmp_path / "man"
    man.write_text("#!/bin/sh\necho begun >$0.log\nexec sleep 600\n")
    man.chmod(0o755)
    session = start_kernel(MANPATH=str(pages), PATH=f"{tmp_path}:/usr/bin:/bin")
    start = time.monotonic()
    shown = inspect(session, "qsort")["text/plain"]
    assert "Sort NMEMB elements of BASE" in shown and "```" not in shown and time.monotonic() - start < 60
    assert (tmp_path / "man.log").read_text() == "begun\n"
    # It is not tried again.
    (tmp_path / "man.log").unlink()
    assert inspect(session, "qsort")["text/plain"] == shown and not (tmp_path / "man.log").exists()


def test_letters_that_are_printed_twice(start_kernel, pages, tmp_path):
    """As mandoc prints bold and underlined ones."""
    man = tmp_path / "man"
    man.write_text("#!/bin/sh\nprintf 'N\\bNA\\bAM\\bME\\bE\\n     qsort - _\\bm_\\ba_\\bd_\\be\\n\\n"
                   "D\\bDESCRIPTION\\n     It sorts.\\n'\n")
    man.chmod(0o755)
    session = start_kernel(MANPATH=str(pages), PATH=f"{tmp_path}:/usr/bin:/bin")
    assert inspect(session, "qsort")["text/plain"].endswith(
        "```\nNAME\n     qsort - made\n\nDESCRIPTION\n     It sorts.\n\n`man 3 qsort` has all of it.\n```")


def test_a_machine_without_man(start_kernel, pages, tmp_path):
    (tmp_path / "env").symlink_to("/usr/bin/env")
    session = start_kernel(MANPATH=str(pages), PATH=str(tmp_path))
    shown = inspect(session, "qsort")["text/plain"]
    assert "Sort NMEMB elements of BASE" in shown and "```" not in shown
