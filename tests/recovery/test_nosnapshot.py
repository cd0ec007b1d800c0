# SPDX-License-Identifier: Apache-2.0
"""%%nosnapshot: large blocks are overwritten without a copy, and what that costs is said."""
import re

import pytest

SIZE = 16 << 20


@pytest.fixture
def run(fresh_kernel):
    fresh_kernel.run(f"char *big = malloc({SIZE}), *small = malloc(1000); int n = 1;"
                     f"memset(big, 1, {SIZE}); memset(small, 1, 1000);").ok()
    return fresh_kernel.run


def copied(result):
    """kB that the commit copied."""
    return int(re.search(r"commit [\d.]+ ms \((\d+) kB\)", result.stdout).group(1))


def test_nothing_large_is_copied(run):
    assert copied(run(f"%time memset(big, 2, {SIZE});").ok()) >= SIZE >> 10
    assert copied(run(f"%%nosnapshot\n%time memset(big, 3, {SIZE}); n = 2;").ok()) < 1000
    assert run("big[0] + big[16000000] + n").ok().text == "8"
    refused = run("%undo 3")
    assert refused.status == "error" and "cells can be taken back, not 3" in refused.evalue, refused.evalue
    assert run("%undo").status == "ok"  # the display
    assert run("%undo").status == "error"
    # The next cell is an ordinary one again.
    assert run(f"memset(big, 9, {SIZE}); abort();").ename == "Aborted"
    assert run("big[5] + n").ok().text == "5"


def test_what_a_failed_one_leaves_is_named(run):
    run("n = 2;").ok()
    failed = run("%%nosnapshot\nmemset(big, 5, 4096); small[0] = 5; n = 3;\n*(volatile int *)0 = 1;")
    assert failed.ename == "SegmentationFault"
    for words in ("Not rolled back, because of %%nosnapshot", "`big`, 16 MB", "made in cell 1", "rolled back: variables"):
        assert words in failed.traceback, failed.traceback
    assert "small" not in failed.traceback.split("Not rolled back")[1]
    assert run("n * 10 + small[0]").ok().text == "21"
    assert run("big[0] * 10 + big[4096]").ok().text == "51"
    assert run("%undo 3").status == "error"
    assert run("n").ok().text == "2"


def test_a_checkpoint_makes_it_safe(run):
    failed = run("%%nosnapshot\nmemset(big, 6, 4096);\ncgpu_checkpoint();\nmemset(big, 7, 4096); n = 9;\nabort();")
    assert failed.ename == "Aborted" and "checkpoint in line 3" in failed.traceback, failed.traceback
    assert "Not rolled back" not in failed.traceback
    assert run("big[0] * 10 + n").ok().text == "61"


def test_a_freed_and_a_new_block(run):
    run(f"%%nosnapshot\nfree(big); big = malloc({SIZE}); memset(big, 4, {SIZE});").ok()
    assert run(f"big[{SIZE} - 1] + 0").ok().text == "4"
    failed = run("%%nosnapshot\nfree(big);\nbig = NULL;\nabort();")
    assert "Not rolled back" in failed.traceback and "`big`" in failed.traceback
    run(f"memset(big, 8, {SIZE});").ok()
    assert run("big[77] + 0").ok().text == "8"
