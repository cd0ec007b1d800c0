# SPDX-License-Identifier: Apache-2.0
"""A real JupyterLab in a real browser: one server and one Chromium for a module, a page for each test.

A test that fails leaves a picture of its page, page.png in its folder, and its report says where.
"""
import os
import pathlib
import shutil
import sys

import pytest
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from front_end import DARK, DEADLINE_MS, Notebook, Server  # noqa: E402


@pytest.fixture(scope="module")
def server(prefix, mark, cache, tmp_path_factory):
    made = Server(prefix, tmp_path_factory.mktemp("server"), {"CGPU_TEST_MARK": mark, "XDG_CACHE_HOME": str(cache)})
    yield made
    made.close()


@pytest.fixture(scope="module")
def chromium(mark):
    """Of a module, and not of all tests: as long as it is there, asyncio is at work in this process, which tests of
    others need for themselves."""
    program = shutil.which(os.environ.get("CGPU_CHROMIUM", "chromium"))
    if not program:
        pytest.fail("no chromium: install it (on Debian, apt-get install chromium), or name one in CGPU_CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, chromium_sandbox=os.getuid() != 0,
                                             env={**os.environ, "CGPU_TEST_MARK": mark})
        yield browser
        browser.close()


@pytest.fixture
def page(chromium, server, tmp_path):
    context = chromium.new_context(viewport={"width": 1400, "height": 1100})
    context.set_default_timeout(DEADLINE_MS)
    page = context.new_page()
    page.on("dialog", lambda dialog: dialog.accept())  # a page with changes that are not saved may be left
    yield page
    context.close()
    server.end_kernels()


@pytest.fixture
def dark(server):
    """Pages that are opened have the dark theme."""
    server.set(DARK)
    yield
    server.unset(DARK)


@pytest.fixture
def notebook(page, server):
    """notebook(cell, ..., app="lab/tree", kernel="cgpu") -> Notebook"""
    def open_new(*cells, **options):
        return Notebook.open(server, page, *cells, **options)

    return open_new


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    page = getattr(item, "funcargs", {}).get("page")
    if report.when == "call" and report.failed and page:
        picture = item.funcargs["tmp_path"] / "page.png"
        page.screenshot(path=picture)
        report.sections.append(("Picture of the page", str(picture)))
    return report
