# SPDX-License-Identifier: Apache-2.0
"""A Jupyter server with JupyterLab and Notebook 7, and a notebook that is open in a browser.

What is waited for is an event of the page, with a deadline: an output, a prompt, the sign that the kernel is idle.
"""
import json
import os
import re
import socket
import subprocess
import sys
import urllib.error
import urllib.request

import nbformat
from playwright.sync_api import expect
from session import wait_until

DEADLINE_MS = 120_000
PATIENCE_S = 20  # for the end of a server
SETTINGS = {  # of each user: no news are asked for, nothing is saved behind a test's back, every cell is in the page
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "docmanager-extension/plugin": {"autosave": False},
    "notebook-extension/tracker": {"windowingMode": "none"},
}
DARK = {"apputils-extension/themes": {"theme": "JupyterLab Dark", "adaptive-theme": False}}
expect.set_options(timeout=DEADLINE_MS)


def reserved_port():
    """A port that nobody else is given as long as this socket is open, and where a server may listen nevertheless."""
    s = socket.socket()
    s.bind(("127.0.0.1", 0))
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    return s


class Server:
    """JupyterLab and Notebook 7 of the Python that runs the tests, with the kernels of a prefix and a home of its own."""

    def __init__(self, prefix, home, env):
        self.home, self.work, self.log = home, home / "work", home / "server.log"
        self.settings = home / "settings"
        self.work.mkdir()
        self.count = 0
        self.set(SETTINGS)
        self.port = reserved_port()
        port = self.port.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}",
                 "--ServerApp.port_retries=0", "--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True",
                 f"--ServerApp.root_dir={self.work}"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.work,
                env={**os.environ, **env, "HOME": str(home), "JUPYTER_PATH": str(prefix / "share" / "jupyter"),
                     "JUPYTER_CONFIG_DIR": str(home / "config"), "JUPYTER_DATA_DIR": str(home / "data"),
                     "JUPYTER_RUNTIME_DIR": str(home / "runtime"), "JUPYTERLAB_SETTINGS_DIR": str(self.settings),
                     "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"), "XDG_RUNTIME_DIR": str(home)})
        try:
            assert wait_until(self.answers), "the server does not answer"
        except BaseException:
            self.close()
            raise

    def set(self, settings):
        for plugin, values in settings.items():
            file = self.settings / "@jupyterlab" / f"{plugin}.jupyterlab-settings"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(values))

    def unset(self, settings):
        for plugin in settings:
            (self.settings / "@jupyterlab" / f"{plugin}.jupyterlab-settings").unlink()

    def answers(self):
        assert self.process.poll() is None, f"the server has ended: {self.log.read_text()[-3000:]}"
        try:
            self.ask("/api")
        except (urllib.error.URLError, OSError):
            return False
        return True

    def ask(self, path, method="GET"):
        with urllib.request.urlopen(urllib.request.Request(self.url + path, method=method), timeout=60) as answer:
            return answer.read()

    def write(self, cells, kernel="cgpu"):
        """A new notebook with these cells; its name."""
        self.count += 1
        name = f"n{self.count}.ipynb"
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
        book.metadata["kernelspec"] = {"name": kernel, "display_name": kernel}
        nbformat.write(book, self.work / name)
        return name

    def end_kernels(self):
        for session in json.loads(self.ask("/api/sessions")):
            self.ask(f"/api/sessions/{session['id']}", "DELETE")

    def close(self):
        """A server that is told to end sometimes waits for one of its extensions without end; its kernels have ended."""
        self.process.terminate()
        try:
            self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.port.close()


class Notebook:
    """A notebook that is open in a page; cells count from 0."""

    def __init__(self, page, status="idle"):
        self.page = page
        self.root = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
        self.root.locator(".jp-Notebook .jp-CodeCell").first.wait_for()
        # A cell that is run before its session is connected is dropped.
        self.root.locator(".jp-KernelName", has_text="GPU (safe)").wait_for()
        self.wait_status(status)

    @classmethod
    def open(cls, server, page, *cells, app="lab/tree", kernel="cgpu"):
        """A new notebook in JupyterLab, or with app="notebooks" in Notebook 7."""
        query = "?reset" if app.startswith("lab") else ""
        page.goto(f"{server.url}/{app}/{server.write(cells, kernel)}{query}")
        return cls(page)

    def wait_status(self, status):
        """Of the kernel, as the sign in the toolbar has it."""
        self.root.locator(f'.jp-Notebook-ExecutionIndicator[data-status="{status}"]').wait_for()

    # --- cells ---

    def cell(self, number):
        return self.root.locator(".jp-Notebook .jp-CodeCell").nth(number)

    def lines(self, number):
        """The lines of a cell's text, as the editor has them."""
        return self.cell(number).locator(".cm-line")

    def select(self, number):
        """The text cursor stands at the end of the cell."""
        self.cell(number).locator(".cm-content").click()
        self.page.keyboard.press("Control+End")

    def start(self, number):
        self.select(number)
        self.page.keyboard.press("Control+Enter")

    def run(self, number):
        """Run a cell, and wait until it has ended."""
        self.start(number)
        self.ended(number)
        return self.output(number)

    def replace(self, number, text):
        self.select(number)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(text)

    def run_all(self):
        self.menu("Run", "Run All Cells")

    # --- what a reader sees ---

    def prompt(self, number):
        return self.cell(number).locator(".jp-InputPrompt")

    def has_prompt(self, number, text):
        expect(self.prompt(number)).to_have_text(text)

    def ended(self, number):
        """It has a number, so it has run and its reply is there."""
        expect(self.prompt(number)).to_have_text(re.compile(r"\[\d+\]:"))

    def output(self, number):
        return self.cell(number).locator(".jp-OutputArea-output")

    def shows(self, number, text):
        """Wait until a cell's output holds a text, or what matches a pattern."""
        found = self.output(number).filter(has_text=text).first
        found.wait_for()
        return found

    # --- the front end's own ---

    def menu(self, name, *entries):
        """Choose from the menu bar; an entry that is not the last opens a menu beside it."""
        self.page.locator(".lm-MenuBar-itemLabel", has_text=re.compile(f"^{name}$")).click()
        for number, entry in enumerate(entries):
            label = self.page.locator(".lm-Menu-itemLabel", has_text=re.compile(f"^{re.escape(entry)}"))
            label.last.click() if number == len(entries) - 1 else label.last.hover()

    def choose_theme(self, name):
        """From the menu; it is kept for the pages that are opened later."""
        self.menu("Settings", "Theme")
        self.page.locator(".lm-Menu-itemLabel").get_by_text(name, exact=True).click()
        self.page.locator(f'body[data-jp-theme-name="{name}"]').wait_for(state="attached")

    def button(self, name):
        """Of the notebook's toolbar."""
        return self.root.locator(f'.jp-NotebookPanel-toolbar [data-jp-item-name="{name}"] jp-button')

    def restart(self):
        self.button("restart").click()
        with self.page.expect_response(re.compile("/restart")):
            self.page.locator(".jp-Dialog .jp-mod-accept").click()
        self.wait_status("idle")


class Debugger:
    """JupyterLab's panel at the right, of a notebook whose debugger is on; lines count from 1."""

    def __init__(self, notebook):
        self.notebook, self.page = notebook, notebook.page
        notebook.root.get_by_role("button", name="Enable Debugger").click()  # of that name when the kernel is known
        self.panel = self.page.locator(".jp-DebuggerSidebar")
        self.scope = self.panel.get_by_label("Scope")
        self.gutter(0).wait_for()

    def gutter(self, number):
        return self.notebook.cell(number).locator(".cm-gutter.cm-breakpoint-gutter")

    def break_at(self, number, line):
        """A click left of a line of a cell; the panel lists a breakpoint that the kernel has taken."""
        at, left = self.notebook.lines(number).nth(line - 1).bounding_box(), self.gutter(number).bounding_box()
        self.page.mouse.click(left["x"] + left["width"] / 2, at["y"] + at["height"] / 2)
        self.panel.locator(".jp-DebuggerBreakpoint-line").get_by_text(str(line), exact=True).wait_for()

    def stands(self, *calls):
        """Wait until these are the calls, innermost first: "name:line"."""
        expect(self.panel.locator(".jp-DebuggerCallstackFrame")).to_have_text(
            [re.compile(re.escape(name) + r"\S*:" + line + "$") for name, line in (call.rsplit(":", 1) for call in calls)])

    def has(self, **values):
        """Wait until the variables of the scope that is shown have these values."""
        for name, value in values.items():
            its_name = self.page.locator(".jp-DebuggerVariables-name").get_by_text(name, exact=True)
            row = self.panel.locator(".jp-DebuggerVariables-body:not(.lm-mod-hidden) .jp-TreeItem").filter(has=its_name).first
            expect(row.locator(".jp-DebuggerVariables-detail").first).to_have_text(value)

    def press(self, command):
        """"next", "continue", "stepIn" or "stepOut": of the list of calls."""
        self.panel.locator(f'[data-command="debugger:{command}"]').click()


COLOURS_OF_TEXT = """(line, text) => {
    const found = new Set(), texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    let from = line.textContent.indexOf(text), to = from + text.length;
    if (from < 0)
        throw new Error(`no ${text} in ${line.textContent}`);
    for (let node; (node = texts.nextNode()); from -= node.length, to -= node.length)
        if (from < node.length && to > 0 && node.data.slice(Math.max(from, 0), to).trim())
            found.add(getComputedStyle(node.parentElement).color);
    return [...found];
}"""
COLOUR_OF_THEME = """(node, name) => {
    const probe = node.ownerDocument.body.appendChild(document.createElement("i"));
    probe.style.color = `var(--jp-mirror-editor-${name}-color)`;
    const colour = getComputedStyle(probe).color;
    probe.remove();
    return colour;
}"""


class Editor:
    """The text of a cell, or of a file, and its colours; lines count from 0."""

    def __init__(self, root):
        self.root, self.content, self.lines = root, root.locator(".cm-content"), root.locator(".cm-line")

    @classmethod
    def open(cls, page, name):
        """A file, from JupyterLab's list of files."""
        page.locator(".jp-DirListing-item", has_text=name).dblclick()
        page.locator(".lm-TabBar-tab.lm-mod-current", has_text=name).first.wait_for()
        made = cls(page.locator(".jp-FileEditor:visible"))
        made.lines.first.wait_for()
        return made

    def marked(self, kind):
        """Wait until something has a colour of the extension."""
        self.content.locator(f".cm-cgpu-{kind}").first.wait_for()

    def colours(self, line, text):
        """All that a part of a line has."""
        return set(self.lines.nth(line).evaluate(COLOURS_OF_TEXT, text))

    def colour(self, line, text):
        """The only one of a part of a line."""
        colour, = self.colours(line, text)
        return colour

    def plain(self):
        return self.content.evaluate("node => getComputedStyle(node).color")

    def theme(self, name):
        """What the theme has for it."""
        return self.content.evaluate(COLOUR_OF_THEME, name)


COLOURS = """node => {
    const part = text => text.match(/[\\d.]+/g).map(Number);
    const over = (colour, alpha, below) => below.map((b, i) => b * (1 - alpha) + colour[i] * alpha);
    const layers = [];
    let opacity = 1;
    for (let n = node; n; n = n.parentElement) {
        const style = getComputedStyle(n), colour = part(style.backgroundColor);
        layers.push([colour, colour.length < 4 ? 1 : colour[3]]);
        opacity *= Number(style.opacity);
    }
    const behind = layers.reverse().reduce((below, [colour, alpha]) => over(colour, alpha, below), [255, 255, 255]);
    const colour = part(getComputedStyle(node).color);
    return [over(colour, opacity * (colour.length < 4 ? 1 : colour[3]), behind), behind];
}"""


def contrast(node):
    """The contrast ratio of an element's text to what is behind it, as WCAG has it: from 1 to 21."""
    def luminance(colour):
        parts = [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    low, high = sorted(map(luminance, node.evaluate(COLOURS)))
    return (high + 0.05) / (low + 0.05)


def faint(output, least):
    """[(text, ratio)] of what stands in an output in a colour that is too near to that behind it."""
    found = []
    for node in output.locator("xpath=descendant-or-self::*[text()[normalize-space()]]").all():
        ratio = contrast(node)
        if ratio < least:
            found.append((node.inner_text()[:60], round(ratio, 2)))
    return found
