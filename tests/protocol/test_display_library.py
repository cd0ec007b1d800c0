# SPDX-License-Identifier: Apache-2.0
"""What cells show by one call: rich text, charts, tables, pictures, progress; from arrays of C and of C++."""
import base64
import csv
import io
import json
import math
import struct

import pytest

from displays import complaint, one, png_chunks, png_rows

VEGALITE = "application/vnd.vegalite.v5+json"


def points(layer, *fields):
    """The rows of the data, which is CSV: numbers, None for a gap, and names of bars."""
    data = layer["data"]
    assert data["format"]["type"] == "csv"
    numbers = [f for f, kind in data["format"]["parse"].items() if kind == "number"]
    rows = csv.DictReader(io.StringIO(data["values"], newline=""))
    return [tuple((float(row[f]) if row[f] else None) if f in numbers else row[f] for f in fields) for row in rows]


def contrast(color, background):
    """That of a gray with black (0) or white (1), as WCAG 2 has it."""
    shade = int(color[1:3], 16) / 255
    assert color == "#" + 3 * color[1:3]
    light = sorted((((shade + 0.055) / 1.055)**2.4, background))
    return (light[1] + 0.05) / (light[0] + 0.05)


def chart(result):
    """The chart of a cell, with what each has."""
    spec = one(result)[VEGALITE]
    assert spec["$schema"] == "https://vega.github.io/schema/vega-lite/v5.json"
    assert spec["background"] == "transparent"
    # Readable on white and on black: no text is left to the default, which is black.
    texts = [spec["config"]["title"]["color"], *(spec["config"][part][key] for part in ("axis", "legend")
                                                 for key in ("labelColor", "titleColor"))]
    assert all(contrast(color, 0) > 4 and contrast(color, 1) > 3.9 for color in texts)
    assert spec["layer"] and all({"data", "mark", "encoding"} <= set(la) for la in spec["layer"])
    return spec


def layer(result):
    (it,) = chart(result)["layer"]
    return it


# ---- rich text ----

@pytest.mark.parametrize("call, mime, text, plain", [
    ('cgpu_html("<b>100%</b> &lt; &amp; <br/>x<style>p{}</style><!-- > -->y")', "text/html",
     "<b>100%</b> &lt; &amp; <br/>x<style>p{}</style><!-- > -->y", "100% < & \nxy"),
    ('cgpu_htmlf("<i>%d %s</i>", 3, "a")', "text/html", "<i>3 a</i>", "3 a"),
    ('cgpu_html("a < b")', "text/html", "a < b", "a < b"),
    ('cgpu_markdown("# %d")', "text/markdown", "# %d", "# %d"),
    ('cgpu_markdownf("**%.2f**", 1.5)', "text/markdown", "**1.50**", "**1.50**"),
    ('cgpu_latex("$x^2$")', "text/latex", "$x^2$", "$x^2$"),
    ('cgpu_latexf("$%d$", 2)', "text/latex", "$2$", "$2$"),
    ('cgpu_svg("<svg><title>A disc</title></svg>")', "image/svg+xml", "<svg><title>A disc</title></svg>",
     "picture in SVG: A disc"),
    ('cgpu_svgf("<svg width=\'%d\'/>", 5)', "image/svg+xml", "<svg width='5'/>", "picture in SVG"),
    ('cgpu_json("{\\"a\\": [1, null]}")', "application/json", {"a": [1, None]}, '{"a": [1, null]}'),
    ('cgpu_jsonf("[%d]", 7)', "application/json", [7], "[7]"),
])
def test_rich_text(run, call, mime, text, plain):
    assert one(run(call + ";")) == {mime: text, "text/plain": plain}


def test_json_that_is_none_is_told_with_its_place(run):
    r = run('cgpu_json("{\\"a\\":\\n [1, x]}");').ok()
    assert r.displays == [{"text/plain": '{"a":\n [1, x]}'}]
    assert r.stderr == "display: this application/json is not JSON, line 2, column 6: invalid token near 'x'\n"


def test_text_that_is_null(run):
    assert complaint(run("cgpu_html(NULL);")) == "cgpu_html: the text is NULL\n"
    assert complaint(run("cgpu_jsonf(NULL);")) == "cgpu_jsonf: the text is NULL\n"


# ---- charts in one call ----

@pytest.mark.parametrize("element, values", [
    ("float", [1, 0.1, -2.5]), ("double", [1e300, 0.1, -2.5e-9]), ("int", [1, -2147483648, 3]), ("char", [1, 2, 127]),
    ("signed char", [-128, 2, 3]), ("unsigned char", [255, 2, 3]), ("short", [-32768, 2, 3]), ("unsigned short", [65535, 2, 3]),
    ("unsigned", [4294967295, 2, 3]), ("long", [-2**53, 2, 3]), ("unsigned long", [2**53, 2, 3]), ("long long", [-5, 2, 3]),
    ("unsigned long long", [5, 2, 3]), ("bool", [1, 0, 1]), ("_Float16", [-0.5, 65504, 5.9604645e-08])])
def test_elements_of_each_type(run, element, values):
    text = ", ".join("(-2147483647 - 1)" if v == -2147483648 else repr(v) for v in values)
    it = layer(run(f"{{ {element} v[] = {{{text}}}; const {element} *p = v; cgpu_plot(p, v, 3); }}"))
    assert points(it, "x", "y") == [(v, v) for v in values]


def test_a_line(run):
    r = run("{ double x[] = {0, 0.5, 3}; float y[] = {1, 0.1f, -2}; cgpu_plot(x, y, 3); }")
    it = layer(r)
    assert points(it, "x", "y") == [(0, 1), (0.5, 0.1), (3, -2)]
    # The points are joined in their order, and the axes need not begin at zero.
    assert it["mark"] == {"type": "line", "order": False, "tooltip": True}
    assert it["encoding"] == {a: {"field": a, "type": "quantitative", "title": None, "scale": {"zero": False}} for a in "xy"}
    assert r.displays[0]["text/plain"] == "line: 3 points, x 0 to 3, y -2 to 1"


def test_x_may_be_missing(run):
    assert points(layer(run("{ int y[] = {5, 6, 7}; cgpu_plot(NULL, y, 3); }")), "x", "y") == [(0, 5), (1, 6), (2, 7)]


def test_what_has_no_value_is_a_gap(run):
    r = run("{ float y[] = {1, NAN, INFINITY, -INFINITY, 2}; cgpu_plot(NULL, y, 5); }")
    assert [v for _, v in points(layer(r), "x", "y")] == [1, None, None, None, 2]
    assert r.displays[0]["text/plain"] == "line: 5 points, x 0 to 4, y 1 to 2; 3 without a finite value"
    r = run("{ float y[] = {NAN}; cgpu_plot(NULL, y, 1); }")
    assert r.displays[0]["text/plain"] == "line: 1 point, x 0 to 0, no finite y; 1 without a finite value"


def test_a_scatter_chart(run):
    r = run("{ double x[] = {3, 1}, y[] = {4, 5}; cgpu_scatter(x, y, 2); }")
    assert points(layer(r), "x", "y") == [(3, 4), (1, 5)] and layer(r)["mark"]["type"] == "point"
    assert r.displays[0]["text/plain"] == "scatter: 2 points, x 1 to 3, y 4 to 5"


def test_bars_with_names(run):
    r = run('{ const char *names[] = {"a", "b\\"\\\\", "\\xff"}; int v[] = {3, 1, 2}; cgpu_bar(names, v, 3); }')
    it = layer(r)
    assert points(it, "x", "y") == [("a", 3), ('b"\\', 1), ("\ufffd", 2)]
    assert it["encoding"]["x"] == {"field": "x", "type": "nominal", "title": None, "sort": None}
    assert it["encoding"]["y"] == {"field": "y", "type": "quantitative", "title": None, "stack": None}  # so they begin at zero
    assert r.displays[0]["text/plain"] == "bar: 3 bars, y 1 to 3"


def test_a_histogram_counts_all_values(run):
    r = run("{ float v[100000]; for (int i = 0; i < 100000; i++) v[i] = i % 10; v[0] = NAN; cgpu_histogram(v, 100000, 5); }")
    it = layer(r)
    edges = [0, 1.8, 3.6, 5.4, 7.2, 9]
    assert [(pytest.approx(a), pytest.approx(b)) for a, b in zip(edges, edges[1:])] == points(it, "x", "x2")
    assert points(it, "y") == [(19999,), (20000,), (20000,), (20000,), (20000,)]
    assert it["encoding"]["x"]["bin"] == {"binned": True} and it["encoding"]["x2"] == {"field": "x2"}
    assert r.displays[0]["text/plain"] == \
        "histogram: 100,000 values, 0 to 9, 5 bins, at most 20000 in one; 1 without a finite value"
    # Bins as they suit, also of values that are all the same or as far apart as can be.
    assert sum(n for n, in points(layer(run("{ int v[] = {4, 4, 4}; cgpu_histogram(v, 3, 0); }")), "y")) == 3
    it = layer(run("{ double v[] = {-1.7e308, 1.7e308}; cgpu_histogram(v, 2, 2); }"))
    assert points(it, "x", "x2", "y") == [(-1.7e308, 0, 1), (0, 1.7e308, 1)]


def test_a_matrix_as_colours(run):
    r = run("{ double m[2][3] = {{1, 2, 3}, {4, NAN, 6}}; cgpu_heatmap(m, 2, 3); }")
    it = layer(r)
    assert points(it, "x", "y", "value") == [(0, 0, 1), (1, 0, 2), (2, 0, 3), (0, 1, 4), (1, 1, None), (2, 1, 6)]
    assert it["mark"]["type"] == "rect" and it["encoding"]["color"]["field"] == "value"
    assert r.displays[0]["text/plain"] == "heat map: 2 rows, 3 columns, 1 to 6; 1 without a finite value"


def test_a_large_matrix_is_drawn_as_means(run):
    r = run("{ float *m = (float *)malloc(4 * 300 * 150); for (int i = 0; i < 300 * 150; i++) m[i] = i / 150;\n"
            "cgpu_heatmap(m, 300, 150); free(m); }")
    cells = {(x, y): v for x, y, v in points(layer(r), "x", "y", "value")}
    assert len(cells) == 75 * 100 and all(v == 3 * y + 1 for (_, y), v in cells.items())
    assert r.displays[0]["text/plain"] == "heat map: 300 rows, 150 columns, 0 to 299; drawn are means, 100 x 75"


def test_of_a_million_points_the_peaks_are_drawn(run):
    r = run("{ int n = 1000000; float *y = (float *)malloc(4 * n); for (int i = 0; i < n; i++) y[i] = sin(i * 1e-4);\n"
            "y[123457] = 50; y[700001] = -50; cgpu_plot(NULL, y, n); cgpu_scatter(NULL, y, n); free(y); }").ok()
    line, scatter = (points(d[VEGALITE]["layer"][0], "x", "y") for d in r.displays)
    assert 9000 < len(line) <= 10000 and len(scatter) == 10000
    assert (123457, 50) in line and (700001, -50) in line
    assert [x for x, _ in line] == sorted(x for x, _ in line)
    assert all(y == pytest.approx(math.sin(x * 1e-4), abs=1e-6) for x, y in line if abs(y) <= 1)
    assert r.displays[0]["text/plain"].startswith("line: 1,000,000 points, x 0 to 999999, y -50 to 50; drawn are ")
    assert r.displays[0]["text/plain"].endswith(" of them, the least and the greatest of each stretch")
    assert r.displays[1]["text/plain"].endswith("; drawn are 10,000 of them, one of each stretch")


def test_arrays_of_the_cpp_library(kernel):
    r = kernel.run("#include <array>\n#include <vector>\n"
                   "{ std::vector<double> y{1, 2, 3}; std::array<int, 3> x{4, 5, 6}; cgpu_plot(x, y, y.size()); }")
    assert points(layer(r), "x", "y") == [(4, 1), (5, 2), (6, 3)]


# ---- pictures ----

def png(result):
    """Size, colour type and rows of pixels, as another decoder reads them."""
    chunks = dict(png_chunks(base64.b64decode(one(result)["image/png"])))
    assert list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
    width, height, depth, colour = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert depth == 8
    return width, height, colour, png_rows(chunks[b"IDAT"], height)


def test_pixels_of_bytes(run):
    r = run("{ unsigned char p[] = {0, 255, 128, 64, 7, 9}; cgpu_image(p, 3, 2, 1); }")
    assert png(r) == (3, 2, 0, [bytes([0, 255, 128]), bytes([64, 7, 9])])
    assert r.displays[0]["text/plain"] == "image: 3 x 2 pixels, gray"


@pytest.mark.parametrize("channels, colour, name", [(2, 4, "gray and alpha"), (3, 2, "RGB"), (4, 6, "RGBA")])
def test_pixels_of_colours(run, channels, colour, name):
    n = 5 * 4 * channels
    r = run(f"{{ int p[{n}]; for (int i = 0; i < {n}; i++) p[i] = i * 7 - 3; cgpu_image(p, 5, 4, {channels}); }}")
    values = bytes(min(max(i * 7 - 3, 0), 255) for i in range(n))
    row = 5 * channels
    assert png(r) == (5, 4, colour, [values[i:i + row] for i in range(0, n, row)])
    assert r.displays[0]["text/plain"] == f"image: 5 x 4 pixels, {name}"


def test_pixels_of_fractions(run):
    assert png(run("{ float p[] = {0, 0.5f, 1, 2, -1, NAN}; cgpu_image(p, 6, 1, 1); }"))[3] == \
        [bytes([0, 128, 255, 255, 0, 0])]


def test_a_picture_of_megabytes_is_whole(run):
    """More than the ring of a cell's output holds; noise, and repetitions of every length."""
    r = run("{ int w = 2000, h = 1600; unsigned char *p = (unsigned char *)malloc(3 * w * h); unsigned s = 1;\n"
            "for (int i = 0; i < 3 * w * h; i++) { s = s * 1664525 + 1013904223;\n"
            "p[i] = i < w * h ? s >> 24 : (i / (1 + i % 300)) >> 3; }\n"
            'cgpu_image(p, w, h, 3);\nFILE *f = fopen("pixels", "wb"); fwrite(p, 1, 3 * w * h, f); fclose(f); free(p); }')
    width, height, colour, rows = png(r)
    shown = b"".join(rows)
    assert (width, height, colour, len(shown)) == (2000, 1600, 2, 9600000)
    path = run("{ char cwd[4096]; puts(getcwd(cwd, sizeof(cwd))); }").stdout.strip()
    with open(f"{path}/pixels", "rb") as f:
        assert f.read() == shown


def test_pixels_that_repeat_are_small(run):
    r = run("{ static unsigned char p[1000 * 1000]; cgpu_image(p, 1000, 1000, 1); }")
    assert len(r.displays[0]["image/png"]) < 20000 and set(b"".join(png(r)[3])) == {0}


def test_smooth_pixels_take_half(run):
    r = run("""{ static float p[300][400][3];
            for (int y = 0; y < 300; y++) for (int x = 0; x < 400; x++) for (int c = 0; c < 3; c++)
                p[y][x][c] = 0.5 + 0.4 * sin(x * 0.05 + y * 0.03 * (c + 1));
            cgpu_image(p, 400, 300, 3); }""")
    assert len(base64.b64decode(r.displays[0]["image/png"])) < 0.6 * 400 * 300 * 3
    first = [round((0.5 + 0.4 * math.sin(x * 0.05)) * 255) for x in range(400) for c in range(3)]
    assert all(abs(a - b) <= 1 for a, b in zip(png(r)[3][0], first, strict=True))


def test_bytes_of_which_some_are_thousands_of_times_as_frequent(run):
    """Each is twice as frequent as the one before, so the rarest would have a code of 16 bits; there can be 15."""
    r = run("""{ static unsigned char sorted[65535], p[65535];
            for (int i = 0; i < 65535; i++) sorted[i] = 31 - __builtin_clz(i + 1);
            for (int i = 0; i < 65535; i++) p[i] = sorted[i * 40502L % 65535];
            cgpu_image(p, 65535, 1, 1); }""")
    expected = bytes((i * 40502 % 65535 + 1).bit_length() - 1 for i in range(65535))
    assert png(r) == (65535, 1, 0, [expected])
    assert len(base64.b64decode(r.displays[0]["image/png"])) < 65535 / 3


# ---- tables ----

def test_a_table(run):
    r = run('{ const char *names[] = {"a<b", "long name"}; double ms[] = {0.5, 12}; int n[] = {1, -20};\n'
            'cgpu_table(2, cgpu_column("name", names), cgpu_column("ms", ms), cgpu_column("n", n)); }')
    shown = one(r)
    assert shown["text/html"] == ("<table>\n<thead><tr><th>name</th><th>ms</th><th>n</th></tr></thead>\n<tbody>\n"
                                  "<tr><td>a&lt;b</td><td>0.5</td><td>1</td></tr>\n"
                                  "<tr><td>long name</td><td>12</td><td>-20</td></tr>\n</tbody>\n</table>")
    assert shown["text/plain"] == "name        ms    n\na<b        0.5    1\nlong name   12  -20"


def test_of_a_long_table_the_ends_are_shown(run):
    r = run('{ int n[1000]; for (int i = 0; i < 1000; i++) n[i] = i; cgpu_table(1000, cgpu_column("n", n)); }')
    lines = one(r)["text/plain"].split("\n")
    assert [li.strip() for li in lines] == \
        ["n", *map(str, range(30)), "...", *map(str, range(970, 1000)), "(1,000 rows)"]
    assert r.displays[0]["text/html"].count("<tr>") == 62 and "<p>1,000 rows</p>" in r.displays[0]["text/html"]


def test_a_table_without_rows(run):
    assert one(run('{ int n[1]; cgpu_table(0, cgpu_column("n", n)); }'))["text/plain"] == "n"


# ---- charts of several series ----

def test_a_chart_is_built_over_cells(fresh_kernel):
    run = fresh_kernel.run
    run('cgpu_chart *c = cgpu_chart_new("Loss \\"1\\"");\n'
        "{ float y[] = {3, 2, 0}; cgpu_chart_line(c, \"train\", NULL, y, 3); }").ok()
    run('cgpu_chart_axes(c, "epoch", "loss");\ncgpu_chart_log(c, "y");\ncgpu_chart_size(c, 600, 200);').ok()
    run('%%cpp\n{ double y[] = {4, 1}; cgpu_chart_scatter(c, "test", NULL, y, 2); }').ok()
    r = run("cgpu_chart_show(c);")
    spec = chart(r)
    assert (spec["title"], spec["width"], spec["height"]) == ('Loss "1"', 600, 200)
    assert [la["mark"]["type"] for la in spec["layer"]] == ["line", "point"]
    assert [la["encoding"]["color"]["datum"] for la in spec["layer"]] == ["train", "test"]
    for la in spec["layer"]:
        assert la["encoding"]["x"]["title"] == "epoch"
        assert la["encoding"]["y"] == {"field": "y", "type": "quantitative", "title": "loss", "scale": {"type": "log"}}
    assert points(spec["layer"][0], "y") == [(3,), (2,), (None,)]  # zero has no logarithm
    assert r.displays[0]["text/plain"] == (
        'Loss "1"\nline "train": 3 points, x 0 to 2, y 0 to 3; 1 without a place on a logarithmic axis\n'
        'scatter "test": 2 points, x 0 to 1, y 1 to 4')
    assert complaint(run("cgpu_chart_free(c);")) == ""
    assert complaint(run("cgpu_chart_show(c);")) == "cgpu_chart_show: the chart was freed\n"


def test_a_chart_rolls_back_with_its_cell(fresh_kernel):
    run = fresh_kernel.run
    run('cgpu_chart *c = cgpu_chart_new("kept");\nint y[] = {1, 2};\ncgpu_chart_line(c, "a", NULL, y, 2);').ok()
    r = run('cgpu_chart_line(c, "b", NULL, y, 2);\ncgpu_chart_line(c, "a", y, y, 2);\ncgpu_chart_axes(c, "x", "y");\n'
            "cgpu_chart_free(c);\n*(volatile int *)0 = 1;")
    assert r.status == "error" and r.ename == "SegmentationFault"
    spec = chart(run("cgpu_chart_show(c);"))
    assert spec["title"] == "kept" and len(spec["layer"]) == 1
    assert points(spec["layer"][0], "x", "y") == [(0, 1), (1, 2)] and spec["layer"][0]["encoding"]["x"]["title"] is None


def test_a_chart_is_drawn_anew_in_its_place(fresh_kernel):
    """As one that a training loop adds to, also when the loop is in a later cell."""
    def shows(result):
        return [(m["msg_type"], m["content"]["transient"].get("display_id"), m["content"]["data"][VEGALITE])
                for m in result.ok().messages if "display_data" in m["msg_type"]]
    run = fresh_kernel.run
    first = shows(run('cgpu_chart *c = cgpu_chart_new(NULL);\nfloat y[10];\n'
                      'for (int i = 0; i < 3; i++) { y[i] = i; cgpu_chart_line(c, "loss", NULL, y, i + 1);\n'
                      "cgpu_chart_update(c); }"))
    then = shows(run('y[3] = 9; cgpu_chart_line(c, "loss", NULL, y, 4); cgpu_chart_update(c);'))
    assert [t for t, _, _ in first + then] == ["display_data", *["update_display_data"] * 3]
    assert len({name for _, name, _ in first + then}) == 1 and first[0][1]
    assert [len(spec["layer"]) for _, _, spec in first + then] == [1] * 4
    assert points(then[0][2]["layer"][0], "y") == [(0,), (1,), (2,), (9,)]
    # Shown again it stands below, too, under the same name.
    assert [t for t, _, _ in shows(run("cgpu_chart_show(c);"))] == ["display_data"]


def test_series_without_names_are_told_apart(run):
    r = run("{ cgpu_chart *c = cgpu_chart_new(NULL); int y[] = {1, 2}; cgpu_chart_line(c, NULL, NULL, y, 2);\n"
            "cgpu_chart_bar(c, NULL, NULL, y, 2); cgpu_chart_histogram(c, \"h\", y, 2, 1);\n"
            "cgpu_chart_show(c); cgpu_chart_free(c); }")
    layers = chart(r)["layer"]
    assert [la["encoding"]["color"]["datum"] for la in layers] == ["1", "2", "h"]
    assert [la["mark"].get("opacity") for la in layers] == [None, 0.6, 0.6]


def test_bars_of_two_series_stand_side_by_side(run):
    r = run('{ cgpu_chart *c = cgpu_chart_new(NULL); int a[] = {1, 2}, b[] = {3, 0}; cgpu_chart_bar(c, "a", NULL, a, 2);\n'
            'cgpu_chart_bar(c, "b", NULL, b, 2); cgpu_chart_log(c, "y"); cgpu_chart_show(c); cgpu_chart_free(c); }')
    for name, la in zip("ab", chart(r)["layer"]):
        assert la["encoding"]["xOffset"] == {"datum": name, "type": "nominal"} and "opacity" not in la["mark"]
        assert la["encoding"]["x"]["type"] == "ordinal"
        # A logarithmic axis has no zero to begin at.
        assert la["encoding"]["y"]["scale"] == {"type": "log", "domainMin": 0.1} and la["encoding"]["y2"] == {"datum": 0.1}
    assert points(chart(r)["layer"][1], "y") == [(3,), (None,)]


def test_many_bars_have_numbers_below(run):
    it = layer(run("{ int v[200]; for (int i = 0; i < 200; i++) v[i] = i; cgpu_bar(NULL, v, 200); }"))
    assert it["encoding"]["x"]["type"] == "quantitative" and it["mark"]["size"] == 1


def test_a_chart_has_one_matrix(run):
    r = run("{ cgpu_chart *c = cgpu_chart_new(\"t\"); int a[2][2] = {{1, 2}, {3, 4}}, b[] = {7};\n"
            "cgpu_chart_heatmap(c, a, 2, 2); cgpu_chart_heatmap(c, b, 1, 1); cgpu_chart_show(c); cgpu_chart_free(c); }")
    assert points(layer(r), "x", "y", "value") == [(0, 0, 7)]


# ---- what is wrong with a call ----

@pytest.mark.parametrize("code, text", [
    ("int *p = (int *)malloc(40); cgpu_plot(NULL, p, 11); free(p);",
     "cgpu_plot: y is too short: 11 elements of 4 bytes need 44 bytes, and the block of cell # has 40\n"),
    ("int *p = (int *)malloc(40); cgpu_scatter(p + 8, p, 3); free(p);",
     "cgpu_scatter: x is too short: 3 elements of 4 bytes need 12 bytes, and the block of cell # has 8 from there on\n"),
    ("float *p = (float *)malloc(40); free(p); cgpu_plot(NULL, p, 3);",
     "cgpu_plot: y is a block that cell # has freed\n"),
    ("cgpu_plot(NULL, (float *)NULL, 3);", "cgpu_plot: y is NULL\n"),
    ("cgpu_histogram((float *)16, 3, 0);", "cgpu_histogram: values is no pointer: 0x10\n"),
    ("cgpu_plot(NULL, (float *)0x123456789000, 3);",
     "cgpu_plot: y is too short: nothing can be read at 0x123456789000, element 0 of 3\n"),
    ("int a[3] = {0}; cgpu_plot(NULL, (void *)a, 3);",
     "cgpu_plot: y is a void *, and what its elements are is not known: cast it, as in (float *)y\n"),
    ("int a[3] = {0}; cgpu_plot(NULL, a, 0);", "cgpu_plot: there is nothing to show: n is 0\n"),
    ("int a[3] = {0}; cgpu_plot(NULL, a, (unsigned long)-1);",
     "cgpu_plot: y cannot have 18446744073709551615 elements\n"),
    ("int a[3] = {0}; cgpu_heatmap(a, 0, 3);", "cgpu_heatmap: there is nothing to show: 0 rows, 3 columns\n"),
    ("int a[3] = {0}; cgpu_heatmap(a, 1ul << 40, 1ul << 40);",
     "cgpu_heatmap: values cannot have 18446744073709551615 elements\n"),
    ("const char *n[] = {\"a\"}; cgpu_plot(NULL, n, 1);", "cgpu_plot: y has strings, and numbers are asked for\n"),
    ("const char *n[] = {\"a\"}; int v[] = {1}; cgpu_plot(n, v, 1);",
     "cgpu_plot: x has strings, which bars only can have\n"),
    ("const char *n[] = {\"a\", (char *)16}; int v[] = {1, 2}; cgpu_bar(n, v, 2);",
     "cgpu_bar: x[1] points to no string: 0x10\n"),
    ("float v[] = {NAN}; cgpu_histogram(v, 1, 3);", "cgpu_histogram: values has no finite number\n"),
    ("float v[] = {1}; cgpu_histogram(v, 1, 10001);", "cgpu_histogram: 10001 bins: there can be 10000\n"),
    ("char p[4] = {0}; cgpu_image(p, 2, 2, 5);",
     "cgpu_image: 5 channels: there are 1 (gray), 2 (gray and alpha), 3 (RGB) and 4 (RGBA)\n"),
    ("char p[4] = {0}; cgpu_image(p, 0, 2, 1);", "cgpu_image: 0 x 2 pixels: a side has 1 to 65535\n"),
    ("char p[4] = {0}; cgpu_image(p, 60000, 60000, 1);",
     "cgpu_image: 60000 x 60000 pixels are more than a display can have, 32 MB\n"),
    ("static char p[33 << 20]; cgpu_display(\"image/png\", p, sizeof(p));",
     "cgpu_display: this is more than a display can have, 32 MB\n"),
    ("cgpu_display(\"image/png\", NULL, 5);", "cgpu_display: data is NULL\n"),
    ("cgpu_display_update(NULL, \"text/plain\", \"x\", 1);", "cgpu_display_update: the display has no id\n"),
    ("cgpu_table(3, cgpu_column(\"n\", (int *)NULL));", "cgpu_table: n is NULL\n"),
    ("int a[3] = {0}; cgpu_chart_line(NULL, \"a\", NULL, a, 3);", "cgpu_chart_line: the chart is NULL\n"),
    ("int a[300] = {0}; cgpu_chart_show((cgpu_chart *)a);", "cgpu_chart_show: this is no chart of cgpu_chart_new()\n"),
    ("cgpu_chart *c = cgpu_chart_new(NULL); cgpu_chart_show(c); cgpu_chart_free(c);",
     "cgpu_chart_show: the chart has nothing to show yet\n"),
    ("cgpu_chart *c = cgpu_chart_new(NULL); cgpu_chart_log(c, \"z\"); cgpu_chart_size(c, 0, 5); cgpu_chart_free(c);",
     'cgpu_chart_log: "z" are no axes: "x", "y", "xy" or ""\ncgpu_chart_size: 0 x 5 pixels: a side has 1 to 10000\n'),
    ("cgpu_progress_set(NULL, 1);",
     "cgpu_progress_set: this is no progress bar of cgpu_progress_new(), or it has ended\n"),
])
def test_what_is_wrong(run, code, text):
    r = run("{ " + code + " }")
    assert complaint(r) == text.replace("#", str(r.count))


def test_a_variable_that_is_too_short(fresh_kernel):
    fresh_kernel.run("float y[5];").ok()
    assert complaint(fresh_kernel.run("cgpu_plot(NULL, y, 6);")) == \
        "cgpu_plot: y is too short: 6 elements of 4 bytes need 24 bytes, and y has 20\n"
    assert complaint(fresh_kernel.run("cgpu_plot(NULL, y + 3, 3);")) == \
        "cgpu_plot: y is too short: 3 elements of 4 bytes need 12 bytes, and y has 8 from there on\n"


@pytest.mark.parametrize("argument", ["3", "(struct tm *)0", "(float **)0"])
def test_what_is_no_array_does_not_compile(run, argument):
    r = run(f"{{ int y[] = {{1}}; cgpu_plot({argument}, y, 1); }}")
    assert r.status == "error" and r.ename == "CompileError" and "cgpu_plot" in r.traceback


def test_an_array_on_the_stack(kernel):
    """Nobody knows its length, but Linux knows where the stack ends."""
    r = kernel.run("void f(void) { int y[4] = {1, 2, 3, 4}; cgpu_plot(NULL, y, 4); cgpu_plot(NULL, y, 1ul << 40); }\nf();").ok()
    assert points(r.displays[0][VEGALITE]["layer"][0], "y") == [(1,), (2,), (3,), (4,)] and len(r.displays) == 1
    assert r.stderr.startswith("cgpu_plot: y is too short: nothing can be read at 0x")


def test_what_a_call_has_shown_leaves_nothing_behind(fresh_kernel):
    """The session's heap gives the same block after a hundred charts as before, also after those that were freed."""
    def block():
        return fresh_kernel.run('{ void *p = malloc(100); printf("%p", p); free(p); }').ok().stdout
    fresh_kernel.run("double y[100]; cgpu_plot(NULL, y, 100);").ok()
    before = block()
    fresh_kernel.run("for (int i = 0; i < 100; i++) { cgpu_plot(NULL, y, 100); cgpu_image(y, 10, 10, 1);\n"
                     'cgpu_table(100, cgpu_column("y", y)); cgpu_chart *c = cgpu_chart_new("t");\n'
                     'cgpu_chart_line(c, "n", y, y, 100);\n'
                     "cgpu_chart_free(c); cgpu_progress_end(cgpu_progress_new(\"t\", 3)); }").ok()
    assert block() == before


# ---- progress and display ids ----

def updates(result):
    return [(m["msg_type"], m["content"]["transient"], m["content"]["data"])
            for m in result.ok().messages if "display_data" in m["msg_type"]]


def test_progress_is_one_display(run):
    r = run('{ cgpu_progress *p = cgpu_progress_new("Work <1>", 400);\n'
            "for (int i = 0; i < 400; i++) { usleep(1000); cgpu_progress_add(p, 1); }\ncgpu_progress_end(p); }")
    shown = updates(r)
    assert [t for t, _, _ in shown] == ["display_data", *["update_display_data"] * (len(shown) - 1)]
    assert len({t["display_id"] for _, t, _ in shown}) == 1
    assert 4 <= len(shown) < 40  # ten times a second
    assert shown[0][2]["text/plain"] == "Work <1>    0 % |--------------------| 0 of 400, not begun"
    assert " left" in shown[1][2]["text/plain"] and "/s, " in shown[1][2]["text/plain"]
    last = shown[-1][2]
    assert last["text/plain"].startswith("Work <1>  100 % |####################| 400 of 400, ")
    assert last["text/plain"].endswith(" s") and "left" not in last["text/plain"]
    assert last["text/html"].startswith('<div>Work &lt;1&gt; <progress value="1" max="1"></progress> 100 %, 400 of 400, ')


def test_progress_over_cells_and_without_a_total(fresh_kernel):
    (first,) = updates(fresh_kernel.run("cgpu_progress *p = cgpu_progress_new(NULL, 0);"))
    assert first[2]["text/plain"] == "0, 0.0 s" and "<progress" not in first[2]["text/html"]
    fresh_kernel.run("usleep(110000); cgpu_progress_set(p, 1234); *(volatile int *)0 = 1;")
    (then,) = updates(fresh_kernel.run("cgpu_progress_end(p);"))
    assert then[:2] == ("update_display_data", first[1])
    assert then[2]["text/plain"].startswith("0, ")  # the cell that failed has not been
    assert complaint(fresh_kernel.run("cgpu_progress_set(p, 3);")).startswith("cgpu_progress_set: this is no progress bar")


def test_a_display_is_replaced_under_its_name(run):
    shown = updates(run('cgpu_display_id("mine", "text/plain", "a", 1); cgpu_display_update("mine", "text/plain", "b", 1);'))
    assert shown == [("display_data", {"display_id": "mine"}, {"text/plain": "a"}),
                     ("update_display_data", {"display_id": "mine"}, {"text/plain": "b"})]


def test_displays_keep_their_place_in_the_text(run):
    r = run('{ int y[] = {1}; puts("a"); cgpu_plot(NULL, y, 1); puts("b"); cgpu_html("x"); puts("c"); }').ok()
    assert [m["content"].get("text", "shown") for m in r.messages[2:-1]] == ["a\n", "shown", "b\n", "shown", "c\n"]


def test_a_display_of_megabytes(kernel):
    r = kernel.run('char *big = malloc(9000002); memset(big, \'x\', 9000002);\n'
                   'puts("before"); cgpu_display("text/markdown", big, 9000000); puts("after");').ok()
    assert r.displays == [{"text/markdown": "x" * 9000000}] and r.stdout == "before\nafter\n"


def test_json_has_a_limit(kernel):
    """Parsed it takes tens of times the memory of its text, in the process that must not end."""
    r = kernel.run('char *ones = malloc(5000002); for (int i = 0; i < 5000000; i += 2) memcpy(ones + i, ",1", 2);\n'
                   'ones[0] = \'[\'; ones[4000000] = \']\'; cgpu_display("application/json", ones, 4000001);\n'
                   'ones[4000000] = \',\'; ones[5000000] = \']\'; cgpu_display("application/json", ones, 5000001);').ok()
    assert r.displays == [{"application/json": [1] * 2000000}]
    assert r.stderr == "display: this application/json has 5000001 bytes, and JSON can have 4 MB\n"


def test_a_display_that_its_cell_does_not_finish(fresh_kernel):
    """The parts of one that is killed in the middle are not taken for the next one's; where that is, is by chance."""
    fresh_kernel.run("#include <pthread.h>\nchar *big = calloc(1, 30 << 20);\nint wait;\n"
                     "void *end(void *u) { usleep(wait); *(volatile int *)0 = 1; return u; }").ok()
    for ms in range(20, 200, 15):
        r = fresh_kernel.run(f"wait = {ms * 1000};\npthread_t t; pthread_create(&t, 0, end, 0);\n"
                             'for (;;) cgpu_display("image/png", big, 30 << 20);')
        assert r.status == "error" and r.ename == "SegmentationFault"
        assert one(fresh_kernel.run('cgpu_html("whole");')) == {"text/html": "whole", "text/plain": "whole"}


def test_valid_json_whatever_the_numbers(kernel):
    """Each float that is one is the same again."""
    r = kernel.run("float f[3000];\n"
                   "for (int i = 0; i < 3000; i++) { unsigned b = i * 2863311531u + 12345; memcpy(&f[i], &b, 4); }\n"
                   "cgpu_plot(NULL, f, 3000);")
    assert json.dumps(r.displays[0], allow_nan=False)
    for i, (y,) in enumerate(points(layer(r), "y")):
        (value,) = struct.unpack("f", struct.pack("I", (i * 2863311531 + 12345) % 2**32))
        assert (y is None) == (not math.isfinite(value))
        if y is not None:
            assert struct.pack("f", y) == struct.pack("f", value)
