# SPDX-License-Identifier: Apache-2.0
"""%%trace: what a cell asks of the device, in order."""
import re

ADD = """__global__ void add(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1; }
float *d_x, *h_x = calloc(1000, 4), out[100];"""

CELL = """%%trace
cudaMalloc(&d_x, 4000);
cudaMemcpy(d_x, h_x, 4000, cudaMemcpyHostToDevice);
cudaStream_t s; cudaStreamCreate(&s);
add<<<4, 256>>>(d_x, 1000);
add<<<4, 250, 32, s>>>(d_x, 1000);
cudaMemsetAsync(d_x + 100, 0, 400, s);
cudaStreamSynchronize(s);
cudaMemcpy(out, d_x, sizeof out, cudaMemcpyDeviceToHost);
out[0]"""


def rows(table):
    """(line, call, what and the rest) of each row."""
    return re.findall(r"^ +(\d+) +(?:[\d.]+ +[\d.]+ +)?(\w+) +(.*?)(?:  .*)?$", table, re.M)


def test_a_trace_names_lines_variables_and_figures(fresh_kernel):
    fresh_kernel.run(ADD).ok()
    result = fresh_kernel.run(CELL).ok()
    assert result.text == "2.0"
    table, timeline = result.displays
    assert "1 allocation (3.9 KB), 2 copies (4.3 KB), 1 fill (400 B), 2 launches, 1 wait" in table["text/plain"]
    assert rows(table["text/plain"]) == [
        ("2", "cudaMalloc", "d_x"), ("3", "cudaMemcpy", "h_x to d_x, host to device"), ("5", "launch", "add<<<4, 256>>>"),
        ("6", "launch", "add<<<4, 250, 32>>>, stream 1"), ("7", "cudaMemsetAsync", "d_x + 400 bytes, stream 1"),
        ("8", "cudaStreamSynchronize", "wait, stream 1"), ("9", "cudaMemcpy", "d_x to out, device to host")]
    assert "add&lt;&lt;&lt;4, 256&gt;&gt;&gt;" in table["text/html"] and "<script" not in table["text/html"]
    spans = timeline["application/vnd.vegalite.v5+json"]["data"]["values"]
    assert [(v["stream"], v["kind"], v["name"]) for v in spans] == [
        ("default", "copy", "h_x to d_x"), ("default", "launch", "add"), ("stream 1", "launch", "add"),
        ("stream 1", "fill", "d_x + 400 bytes"), ("default", "copy", "d_x to out")]
    assert all(v["begin"] <= v["end"] for v in spans)

    # What is ours is no part of it: the pre-image of d_x, which the cell before has made, nor the cells that follow.
    table, _ = fresh_kernel.run("%%trace\nadd<<<1, 1>>>(d_x, 1);").ok().displays
    assert rows(table["text/plain"]) == [("2", "launch", "add<<<1, 1>>>")]
    assert not fresh_kernel.run("add<<<1, 1>>>(d_x, 1);").ok().displays

    # Of many calls the first and the last hundred.
    assert not fresh_kernel.run("%trace on\n1 + 1").ok().displays, "a cell that does nothing with the device"
    table, timeline = fresh_kernel.run("for (int i = 0; i < 250; i++) add<<<1, 1>>>(d_x, i);\ncudaFree(d_x);").ok().displays
    assert "250 launches" in table["text/plain"] and "... 52 more ..." in table["text/plain"]
    assert [row[1] for row in rows(table["text/plain"])[-2:]] == ["cudaFree", "cudaFree"]
    assert len(timeline["application/vnd.vegalite.v5+json"]["data"]["values"]) == 198
    assert not fresh_kernel.run("%trace off\ncudaMalloc(&d_x, 4);").ok().displays


def test_a_trace_of_a_cell_that_fails(fresh_kernel):
    fresh_kernel.run(ADD).ok()
    result = fresh_kernel.run("%%trace\ncudaMalloc(&d_x, 4);\nadd<<<1, 1>>>((float *)8, 1);\ncudaDeviceSynchronize();")
    assert result.ename == "CudaIllegalAddress"
    assert rows(result.displays[0]["text/plain"])[-1] == ("4", "cudaDeviceSynchronize", "wait: cudaErrorIllegalAddress")
    result = fresh_kernel.run("%%trace\ncudaMalloc(&d_x, 1ull << 50);")
    assert result.ename == "CudaOutOfMemory"
    assert rows(result.displays[0]["text/plain"]) == [("2", "cudaMalloc", "d_x: cudaErrorMemoryAllocation")]
    result = fresh_kernel.run("%%trace\n*(volatile int *)0 = 1;")
    assert result.ename == "SegmentationFault" and "lost before it could tell" in result.stderr
    result = fresh_kernel.run("%%trace\nint nobody(void);\nnobody();")
    assert result.ename and "nobody" in result.evalue and "nothing of the cell was run" in result.stderr, result.shown
    assert "asked nothing of the device" in fresh_kernel.run("%%trace\n1").ok().stderr
    assert "%trace on" in fresh_kernel.run("%trace k<<<1, 1>>>();").evalue
