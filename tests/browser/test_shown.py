# SPDX-License-Identifier: Apache-2.0
"""What JupyterLab shows beside text: its debugger, in host and device code; widgets, charts, tables; in both themes."""
import pytest
from front_end import Debugger, faint
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.long]
HOST = """int square(int n)
{
    int r = n * n;
    return r;
}
int total = 0;
for (int i = 1; i <= 3; i++) {
    int s = square(i + 1);
    total += s;
}
total"""
DEVICE = """__global__ void scale(float a, float *x)
{
    int i = threadIdx.x;
    float t = x[i] * a;
    x[i] = t + i;
}
float *d;
cudaMallocManaged(&d, 32 * sizeof *d);
for (int i = 0; i < 32; i++)
    d[i] = i;
scale<<<1, 32>>>(2, d);
cudaDeviceSynchronize();
d[3]"""


def test_variables_of_the_session(notebook):
    book = notebook("int kept = 41;\ndouble share = 0.5;", "kept++;")
    book.run(0)
    debugger = Debugger(book)
    debugger.has(kept="41")
    book.run(1)
    debugger.has(kept="42")


def test_variables_of_every_type_show_their_value(notebook):
    book = notebook("double share = 0.5;\nlong many = 7;\nconst char *word = \"hello\";\nenum e { no, yes } answer = yes;")
    book.run(0)
    debugger = Debugger(book)
    debugger.has(share="0.5", many="7", answer="yes (1)")


def test_a_cell_stops_at_a_breakpoint(notebook):
    book = notebook("int kept = 41;", HOST)
    book.run(0)
    debugger = Debugger(book)
    debugger.break_at(1, 9)
    book.start(1)
    debugger.stands("In[2]:9")
    debugger.has(i="1", s="4")
    for line in 7, 8:
        debugger.press("next")
        debugger.stands(f"In[2]:{line}")
    debugger.press("stepIn")
    debugger.stands("square:3", "In[2]:8")
    debugger.has(n="3")
    debugger.press("continue")
    debugger.stands("In[2]:9")
    debugger.has(i="2", s="9", total="4")
    debugger.press("continue")
    debugger.has(i="3")
    expect(debugger.panel.locator(".jp-DebuggerVariables-name")).to_have_text(["s", "i", "total"])
    debugger.press("continue")
    expect(book.output(1)).to_have_text("29")
    book.restart()
    expect(debugger.panel.locator(".jp-DebuggerBreakpoint-line")).to_have_text(["9"])


@pytest.mark.cuda
@pytest.mark.emulated
def test_device_code_stops_at_a_breakpoint(notebook):
    book = notebook(DEVICE)
    debugger = Debugger(book)
    debugger.break_at(0, 5)
    book.start(0)
    debugger.stands("scale [block (0,0,0), thread (0,0,0)]:5", "In[1]:11")
    debugger.has(i="0", a="2")
    debugger.scope.select_option("Warp")
    debugger.has(i=" ".join(map(str, range(32))), a="2.0 in all lanes")
    debugger.press("next")
    debugger.stands("scale [block (0,0,0), thread (0,0,0)]:6", "In[1]:11")
    debugger.press("next")
    debugger.stands("In[1]:12")
    debugger.press("continue")
    expect(book.output(0)).to_have_text("9.0")


def test_a_slider_calls_back(notebook):
    book = notebook('void moved(cgpu_widget *w, void *label) { char t[40]; sprintf(t, "at %g", cgpu_value(w)); '
                    'cgpu_set_text(label, t); }\ncgpu_widget *n = cgpu_slider_new("n", 0, 10, 3), *l = cgpu_label_new("");\n'
                    "cgpu_widget_on_change(n, moved, l);\ncgpu_widget_show(cgpu_vbox(n, l));", "cgpu_value(n)")
    book.start(0)
    handle, track = book.cell(0).locator(".noUi-handle"), book.cell(0).locator(".noUi-target")
    handle.drag_to(track, target_position={"x": track.bounding_box()["width"] - 1, "y": track.bounding_box()["height"] / 2})
    book.cell(0).get_by_text("at 10").wait_for()
    expect(book.run(1)).to_have_text("10.0")


def test_a_chart_is_drawn(notebook):
    book = notebook("double y[50];\nfor (int i = 0; i < 50; i++)\n    y[i] = i * i;\ncgpu_plot(NULL, y, 50);")
    book.start(0)
    canvas = book.cell(0).locator("canvas.marks")
    canvas.wait_for()
    box = canvas.bounding_box()
    assert box["width"] > 200 and box["height"] > 100
    assert canvas.evaluate("c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.filter(v => v).length") > 1000


def test_sound_surfaces_and_animations(notebook):
    """Each as the browser has read it."""
    book = notebook("float v[4000];\nfor (int i = 0; i < 4000; i++)\n    v[i] = sin(i * 0.3);\ncgpu_audio(v, 4000, 8000);",
                    "cgpu_surface(v, 40, 100);",
                    "cgpu_animation *a = cgpu_animation_new(50, 40, 1, 10);\nfor (int i = 0; i < 5; i++)\n"
                    "    cgpu_animation_add(a, v + 3 * i);\ncgpu_animation_show(a);")
    book.run(0)
    sound = book.cell(0).locator("audio")
    assert sound.evaluate("a => a.duration || new Promise(done => a.onloadedmetadata = () => done(a.duration))") == 0.5
    book.run(1)
    surface = book.cell(1).locator("img")
    assert surface.evaluate("i => i.decode().then(() => [i.naturalWidth, i.naturalHeight])") == [640, 470]
    book.run(2)
    frames = """async i => {
        const decoder = new ImageDecoder({data: await (await fetch(i.src)).arrayBuffer(), type: "image/png"});
        await Promise.all([decoder.tracks.ready, decoder.completed]);
        const lengths = [];
        for (let n = 0; n < decoder.tracks.selectedTrack.frameCount; n++)
            lengths.push((await decoder.decode({frameIndex: n})).image.duration);
        return lengths;
    }"""
    assert book.cell(2).locator("img").evaluate(frames) == [100_000] * 5


@pytest.fixture
def is_dark(request):
    if request.param:
        request.getfixturevalue("dark")
    return request.param


@pytest.mark.parametrize("is_dark", [False, True], indirect=True, ids=["light", "dark"])
def test_errors_can_be_read(notebook, is_dark):
    """All of their text in the colours of the theme."""
    book = notebook("*(volatile int *)0 = 1;", "int b = no_such_name;")
    assert book.page.locator("body").get_attribute("data-jp-theme-light") == str(not is_dark).lower()
    for number, text in enumerate(["address 0x0 is a null pointer", "use of undeclared identifier"]):
        book.start(number)
        error = book.shows(number, text)
        assert faint(error, 3) == []


@pytest.mark.cuda
@pytest.mark.parametrize("is_dark", [False, True], indirect=True, ids=["light", "dark"])
def test_tables_can_be_read(notebook, is_dark):
    """All of their text in the colours of the theme."""
    book = notebook("int a = 3;\nfloat *d;\ncudaMalloc(&d, 400);", "%whos", "%gpu",
                    "%%profile\n__global__ void fill(float *p)\n{\n    p[threadIdx.x] = 1;\n}\nfill<<<1, 32>>>(d);\n"
                    "cudaDeviceSynchronize();")
    book.run(0)
    for number, cells in (1, ["a", "float *"]), (2, ["d", "400 B"]), (3, ["83.3\xa0%", "32.0"]):
        table = book.run(number).first
        for text in cells:
            table.locator("td").get_by_text(text, exact=True).first.wait_for()
        assert faint(table, 3) == []
