# SPDX-License-Identifier: Apache-2.0
"""Cells are run in JupyterLab and Notebook 7: outputs, faults, the toolbar, completion, a page that is loaded again."""
import re

import pytest
from front_end import Notebook
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.long]
# What a front end sends behind the fault is run, so the fault comes when a browser under load has sent all cells.
FAULT = "kept = 99;\nusleep(2000000); *(int *)0 = 1;"


@pytest.mark.parametrize("title, code, shown", [
    ("C GPU (safe)", "int a[4] = {1, 2, 3, 4};\na[2]", "3"),
    ("C++ GPU (safe)", "#include <vector>\nstd::vector<int> v = {1, 2, 3};\nv.size()", "3")])
def test_the_launcher_offers_the_kernel(page, server, title, code, shown):
    page.goto(f"{server.url}/lab?reset")
    page.locator(".jp-LauncherCard", has=page.get_by_text(title, exact=True)).first.click()
    notebook = Notebook(page)
    notebook.replace(0, code)
    page.keyboard.press("Shift+Enter")
    expect(notebook.output(0)).to_have_text(shown)
    page.keyboard.insert_text('printf("%d\\n", 6 * 7);')
    page.keyboard.press("Shift+Enter")
    expect(notebook.output(1)).to_have_text("42")
    notebook.has_prompt(1, "[2]:")


@pytest.mark.parametrize("app", ["lab/tree", "notebooks"])
def test_run_all_ends_at_a_fault(notebook, app):
    """Cells behind it have not run, and the next run has the values from before."""
    book = notebook("int kept = 7;\nkept", FAULT, "kept + 1", app=app)
    book.run_all()
    error = book.shows(1, "SegmentationFault")
    expect(error).to_contain_text("line 2")
    book.has_prompt(0, "[1]:")
    book.has_prompt(1, "[2]:")
    book.has_prompt(2, "[ ]:")
    expect(book.run(2)).to_have_text("8")


def test_the_toolbar_interrupts_an_endless_loop(notebook):
    book = notebook("int turns = 0;", 'for (;;) { turns++; puts("on"); usleep(10000); }', "turns")
    book.run(0)
    book.start(1)
    book.shows(1, "on")
    book.button("interrupt").click()
    book.shows(1, "Interrupted")
    expect(book.run(2)).to_have_text("0")


def test_a_restart_begins_anew(notebook):
    book = notebook("int kept = 7;\nkept", "kept = 8;\nkept")
    book.run(0)
    expect(book.run(1)).to_have_text("8")
    book.restart()
    book.start(1)
    book.shows(1, "undeclared identifier 'kept'")
    book.has_prompt(1, "[1]:")
    book.run_all()
    book.has_prompt(0, "[2]:")
    book.has_prompt(1, "[3]:")
    expect(book.output(1)).to_have_text("8")


def test_a_reload_while_a_cell_runs(notebook, server):
    """What the cell shows meanwhile is nowhere in the page; %replay shows it."""
    gate = server.work / "go on"
    gate.unlink(missing_ok=True)
    book = notebook('puts("before");\nfflush(stdout);\nwhile (access("go on", F_OK)) usleep(1000);\nputs("after");', "%replay")
    book.start(0)
    book.shows(0, "before")
    book.page.reload()
    book = Notebook(book.page, "busy")
    gate.touch()
    book.wait_status("idle")
    expect(book.run(1)).to_have_text(re.compile(r"before\s+after"))
    book.has_prompt(1, "[2]:")


def test_completion(notebook):
    book = notebook("struct point { int across, along; } origin;", "print", "origin.a")
    book.run(0)
    for cell, offered in (1, ["printf"]), (2, ["across", "along"]):
        book.select(cell)
        book.page.keyboard.press("Tab")
        for name in offered:
            book.page.locator(".jp-Completer-item").get_by_text(name, exact=True).first.wait_for()
        book.page.keyboard.press("Escape")


@pytest.mark.cuda
def test_the_signature_of_a_call(notebook):
    book = notebook("cudaMemcpy(")
    book.select(0)
    book.page.keyboard.press("Shift+Tab")
    tip = book.page.locator(".jp-Tooltip")
    expect(tip).to_contain_text("cudaMemcpyKind")
