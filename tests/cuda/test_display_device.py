# SPDX-License-Identifier: Apache-2.0
"""Charts, tables, pictures and sound of arrays that lie on the device."""
import base64
import csv
import io

import pytest

from displays import png_chunks, png_rows

VEGALITE = "application/vnd.vegalite.v5+json"
FILL = "__global__ void fill(float *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = 2 * i; }\n"


@pytest.fixture(scope="module")
def session(start_kernel):
    kernel = start_kernel()
    kernel.run(FILL + "float *d;\ncudaMalloc(&d, 4000);\nfill<<<4, 256>>>(d, 1000);").ok()
    return kernel


def points(display, *fields):
    (layer,) = display[VEGALITE]["layer"]
    return [tuple(float(row[f]) for f in fields) for row in csv.DictReader(io.StringIO(layer["data"]["values"]))]


@pytest.mark.parametrize("language", ["", "%%cpp\n"])
def test_a_line_from_the_device(session, language):
    r = session.run(language + "cgpu_plot(NULL, d, 1000);").ok()
    assert not r.stderr and points(r.displays[0], "x", "y") == [(i, 2 * i) for i in range(1000)]
    assert r.displays[0]["text/plain"] == "line: 1,000 points, x 0 to 999, y 0 to 1998"


def test_a_launch_that_goes_on_is_waited_for(session):
    r = session.run("fill<<<4, 256>>>(d, 1000); cgpu_plot(d + 10, d, 5);").ok()
    assert points(r.displays[0], "x", "y") == [(20 + 2 * i, 2 * i) for i in range(5)]


def test_all_that_takes_arrays_takes_those_of_the_device(session):
    r = session.run('int host[4] = {1, 2, 3, 4};\ncgpu_scatter(host, d, 4); cgpu_bar(NULL, d, 4);\n'
                    "cgpu_histogram(d, 1000, 2);\n"
                    'cgpu_heatmap(d, 2, 2); cgpu_table(2, cgpu_column("host", host), cgpu_column("d", d));').ok()
    scatter, bars, histogram, matrix, table = r.displays
    assert not r.stderr
    assert points(scatter, "x", "y") == [(1, 0), (2, 2), (3, 4), (4, 6)]
    assert points(bars, "x", "y") == [(0, 0), (1, 2), (2, 4), (3, 6)]
    assert points(histogram, "x", "x2", "y") == [(0, 999, 500), (999, 1998, 500)]
    assert [v for v, in points(matrix, "value")] == [0, 2, 4, 6]
    assert table["text/plain"] == "host  d\n   1  0\n   2  2"


def test_numbers_of_sixteen_bits(session):
    r = session.run("#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n"
                    "__global__ void halves(__half *h, __nv_bfloat16 *b) { h[0] = __float2half(-1.5f);\n"
                    "h[1] = __float2half(INFINITY); h[2] = __float2half(0.1f); b[0] = __float2bfloat16(3e38f);\n"
                    "b[1] = __float2bfloat16(-0.25f); b[2] = __float2bfloat16(0); }\n__half *h;\n__nv_bfloat16 *b;\n"
                    "cudaMalloc(&h, 6);\ncudaMalloc(&b, 6);\nhalves<<<1, 1>>>(h, b);\n"
                    "cgpu_table(3, cgpu_column(\"h\", h), cgpu_column(\"b\", b));").ok()
    assert [line.split() for line in r.displays[0]["text/plain"].split("\n")] == \
        [["h", "b"], ["-1.5", "3.00406e+38"], ["inf", "-0.25"], ["0.0999756", "0"]]


def test_pixels_of_the_device(session):
    r = session.run("unsigned char *pixels;\ncudaMalloc(&pixels, 6);\ncudaMemset(pixels, 7, 6);\n"
                    "cgpu_image(pixels, 2, 1, 3);").ok()
    chunks = dict(png_chunks(base64.b64decode(r.displays[0]["image/png"])))
    assert png_rows(chunks[b"IDAT"], 1) == [bytes([7] * 6)]


def test_sound_of_the_device(session):
    r = session.run("short *samples;\ncudaMalloc(&samples, 80000);\ncudaMemset(samples, 1, 80000);\n"
                    "cgpu_audio(samples, 40000, 8000);\ncgpu_audio(d, 1001, 8000);").ok()
    (shown,) = r.displays
    assert shown["text/plain"] == "audio: 5.00 s, 8000 Hz, mono, peak 0.00784"
    wav = base64.b64decode(shown["text/html"].split("base64,")[1].split('"')[0])
    assert wav[44:] == b"\1" * 80000
    assert r.stderr == ("cgpu_audio: samples is too short: 1001 elements of 4 bytes need 4004 bytes, "
                        "and device buffer d has 4000\n")


@pytest.mark.parametrize("language", ["", "%%cpp\n"])
def test_a_surface_of_the_device(session, language):
    r = session.run(language + "cgpu_surface(d, 25, 40);").ok()
    (shown,) = r.displays
    assert not r.stderr and shown["image/svg+xml"].count("<path fill") == 24 * 39
    assert shown["text/plain"] == "surface: 25 rows, 40 columns, 0 to 1998"


def test_frames_of_the_device(session):
    r = session.run("__global__ void move(unsigned char *p, int to) { p[threadIdx.x] = threadIdx.x == to ? 200 : 3; }\n"
                    "unsigned char *frame;\ncudaMalloc(&frame, 12);\ncgpu_animation *a = cgpu_animation_new(4, 3, 1, 20);\n"
                    "for (int i = 0; i < 12; i++) { move<<<1, 12>>>(frame, i); cgpu_animation_add(a, frame); }\n"
                    "cgpu_animation_show(a);\ncgpu_animation_free(a);").ok()
    (shown,) = r.displays
    assert not r.stderr and shown["text/plain"] == "animation: 12 frames of 4 x 3 pixels, 0.6 s"
    pictures = [data for kind, data in png_chunks(base64.b64decode(shown["image/png"])) if kind in (b"IDAT", b"fdAT")]
    assert png_rows(pictures[0], 3) == [bytes([200, 3, 3, 3]), *[bytes([3] * 4)] * 2]
    assert [png_rows(p[4:], 1) for p in pictures[1:4]] == [[bytes([3, 200])]] * 3


def test_a_variable_of_the_device(session):
    r = session.run("__device__ int counts[3] = {5, 6, 7};\nint *at;\ncudaGetSymbolAddress((void **)&at, counts);\n"
                    "cgpu_bar(NULL, at, 3);\ncgpu_bar(NULL, at, 4);").ok()
    assert points(r.displays[0], "y") == [(5,), (6,), (7,)] and len(r.displays) == 1
    assert r.stderr == "cgpu_bar: y is too short: 4 elements of 4 bytes need 16 bytes, and device buffer counts has 12\n"


def test_managed_memory(session):
    r = session.run("float *both;\ncudaMallocManaged(&both, 12);\nfill<<<1, 3>>>(both, 3);\ncudaDeviceSynchronize();\n"
                    "cgpu_plot(NULL, both, 3);\ncgpu_plot(NULL, both, 5000);").ok()
    assert points(r.displays[0], "y") == [(0,), (2,), (4,)] and len(r.displays) == 1
    # It comes in whole pages.
    assert r.stderr == "cgpu_plot: y is too short: 5000 elements of 4 bytes need 20000 bytes, and both has 4096\n"


def test_a_buffer_that_is_too_short_or_gone(session):
    r = session.run("cgpu_plot(NULL, d, 1001);\ncgpu_plot(NULL, d + 999, 2);\nfloat *gone;\ncudaMalloc(&gone, 40);\n"
                    "cudaFree(gone);\ncgpu_plot(NULL, gone, 2);").ok()
    lines = r.stderr.splitlines()
    assert not r.displays
    assert lines[:2] == [
        "cgpu_plot: y is too short: 1001 elements of 4 bytes need 4004 bytes, and device buffer d has 4000",
        "cgpu_plot: y is too short: 2 elements of 4 bytes need 8 bytes, and device buffer d has 4 from there on"]
    assert lines[2] == f"cgpu_plot: y is a device buffer that cell {r.count} has freed"


def test_a_fault_of_the_device_is_the_cells(session):
    """The copy finds it as any copy of the cell would; the chart is not shown, and the array is as it was."""
    r = session.run("fill<<<1, 1>>>((float *)16, 1); cgpu_plot(NULL, d, 3);")
    assert r.status == "error" and r.ename == "CudaIllegalAddress" and not r.displays
    r = session.run("cgpu_plot(NULL, d, 3);").ok()
    assert points(r.displays[0], "y") == [(0,), (2,), (4,)]


def test_strings_are_on_the_host(session):
    r = session.run("cgpu_bar((char **)d, d, 2);").ok()
    assert not r.displays and r.stderr.startswith("cgpu_bar: x[0] points to no string")


def test_a_cell_of_nvcc_sees_no_library(session):
    """%%cuda is a whole program for nvcc, without what other cells see; the array comes back to one that has it."""
    r = session.run("%%cuda\n#include <cuda_runtime.h>\nint main() { return 0; }")
    assert r.status in ("ok", "error")
    assert points(session.run("cgpu_plot(NULL, d, 2);").ok().displays[0], "y") == [(0,), (2,)]
