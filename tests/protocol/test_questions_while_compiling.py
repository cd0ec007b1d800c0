# SPDX-License-Identifier: Apache-2.0
"""Completion, inspection and the question whether a text is complete do not wait for a cell that is compiled: nvcc takes half
a minute for one with Thrust."""
import os
import signal

import pytest
from session import stop


@pytest.fixture
def compiling(start_kernel):
    """A session whose compiler is held while it has a cell to compile; the cell is done when the test is."""
    session = start_kernel()
    session.run("struct point { int across, down; } place = { 1, 2 };").ok()
    session.run("/* Counts what was counted. */\nint counted(int start) { return start + 3; }").ok()
    compiler = session.compiler_pid()
    stop(compiler)
    running = session.start("place.across = 40;\nplace.across + 2").wait_busy()
    yield session
    os.kill(compiler, signal.SIGCONT)
    assert running.wait().ok().text == "42"
    assert session.compiler_pid() == compiler


def test_completion(compiling):
    assert compiling.ask("complete", "place.ac", 8)["matches"] == ["across"]
    assert "counted" in compiling.ask("complete", "coun", 4)["matches"]
    assert "printf" in compiling.ask("complete", "#include <stdio.h>\nprint", 24)["matches"]


def test_inspection(compiling):
    shown = compiling.ask("inspect", "counted", 3)
    assert shown["found"] and "function counted of In[2], line 2" in shown["data"]["text/plain"]


def test_is_complete(compiling):
    assert compiling.ask("is_complete", "for (;;) {")["status"] == "incomplete"
    assert compiling.ask("is_complete", "counted(3);")["status"] == "complete"


def test_where_the_session_is(start_kernel, tmp_path):
    """The second compiler knows what the first was told: the folder, the environment, flags, and what changes while it lives."""
    (tmp_path / "beside.h").write_text("int beside_the_notebook;\n")
    session = start_kernel()
    session.run(f"%cd {tmp_path}").ok()
    session.run("int early;").ok()
    compiler = session.compiler_pid()

    def complete(text, while_compiling):
        stop(compiler)
        running = session.start(while_compiling).wait_busy()
        matches = session.ask("complete", text, len(text))["matches"]
        os.kill(compiler, signal.SIGCONT)
        running.wait().ok()
        return matches

    assert complete("earl", "int later_on;") == ["early"]
    assert complete("later", "int last_of_all;") == ["later_on"]
    assert complete('#include "beside.h"\nbeside_the', "1;") == ["beside_the_notebook"]
