# SPDX-License-Identifier: Apache-2.0
"""What cells show by one call: sound, surfaces, and animations; from arrays of C and of C++."""
import base64
import io
import itertools
import re
import struct
import wave
import xml.etree.ElementTree as ET

import pytest

from displays import complaint, one, png_chunks, png_rows


# ---- sound ----

def sound(result):
    """Channels, rate and samples of the WAV file that a cell shows."""
    player = re.fullmatch('<audio controls src="data:audio/wav;base64,([^"]*)"></audio>', one(result)["text/html"])
    file = base64.b64decode(player[1], validate=True)
    with wave.open(io.BytesIO(file)) as f:
        assert f.getsampwidth() == 2 and len(file) == 44 + 2 * f.getnchannels() * f.getnframes()
        data = f.readframes(f.getnframes())
        return f.getnchannels(), f.getframerate(), [v for v, in struct.iter_unpack("<h", data)]


def test_samples_of_fractions(run):
    r = run("{ float v[] = {0.5f, -0.25f, 1, -1}; cgpu_audio(v, 4, 8000); }")
    assert sound(r) == (1, 8000, [16384, -8192, 32767, -32767])
    assert r.displays[0]["text/plain"] == "audio: 0.00 s, 8000 Hz, mono, peak 1"


def test_samples_of_sixteen_bits_are_as_they_are(run):
    r = run("{ short v[] = {0, 1, -1, 32767, -32768}; cgpu_audio(v, 5, 48000); }")
    assert sound(r) == (1, 48000, [0, 1, -1, 32767, -32768])
    assert r.displays[0]["text/plain"] == "audio: 0.00 s, 48000 Hz, mono, peak 1"


def test_samples_that_are_too_loud_are_cut_off(run):
    r = run("{ double v[] = {1.01, -3, NAN, INFINITY, 0.1}; cgpu_audio(v, 5, 8000); }")
    assert sound(r) == (1, 8000, [32767, -32767, 0, 0, 3277])
    assert r.displays[0]["text/plain"] == \
        "audio: 0.00 s, 8000 Hz, mono, peak 3; 2 of 5 samples clipped; 2 without a finite value"
    r = run("{ int v[] = {32768, -32769, -32768}; cgpu_audio(v, 3, 8000); }")
    assert sound(r) == (1, 8000, [32767, -32768, -32768])
    assert r.displays[0]["text/plain"] == "audio: 0.00 s, 8000 Hz, mono, peak 1; 2 of 3 samples clipped"


def test_stereo_is_left_and_right_in_turn(run):
    r = run("{ short v[6] = {1, -1, 2, -2, 3, -3}; cgpu_audio_stereo(v, 6, 3000); }")
    assert sound(r) == (2, 3000, [1, -1, 2, -2, 3, -3])
    assert r.displays[0]["text/plain"] == "audio: 0.00 s, 3000 Hz, stereo, peak 9.16e-05"


def test_seconds_of_sound(run):
    """All of them, however many numbers are read at once."""
    r = run("{ int n = 2 * 44100; float *v = (float *)malloc(n * sizeof(float));\n"
            "for (int i = 0; i < n; i++) v[i] = (i % 200 - 100) * 0.0081f; cgpu_audio(v, n, 44100);\n"
            "cgpu_audio_stereo(v, n, 44100); free(v); }").ok()
    assert [d["text/plain"] for d in r.displays] == ["audio: 2.00 s, 44100 Hz, mono, peak 0.81",
                                                     "audio: 1.00 s, 44100 Hz, stereo, peak 0.81"]
    mono = r.displays.pop(0)
    right = sound(r)[2]
    assert right == [round((i % 200 - 100) * 0.0081 * 32767) for i in range(88200)]
    assert len(mono["text/html"]) == len(r.displays[0]["text/html"])


def test_as_much_sound_as_a_display_has_room_for(kernel):
    r = kernel.run("short *v = calloc(12582507, 2);\n"
                   "cgpu_audio(v, 12582506, 768000);\ncgpu_audio(v, 12582507, 768000);").ok()
    assert [d["text/plain"] for d in r.displays] == ["audio: 16.38 s, 768000 Hz, mono, peak 0"]
    assert r.stderr == ("cgpu_audio: 12582507 samples are more than a display can have, 12582506: show a part of them, "
                        "or fewer a second\n")


# ---- surfaces ----

SVG = "{http://www.w3.org/2000/svg}"


def surface(result):
    """The colour and the four corners of each cell, in the order in which they are drawn, and the labels."""
    picture = ET.fromstring(one(result)["image/svg+xml"])
    title, lines, texts, cells = picture
    assert title.text == result.displays[0]["text/plain"]
    assert (picture.get("width"), picture.get("height"), picture.get("viewBox")) == ("640", "470", "0 0 6400 4700")
    # As charts, readable on white and on black.
    assert lines.get("stroke") == texts.get("fill") == cells.get("stroke") == "#7f7f7f"
    drawn = []
    for cell in cells:
        x, y, *steps = map(int, re.findall(r"-?\d+", cell.get("d")))
        assert re.fullmatch(r"M\S+ \S+l\S+ \S+ \S+ \S+ \S+ \S+z", cell.get("d"))
        xs, ys = itertools.accumulate(steps[::2], initial=x), itertools.accumulate(steps[1::2], initial=y)
        drawn.append((cell.get("fill"), list(zip(xs, ys))))
        assert all(0 < x < 6400 and 0 < y < 4700 for x, y in drawn[-1][1])
    return drawn, [text.text for text in texts]


def test_a_surface(run):
    r = run("{ double m[2][3] = {{0, 0.5, 1}, {0, 0.5, 1}}; cgpu_surface(m, 2, 3); }")
    (low, high), labels = surface(r)
    assert r.displays[0]["text/plain"] == "surface: 2 rows, 3 columns, 0 to 1"
    assert labels == ["0", "1", "2", "0", "1", "0", "0.2", "0.4", "0.6", "0.8", "1", "column", "row"]
    # The colours of a heat map, of the mean of the corners.
    assert low[0] == "#a9ddb7" and high[0] == "#2173b1"
    # One side is both cells', which lie side by side from left to right.
    assert low[1][1:3] == high[1][0::3]
    assert low[1][0][0] < low[1][1][0] < high[1][1][0]


def test_what_is_in_front_covers_what_is_behind(run):
    """The first row is behind; a step of a row or column comes nearer, which is further down, and a value goes up."""
    drawn, _ = surface(run("{ int m[3][3] = {{4, 4, 4}, {4, 4, 4}, {4, 4, 4}}; cgpu_surface(m, 3, 3); }"))
    middle = [sum(y for _, y in corners) for _, corners in drawn]
    assert middle[0] < min(middle[1:3]) and max(middle[1:3]) < middle[3]
    flat, labels = surface(run("{ int m[2][2] = {{0, 0}, {2, 0}}; cgpu_surface(m, 2, 2); }"))
    steep, _ = surface(run("{ int m[2][2] = {{0, 0}, {2, 1}}; cgpu_surface(m, 2, 2); }"))
    assert labels[4:-2] == ["0", "0.5", "1", "1.5", "2"]
    moved = [(a, b) for a, b in zip(flat[0][1], steep[0][1]) if a != b]
    assert len(moved) == 1 and moved[0] == (flat[0][1][2], steep[0][1][2])
    (x, y), (same, higher) = moved[0]
    assert x == same and higher < y


def test_values_that_are_all_the_same_lie_in_the_middle(run):
    drawn, labels = surface(run("{ float m[4] = {-7, -7, -7, -7}; cgpu_surface(m, 2, 2); }"))
    assert labels == ["0", "1", "0", "1", "-7", "column", "row"] and drawn[0][0] == "#45b4c2"


def test_a_hole_where_there_is_no_value(run):
    r = run("{ float m[5][5]; for (int i = 0; i < 25; i++) m[i / 5][i % 5] = i; m[2][2] = NAN; m[0][0] = INFINITY;\n"
            "cgpu_surface(m, 5, 5); }")
    assert len(surface(r)[0]) == 16 - 4 - 1
    assert r.displays[0]["text/plain"] == "surface: 5 rows, 5 columns, 1 to 24; 2 without a finite value"


def test_a_large_surface_is_drawn_as_means(run):
    r = run("{ float *m = (float *)malloc(4 * 300 * 150); for (int i = 0; i < 300 * 150; i++) m[i] = i / 150;\n"
            "cgpu_surface(m, 300, 150); free(m); }")
    drawn, labels = surface(r)
    assert len(drawn) == 59 * 49
    # The axes have what was given; the values are those of the means, 2 to 297.
    assert labels == ["50", "100", *2 * ["50", "100", "150", "200", "250"], "column", "row"]
    assert r.displays[0]["text/plain"] == "surface: 300 rows, 150 columns, 0 to 299; drawn are means, 60 x 50"


@pytest.mark.parametrize("values, expected", [
    ("1e300, 1.7e308, -1.7e308, 0", ["-1.5e+308", "-1e+308", "-5e+307", "0", "5e+307", "1e+308", "1.5e+308"]),
    ("5e-324, 0, 0, 0", ["0"]),
    ("1.1, 1.2, 1.3, 1.7", ["1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "1.7"]),
    ("0.07, 0.08, 0.09, 0.13", ["0.07", "0.08", "0.09", "0.1", "0.11", "0.12", "0.13"]),
    ("1.000001, 1.000002, 1.000006, 1", ["1", *(f"1.00000{i}" for i in range(1, 7))]),
    ("1e20, 1.00000000000001e20, 1e20, 1e20", None)])
def test_numbers_of_any_size(run, values, expected):
    drawn, labels = surface(run(f"{{ double m[4] = {{{values}}}; cgpu_surface(m, 2, 2); }}"))
    assert len(drawn) == 1
    assert expected is None or labels[4:-2] == expected


# ---- animations ----

def animation(result):
    """What another decoder shows (W3C PNG, third edition): the colour type, and each picture with its seconds."""
    chunks = png_chunks(base64.b64decode(one(result)["image/png"]))
    kinds = [kind for kind, _ in chunks]
    n = (len(chunks) - 3) // 2
    assert kinds == [b"IHDR", b"acTL", b"fcTL", b"IDAT", *[b"fcTL", b"fdAT"] * (n - 1), b"IEND"]
    assert chunks[1][1] == struct.pack(">II", n, 0)
    width, height, depth, colour = struct.unpack(">IIBB", chunks[0][1][:10])
    assert depth == 8
    pixel = {0: 1, 4: 2, 2: 3, 6: 4}[colour]
    picture, shown, numbers = [bytearray(width * pixel) for _ in range(height)], [], itertools.count()
    for (_, control), (kind, data) in zip(chunks[2:-1:2], chunks[3:-1:2]):
        number, w, h, x, y, ticks, rate, dispose, blend = struct.unpack(">IIIIIHHBB", control)
        assert number == next(numbers) and (dispose, blend) == (0, 0) and x + w <= width and y + h <= height
        if kind == b"fdAT":
            assert struct.unpack(">I", data[:4])[0] == next(numbers)
            data = data[4:]
        else:
            assert (w, h, x, y) == (width, height, 0, 0)
        for row, pixels in zip(picture[y:y + h], png_rows(data, h), strict=True):
            assert len(pixels) == w * pixel
            row[x * pixel:(x + w) * pixel] = pixels
        shown.append((b"".join(picture), ticks / rate))
    return colour, shown


def test_an_animation(run):
    r = run("{ unsigned char p[2][3] = {{1, 2, 3}, {4, 5, 6}}; cgpu_animation *a = cgpu_animation_new(3, 2, 1, 10);\n"
            "cgpu_animation_add(a, p); p[1][1] = 50; cgpu_animation_add(a, p); cgpu_animation_add(a, p);\n"
            "p[0][2] = 0; p[1][0] = 255; cgpu_animation_add(a, p); cgpu_animation_show(a); cgpu_animation_free(a); }")
    assert animation(r) == (0, [(bytes([1, 2, 3, 4, 5, 6]), 0.1), (bytes([1, 2, 3, 4, 50, 6]), 0.2),
                                (bytes([1, 2, 0, 255, 50, 6]), 0.1)])
    assert r.displays[0]["text/plain"] == "animation: 4 frames of 3 x 2 pixels, 0.4 s"


@pytest.mark.parametrize("channels, colour", [(1, 0), (2, 4), (3, 2), (4, 6)])
def test_frames_of_colours(run, channels, colour):
    """Each frame differs in a rectangle of its own, and in some pixels of it only; the last one is as the first."""
    r = run(f"""{{ static int p[20][30][{channels}]; cgpu_animation *a = cgpu_animation_new(30, 20, {channels}, 60);
            for (int i = 0; i < 20; i++) {{
                for (int y = i % 7; y < 20 - i; y++) for (int x = i; x < 30 - i % 5; x += 1 + i % 3)
                    p[y][x][(x + y) % {channels}] = x * y * i - 7;
                if (i == 19) memset(p, 0, sizeof(p));
                cgpu_animation_add(a, p); }}
            cgpu_animation_show(a); cgpu_animation_free(a); }}""")
    pixels, expected = [[0] * 30 * channels for _ in range(20)], []
    for i in range(20):
        for y in range(i % 7, 20 - i):
            for x in range(i, 30 - i % 5, 1 + i % 3):
                pixels[y][x * channels + (x + y) % channels] = min(max(x * y * i - 7, 0), 255)
        expected.append(bytes(itertools.chain.from_iterable(pixels)) if i < 19 else bytes(600 * channels))
    pictures = [(p, len([*same])) for p, same in itertools.groupby(expected)]
    assert animation(r) == (colour, [(p, n / 60) for p, n in pictures])


def test_a_frame_is_as_large_as_what_changes(run):
    r = run("{ static float p[400][500][3]; cgpu_animation *a = cgpu_animation_new(500, 400, 3, 30);\n"
            "for (int i = 0; i < 400 * 500 * 3; i++) p[0][0][i] = rand() / (float)RAND_MAX;\n"
            "for (int i = 0; i < 90; i++) { p[200][i][0] = 1 - p[200][i][0]; cgpu_animation_add(a, p); }\n"
            "cgpu_animation_show(a); cgpu_animation_free(a); }")
    assert len(base64.b64decode(r.displays[0]["image/png"])) < 500 * 400 * 3 * 1.2 + 90 * 100
    assert r.displays[0]["text/plain"] == "animation: 90 frames of 500 x 400 pixels, 3.0 s"


def test_an_animation_is_built_over_cells(fresh_kernel):
    """It is a part of the session: what a cell that fails has added is not there, and two languages add to one."""
    run = fresh_kernel.run
    run("cgpu_animation *a = cgpu_animation_new(2, 1, 1, 5);\nunsigned char p[2] = {1, 2};\n"
        "cgpu_animation_add(a, p);").ok()
    r = run("p[0] = 9; cgpu_animation_add(a, p); p[1] = 8; cgpu_animation_add(a, p);\n*(volatile int *)0 = 1;")
    assert r.status == "error" and r.ename == "SegmentationFault"
    assert run("cgpu_animation_free(a); *(volatile int *)0 = 1;").status == "error"
    assert animation(run("cgpu_animation_show(a);")) == (0, [(b"\1\2", 0.2)])
    run("%%cpp\n#include <vector>\n{ std::vector<double> v{0, 1}; cgpu_animation_add(a, v); }").ok()
    r = run("cgpu_animation_add(a, p); cgpu_animation_show(a); cgpu_animation_free(a);")
    assert animation(r) == (0, [(b"\1\2", 0.2), (b"\0\xff", 0.2), (b"\1\2", 0.2)])
    assert complaint(run("cgpu_animation_show(a);")) == "cgpu_animation_show: the animation was freed\n"


def test_frames_that_have_no_room(kernel):
    """What was added before is shown."""
    r = kernel.run("""{ unsigned *p = malloc(4000000), s = 1; cgpu_animation *a = cgpu_animation_new(1000, 1000, 4, 30);
                   for (int i = 0; i < 10; i++) {
                       for (int j = 0; j < 1000000; j++) p[j] = s = s * 1664525 + 1013904223;
                       cgpu_animation_add(a, (unsigned char *)p); }
                   cgpu_animation_show(a); cgpu_animation_free(a); free(p); }""").ok()
    assert [d["text/plain"] for d in r.displays] == ["animation: 8 frames of 1000 x 1000 pixels, 0.3 s"]
    assert r.stderr == 2 * ("cgpu_animation_add: frame 9 has no room in what a display can have, 32 MB: show the frames "
                            "before it, and begin another animation\n")


def test_as_many_frames_as_can_be(kernel):
    r = kernel.run("{ char p[1] = {3}; cgpu_animation *a = cgpu_animation_new(1, 1, 1, 90);\n"
                   "for (int i = 0; i < 65536; i++) cgpu_animation_add(a, p);\n"
                   "cgpu_animation_show(a); cgpu_animation_free(a); }").ok()
    assert r.displays[0]["text/plain"] == "animation: 65,535 frames of 1 x 1 pixels, 728.2 s"
    assert r.stderr == "cgpu_animation_add: an animation has 65535 frames at most\n"


# ---- what is wrong with a call ----

@pytest.mark.parametrize("code, text", [
    ("short v[4] = {0}; cgpu_audio(v, 0, 8000);", "cgpu_audio: there is nothing to play: n is 0\n"),
    ("short v[4] = {0}; cgpu_audio(v, 4, 0); cgpu_audio(v, 4, 768001);",
     "cgpu_audio: a rate of 0: browsers play 3000 to 768000 samples a second\n"
     "cgpu_audio: a rate of 768001: browsers play 3000 to 768000 samples a second\n"),
    ("short v[4] = {0}; cgpu_audio_stereo(v, 3, 8000);",
     "cgpu_audio_stereo: n is 3, an odd number: stereo is left and right in turn, and n counts both\n"),
    ("short v[4] = {0}; cgpu_audio(v, 20000000, 44100);",
     "cgpu_audio: 20000000 samples are more than a display can have, 12582506: show a part of them, or fewer a "
     "second\n"),
    ("short *v = (short *)malloc(8); cgpu_audio(v, 5, 8000); free(v);",
     "cgpu_audio: samples is too short: 5 elements of 2 bytes need 10 bytes, and the block of cell # has 8\n"),
    ("short v[4] = {0}; cgpu_audio((void *)v, 4, 8000);",
     "cgpu_audio: samples is a void *, and what its elements are is not known: cast it, as in (float *)samples\n"),
    ("int m[3] = {0}; cgpu_surface(m, 0, 3);", "cgpu_surface: there is nothing to show: 0 rows, 3 columns\n"),
    ("int m[3] = {0}; cgpu_surface(m, 1, 3);",
     "cgpu_surface: 1 x 3 values are a line: a surface has 2 rows and 2 columns at least\n"),
    ("float m[] = {NAN, NAN, INFINITY, NAN}; cgpu_surface(m, 2, 2);", "cgpu_surface: values has no finite number\n"),
    ("int m[4] = {0}; cgpu_surface(m, 1ul << 40, 1ul << 40);",
     "cgpu_surface: values cannot have 18446744073709551615 elements\n"),
    ("cgpu_animation_new(0, 5, 1, 5);", "cgpu_animation_new: 0 x 5 pixels: a side has 1 to 65535\n"),
    ("cgpu_animation_new(5, 5, 5, 5);",
     "cgpu_animation_new: 5 channels: there are 1 (gray), 2 (gray and alpha), 3 (RGB) and 4 (RGBA)\n"),
    ("cgpu_animation_new(60000, 60000, 1, 5);",
     "cgpu_animation_new: 60000 x 60000 pixels are more than a display can have, 32 MB\n"),
    ("cgpu_animation_new(5, 5, 1, 0); cgpu_animation_new(5, 5, 1, 91);",
     "cgpu_animation_new: 0 frames a second: browsers show 1 to 90\n"
     "cgpu_animation_new: 91 frames a second: browsers show 1 to 90\n"),
    ("char p[4] = {0}; cgpu_animation_add(NULL, p);", "cgpu_animation_add: the animation is NULL\n"),
    ("int a[300] = {0}; cgpu_animation_show((cgpu_animation *)a);",
     "cgpu_animation_show: this is no animation of cgpu_animation_new()\n"),
    ("cgpu_chart *c = cgpu_chart_new(NULL); cgpu_animation_free((cgpu_animation *)c); cgpu_chart_free(c);",
     "cgpu_animation_free: this is no animation of cgpu_animation_new()\n"),
    ("cgpu_animation *a = cgpu_animation_new(2, 2, 1, 5); char *p = (char *)malloc(3); cgpu_animation_add(a, p);\n"
     "cgpu_animation_show(a); cgpu_animation_free(a); free(p);",
     "cgpu_animation_add: pixels is too short: 4 elements of 1 bytes need 4 bytes, and the block of cell # has 3\n"
     "cgpu_animation_show: the animation has no frames yet\n"),
])
def test_what_is_wrong(run, code, text):
    r = run("{ " + code + " }")
    assert complaint(r) == text.replace("#", str(r.count))


@pytest.mark.parametrize("call", ["cgpu_audio(3, 1, 8000)", "cgpu_surface(3, 2, 2)", "cgpu_animation_add(NULL, 3)"])
def test_what_is_no_array_does_not_compile(run, call):
    r = run(call + ";")
    assert r.status == "error" and r.ename == "CompileError" and call.split("(")[0] in r.traceback


def test_what_a_call_has_shown_leaves_nothing_behind(fresh_kernel):
    """The session's heap gives the same block after a hundred of them as before."""
    def block():
        return fresh_kernel.run('{ void *p = malloc(100); printf("%p", p); free(p); }').ok().stdout
    fresh_kernel.run("double y[100]; cgpu_audio(y, 100, 8000);").ok()
    before = block()
    fresh_kernel.run("for (int i = 0; i < 100; i++) { cgpu_audio(y, 100, 8000); cgpu_surface(y, 10, 10);\n"
                     "cgpu_animation *a = cgpu_animation_new(5, 5, 4, 30); cgpu_animation_add(a, y); y[i] = 1;\n"
                     "cgpu_animation_add(a, y); cgpu_animation_show(a); cgpu_animation_free(a); y[i] = 0; }").ok()
    assert block() == before
