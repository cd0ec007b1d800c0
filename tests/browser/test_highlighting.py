# SPDX-License-Identifier: Apache-2.0
"""The colours of CUDA's words and of magics, in JupyterLab and Notebook 7, in both themes; and C++ where they cannot be had."""
import re

import pytest
from front_end import Editor, contrast
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.long]
CODE = """__global__ void scale(float a, float *x) // __global__ float
{
    unsigned i = threadIdx.x;
    x[i] *= a;
}
const char *text = "__global__ threadIdx <<<";
size_t plain = 3;
scale<<<1, 32>>>(2, x);
std::vector<std::vector<std::vector<int>>> deep;"""
MAGICS = """/* int */
%gpu -l
!ls -la "int
plain??
%time plain += sizeof(int);
int behind = 1; // it's
//%limit ram 4G
//%d is no magic"""
SCRIPT = """%%bash
for i in int "float"; do echo it's $i; done
return 3 # <<<
""" + 400 * "const int n;\n"  # a parser uses an earlier tree for long texts only
PROFILE = "%%profile\nint counted = 1;"


def colours_of_cuda(editor):
    """Of CODE."""
    assert editor.colour(0, "__global__") == editor.theme("keyword") != editor.plain()
    assert editor.colour(0, "void") == editor.colour(0, "float") == editor.theme("variable-3") != editor.plain()
    assert editor.colour(0, "// __global__ float") == editor.theme("comment")
    assert editor.colour(2, "unsigned") == editor.colour(6, "size_t") == editor.theme("variable-3")
    assert editor.colour(2, "threadIdx") == editor.theme("builtin") != editor.plain()
    assert editor.colour(2, "i = ") == editor.plain()
    assert editor.colour(5, "const") == editor.theme("keyword")
    assert editor.colours(5, '"__global__ threadIdx <<<"') == {editor.theme("string")}
    assert editor.colours(7, "<<<") == editor.colours(7, ">>>") == {editor.theme("keyword")}
    expect(editor.lines.nth(7).locator(".cm-cgpu-launch")).to_have_text(["<<<", ">>>"])
    assert editor.colours(8, ">>>") == {editor.theme("bracket")}


def colours_of_magics(magics, profile, script):
    keyword, plain = magics.theme("keyword"), magics.plain()
    assert magics.colours(0, "/* int */") == {magics.theme("comment")}
    assert magics.colours(1, "%gpu") == {keyword} and magics.colours(1, " -l") == {plain}
    assert magics.colours(2, "!") == {keyword} and magics.colours(2, 'ls -la "int') == {plain}
    assert magics.colours(3, "plain??") == {keyword}
    assert magics.colours(4, "%time") == {keyword} and magics.colour(4, "sizeof") == keyword
    assert magics.colour(4, "int") == magics.colour(5, "int") == magics.theme("variable-3")
    assert magics.colour(5, "// it's") == magics.theme("comment")
    assert magics.colours(6, "%limit") == {keyword} and magics.colours(6, " ram 4G") == {plain}
    assert magics.colours(7, "//%d is no magic") == {magics.theme("comment")}
    assert script.colours(0, "%%bash") == {keyword}
    assert script.colours(1, 'for i in int "float"; do echo it\'s $i; done') == script.colours(2, "return 3 # <<<") == {plain}
    assert profile.colours(0, "%%profile") == {keyword} and profile.colour(1, "int") == profile.theme("variable-3")


def all_can_be_read(book):
    for node in book.root.locator("[class*=cm-cgpu-]").all():
        assert contrast(node) >= 3, node.inner_text()


@pytest.mark.parametrize("app", ["lab/tree", "notebooks"])
def test_cells(notebook, app):
    book = notebook(CODE, MAGICS, PROFILE, SCRIPT, app=app)
    cells = [Editor(book.cell(number)) for number in range(4)]
    cells[0].marked("keyword")
    for theme in "JupyterLab Dark", "JupyterLab Light":
        book.choose_theme(theme)
        colours_of_cuda(cells[0])
        colours_of_magics(*cells[1:])
        all_can_be_read(book)
    # The text of a script is C as long as its first line is none of a magic.
    script = cells[3]
    script.lines.first.click()
    book.page.keyboard.press("Control+Home")
    book.page.keyboard.insert_text("x ")
    script.marked("type")
    assert script.colour(2, "return") == script.colour(3, "const") == script.theme("keyword")
    book.page.keyboard.press("Backspace")
    book.page.keyboard.press("Backspace")
    expect(script.content.locator(".cm-cgpu-type")).to_have_count(0)
    assert script.colours(2, "return 3 # <<<") == script.colours(3, "const int n;") == {script.plain()}


def test_files(page, server):
    """CUDA's are in its colours, and those of C++ in their own."""
    for name in "kernel.cu", "header.cuh", "other.cpp":
        (server.work / name).write_text(CODE)
    page.goto(f"{server.url}/lab?reset")
    for name in "kernel.cu", "header.cuh":
        editor = Editor.open(page, name)
        editor.marked("keyword")
        colours_of_cuda(editor)
    editor = Editor.open(page, "other.cpp")
    editor.lines.nth(5).locator("span", has_text="const").first.wait_for()
    assert editor.colour(5, "const") == editor.theme("keyword")
    assert editor.colour(0, "__global__") == editor.colour(0, "float") == editor.plain()
    expect(editor.root.locator("[class*=cm-cgpu-]")).to_have_count(0)


def test_a_package_that_is_not_shared_leaves_cpp(notebook, page):
    """The extension says so in one line, and cells are in JupyterLab's C++."""
    said = []

    def without_a_package(route):
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text() + """
            const { init } = window._JUPYTERLAB.cgpu;
            window._JUPYTERLAB.cgpu.init = scope => init({ ...scope, "@lezer/common": undefined });""")

    page.on("console", lambda message: said.append(message.text) if message.type in ("warning", "error") else None)
    page.route(re.compile(r"/cgpu/static/cgpu\.js"), without_a_package)
    book = notebook(CODE)
    editor = Editor(book.cell(0))
    editor.lines.nth(5).locator("span", has_text="const").first.wait_for()
    assert editor.colour(5, "const") == editor.theme("keyword")
    assert editor.colours(5, '"__global__ threadIdx <<<"') == {editor.theme("string")}
    assert editor.colour(0, "__global__") == editor.colour(0, "float") == editor.plain()
    assert [text for text in said if "cgpu" in text] == [
        "cgpu: cells of CUDA are shown as C++, since @lezer/common is not shared"]
