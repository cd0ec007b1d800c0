# SPDX-License-Identifier: Apache-2.0
"""What cells show by one call: sound; from arrays of C and of C++."""
import base64
import io
import re
import struct
import wave

import pytest

from displays import complaint, one


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
])
def test_what_is_wrong(run, code, text):
    r = run("{ " + code + " }")
    assert complaint(r) == text.replace("#", str(r.count))


@pytest.mark.parametrize("call", ["cgpu_audio(3, 1, 8000)"])
def test_what_is_no_array_does_not_compile(run, call):
    r = run(call + ";")
    assert r.status == "error" and r.ename == "CompileError" and call.split("(")[0] in r.traceback


def test_what_a_call_has_shown_leaves_nothing_behind(fresh_kernel):
    """The session's heap gives the same block after a hundred of them as before."""
    def block():
        return fresh_kernel.run('{ void *p = malloc(100); printf("%p", p); free(p); }').ok().stdout
    fresh_kernel.run("double y[100]; cgpu_audio(y, 100, 8000);").ok()
    before = block()
    fresh_kernel.run("for (int i = 0; i < 100; i++) { cgpu_audio(y, 100, 8000); }").ok()
    assert block() == before
