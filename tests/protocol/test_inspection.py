# SPDX-License-Identifier: Apache-2.0
"""What a name is: its declaration as it is written, with the comment above it, where it comes from; in a call, the parameter
at the cursor; as text, Markdown and HTML."""
import html
import re

import pytest

CELL = """\
/**
 * Scales a vector.
 *
 * @param n      how many elements
 * @param v      the elements; \\c v[0] comes first
 * @param[out] sum  their sum
 * @return the largest one
 *
 * @code
 * scaled(3, v, &s);
 * @endcode
 */
double scaled(int n, double *v, double *sum) { for (int i = 0; i < n; i++) *sum += v[i]; return v[0]; }

static inline int twice(int what) { return 2 * what; }
#define LIMIT_OF_ALL 17
enum shade { DARK = 3, LIGHT };
typedef struct { double x, y; } place;
place here = { 1, 2 }; // this is here
"""


@pytest.fixture(scope="module")
def known(kernel):
    kernel.run(CELL).ok()
    return kernel


def inspect(session, code, at=None, detail=0):
    reply = session.ask("inspect", code, len(code) if at is None else at, detail)
    assert reply["status"] == "ok"
    return reply["data"] if reply["found"] else None


def text(session, code, at=None, detail=0):
    return inspect(session, code, at, detail)["text/plain"]


def test_a_function_as_it_is_written(known):
    lines = text(known, "scaled").split("\n")
    assert lines[0] == "double scaled(int n, double *v, double *sum)"
    assert re.fullmatch(r"function scaled of In\[\d+\], line 13", lines[1])
    assert text(known, "twice").startswith("static inline int twice(int what)\nfunction twice of In[")


def test_the_comment_of_doxygen(known):
    assert text(known, "scaled").endswith("""

Scales a vector.

- `n`: how many elements
- `v`: the elements; `v[0]` comes first
- `sum` (output): their sum

Returns: the largest one

```
 scaled(3, v, &s);
```""")


def test_names_in_a_comment_of_doxygen(known):
    """As CUDA's headers are written: punctuation behind an argument, links, dashes, commands that nobody knows."""
    known.run("""\
/**
 * \\brief Copies bytes.
 *
 * Copies \\p count bytes (from \\p src), to \\p dst; see \\c f(x), \\c a[0]. or \\p ::there. It is one of ::toHost,
 * (::other()) and ::deep::inner, not std::move or a::b. A colon:: stays.
 *
 * \\param dst   - where to, as ::toHost
 * \\param count - how many
 * \\param src from where
 *
 * \\return
 * ::success,
 * ::failure
 * \\note_of_nobody
 * \\note_of_nobody is not shown, this is.
 *
 * \\note It waits for \\e all.
 * \\warning _never_ twice.
 *
 * \\sa ::copyMore, ::copyLess(),
 * \\ref ::copyAll(void *dst, T *src) "copyAll (C++ API)", \\ref ::copySome
 */
int copied(void *dst, int count, void *src) { return count; }""").ok()
    assert text(known, "copied").split("\n\n", 1)[1] == """\
Copies bytes.

Copies `count` bytes (from `src`), to `dst`; see `f(x)`, `a[0]`. or `there`. It is one of `toHost`,
(`other()`) and `deep::inner`, not std::move or a::b. A colon:: stays.

- `dst`: where to, as `toHost`
- `count`: how many
- `src`: from where

Returns: `success`,
`failure`

is not shown, this is.

Note: It waits for all.

Warning: _never_ twice.

See `copyMore`, `copyLess()`,
copyAll (C++ API), `copySome`"""


@pytest.mark.cuda
def test_a_comment_of_cuda(known):
    for form, shown in inspect(known, "cudaMemcpy").items():
        shown = shown.replace("<code>", "`").replace("</code>", "`").replace("<li>", "- ")
        assert "`dst`, where `kind`" in shown and "`cudaMemcpyHostToHost`" in shown and "::" not in shown, form
        assert "- `count`: Size in bytes to copy" in shown and "See `cudaMemcpy2D`," in shown, form


def test_two_question_marks_show_the_definition(known):
    assert "*sum += v[i]; return v[0]; }" in text(known, "scaled", detail=1)
    assert "*sum += v[i]" not in text(known, "scaled")
    for line, whole in (("scaled?", False), ("scaled??", True), ("??scaled", True), ("?scaled", False)):
        reply = known.run(line).ok().reply
        page, = reply["payload"]
        assert page["source"] == "page"
        assert ("*sum += v[i]" in page["data"]["text/plain"]) == whole, line


def test_types_constants_and_macros(known):
    assert text(known, "place").startswith("typedef struct { double x, y; } place\ntypedef place of In[")
    assert text(known, "LIMIT_OF_ALL").startswith("#define LIMIT_OF_ALL 17\nmacro LIMIT_OF_ALL of In[")
    assert text(known, "LIGHT").startswith("enum shade { DARK = 3, LIGHT }\ntype shade of In[")
    assert "constant DIM of enum local, this cell" in text(known, "enum local { DIM }; DIM")
    assert "macro INT_MAX of <" in text(known, "INT_MAX")
    assert "member y of place, " in text(known, "here.y")
    assert "value: {.x = 1.0, .y = 2.0}" in text(known, "here")


def test_names_of_headers_have_their_comment(known):
    shown = text(known, "strlen")
    assert shown.startswith("unsigned long strlen(const char *s)\nfunction strlen of <string.h>, line ")
    assert "Return the length of S." in shown


def test_what_the_cell_itself_says_comes_first(known):
    code = "{ int here = 5; here"
    assert text(known, code) == "int here = 5\nlocal variable here of this cell, line 1"


@pytest.mark.parametrize("code,marked", [
    ("scaled(", "int n"),
    ("scaled(1, &", "double *v"),
    ("double s; scaled(twice(1), here.x, ", "double *sum"),
    ("double s; scaled(twice(", "int what"),
    ("scaled(3, no_such_thing", "double *v"),
    ("memcpy(&here, ", "const void *restrict src"),
])
def test_the_parameter_at_the_cursor(known, code, marked):
    data = inspect(known, code)
    assert f"\nat the cursor: {marked}\n" in data["text/plain"] + "\n"
    assert f"**`{marked}`**" in data["text/markdown"]
    assert f"<b><u>{html.escape(marked)}</u></b>" in data["text/html"]


def test_a_known_name_in_a_call_is_itself(known):
    assert text(known, "scaled(1, here").split("\n")[1].startswith("variable here of In[")


def test_three_forms(known):
    data = inspect(known, "scaled")
    assert data["text/markdown"].startswith("```cpp\ndouble scaled(int n, double *v, double *sum)\n```\n\nfunction scaled of In[")
    shown = data["text/html"]
    declared = "double scaled(int n, double *v, double *sum)"
    assert shown.startswith(f'<pre style="margin-left: 0"><code>{declared}</code></pre><p>function scaled of')
    assert "<ul><li><code>n</code>: how many elements</li><li><code>v</code>: the elements; <code>v[0]</code> comes" in shown
    assert shown.endswith("<p>Returns: the largest one</p><pre><code> scaled(3, v, &amp;s);\n</code></pre>")
    known.run('const char *ticks = "````<b>&";').ok()
    data = inspect(known, "ticks")
    assert data["text/markdown"].startswith('`````cpp\nconst char *ticks = "````<b>&"\n`````\n')
    assert "&lt;b&gt;&amp;" in data["text/html"]


def test_a_comment_that_changes_alone(known):
    known.run("/* One. */ int commented = 1;").ok()
    assert text(known, "commented").endswith("\n\nOne.")
    known.run("/* Another. */ int commented = 1;").ok()
    assert text(known, "commented").endswith("\n\nAnother.")
    known.run("/* Of nothing. */\n\nint commented = 1;").ok()
    assert "Of nothing" not in text(known, "commented")


def test_text_that_is_no_text(known):
    known.run(b"/* \xc3\xa9t\xc3\xa9 */ int season(int jour) { return jour; }".decode()).ok()
    assert text(known, "season").endswith("\n\nété")


def test_cpp(fresh_kernel):
    fresh_kernel.run("""%%cpp
#include <vector>
namespace shop {
/// A price in \\b cents.
struct price { int cents; /** What it costs for many. */ int times(int many) const { return cents * many; } };
}
template <class T> T larger(T a, T b) { return a < b ? b : a; }
int larger(int a, char b) { return a + b; }
// The smaller one.
template <class T> T smaller(T a, T b) { return a < b ? a : b; }
shop::price p{5};
std::vector<int> numbers;""").ok()
    shown = text(fresh_kernel, "larger")
    assert "template <class T> T larger(T a, T b)\n" in shown and "int larger(int a, char b)\n" in shown
    assert "The smaller one." in text(fresh_kernel, "smaller")
    assert "\nat the cursor: char b\n" in text(fresh_kernel, "larger(1, 'c'") + "\n"
    assert "member function times of struct shop::price, In[1]" in text(fresh_kernel, "p.times")
    assert "What it costs for many." in text(fresh_kernel, "p.times")
    assert "A price in cents." in text(fresh_kernel, "shop::price")
    assert "void push_back(const value_type &" in text(fresh_kernel, "numbers.push_back").replace("__x", "")
    data = inspect(fresh_kernel, "p.times(")
    assert "**`int many`**" in data["text/markdown"]


def test_snapshots_keep_what_is_written(fresh_kernel):
    fresh_kernel.run("// Said once.\nint remembered(int much) { return much; }").ok()
    fresh_kernel.run("%snapshot save written").ok()
    fresh_kernel.run("%reset -f").ok()
    assert inspect(fresh_kernel, "remembered") is None
    fresh_kernel.run("%snapshot load written").ok()
    assert text(fresh_kernel, "remembered").startswith("int remembered(int much)\n")
    assert text(fresh_kernel, "remembered").endswith("\n\nSaid once.")
