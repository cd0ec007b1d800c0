# SPDX-License-Identifier: Apache-2.0
"""Looking inside device code: %ptx, %sass, %regs, %%profile."""
import re
import xml.etree.ElementTree as ET

import pytest

SCALE = """__device__ float twice(float x)
{
    return x * 2;
}
__global__ void scale(float *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && 1)
        p[i] = twice(p[i]);
}
"""


def shown(result, name="text/plain"):
    """The one display of a cell, beside a timeline."""
    displays = [d for d in result.ok().displays if "text/html" in d]
    assert len(displays) == 1, result.shown
    return displays[0][name]


def elements(result, tag):
    """The HTML of the display is well formed; its elements of this name."""
    return list(ET.fromstring(shown(result, "text/html")).iter(tag))


def text_of(element):
    return "".join(element.itertext())


def test_a_cell_is_shown_and_not_run(fresh_kernel):
    result = fresh_kernel.run("%%ptx\nint here = 5; puts(\"runs\");\n" + SCALE)
    text = shown(result)
    assert result.stdout == ""
    assert "// scale(float*, int): entry, " in text and "// twice(float): device function, " in text
    # The line of the source stands in front of its instructions, by its number in the cell.
    assert re.search(r"// In\[1\]:10  if \(i < n && 1\)\n +setp\.ge\.s32", text)
    headings = [text_of(e) for e in elements(result, "summary")]
    assert any(h.startswith("scale(float*, int) entry, ") for h in headings)
    assert any("In[1]:10  if (i < n && 1)" in text_of(e) for e in elements(result, "span"))
    assert fresh_kernel.run("here").ename == "CompileError"
    assert fresh_kernel.run("scale").ename == "CompileError"


def test_a_cell_for_another_target(fresh_kernel):
    text = shown(fresh_kernel.run("%%ptx --arch compute_90\n__global__ void k(int *p) { *p = __CUDA_ARCH__; }"))
    assert ".target sm_90" in text and "900" in text
    result = fresh_kernel.run("%%ptx --arch hopper\n__global__ void k(int *p) { }")
    assert result.ename == "UsageError" and "--arch sm_80" in result.evalue


def test_an_entry_that_is_defined(fresh_kernel):
    fresh_kernel.run(SCALE).ok()
    fresh_kernel.run("template <typename T> __global__ void fill(T *p, T v) { p[threadIdx.x] = v; }\n"
                     "double *d; cudaMalloc(&d, 256); fill<<<1, 32>>>(d, 1.0);").ok()
    text = shown(fresh_kernel.run("%ptx scale"))
    assert "// In[1]:8  if (i < n && 1)" in text and "fill" not in text
    assert "void fill<double>(double*, double): entry" in shown(fresh_kernel.run("%ptx fill"))
    assert "twice(float): device function" in shown(fresh_kernel.run("%ptx twice"))
    # A line magic leaves the cell as it is.
    result = fresh_kernel.run("%ptx scale\n1 + 1")
    assert result.ok().text == "2" and len(result.displays) == 1
    # Defined again, it is the new one.
    fresh_kernel.run("__global__ void scale(float *p) { __syncthreads(); }").ok()
    assert "bar.sync" in shown(fresh_kernel.run("%ptx scale"))


def test_a_name_that_is_none(fresh_kernel):
    assert "no cell has defined an entry" in fresh_kernel.run("%ptx scale").evalue
    fresh_kernel.run(SCALE).ok()
    result = fresh_kernel.run("%ptx scael")
    assert result.ename == "UsageError" and "There are: twice(float), scale(float*, int)" in result.evalue
    result = fresh_kernel.run("%%ptx\nnot C at all")
    assert result.ename == "CompileError"
    assert fresh_kernel.run("%%ptx\nint x;").ename == "UsageError"


def test_a_program_of_nvcc(fresh_kernel):
    program = """%%cuda
#include <cstdio>
__global__ void add(int *p)
{
    atomicAdd(p, 1);
}
int main() { puts("runs"); }
"""
    result = fresh_kernel.run("%%ptx\n" + program)
    assert "add(int*): entry" in shown(result) and "In[1]:6  atomicAdd(p, 1);" in shown(result)
    assert result.stdout == ""
    assert fresh_kernel.run(program).ok().stdout == "runs\n"
    assert "In[2]:5  atomicAdd(p, 1);" in shown(fresh_kernel.run("%ptx add"))


def test_it_is_known_after_undo_and_snapshots(fresh_kernel):
    fresh_kernel.run(SCALE).ok()
    fresh_kernel.run("__global__ void scale(float *p) { __syncthreads(); }").ok()
    fresh_kernel.run("%undo").ok()
    assert "bar.sync" not in shown(fresh_kernel.run("%ptx scale"))
    fresh_kernel.run("%snapshot save there").ok()
    fresh_kernel.run("%reset").ok()
    assert fresh_kernel.run("%ptx scale").ename == "UsageError"
    fresh_kernel.run("%snapshot load there").ok()
    assert "// scale(float*, int): entry" in shown(fresh_kernel.run("%ptx scale"))


# --- %regs ---

def test_what_entries_need(kernel):
    kernel.run("""__global__ void tile(float *p)
{
    __shared__ float t[32][33];
    t[threadIdx.y][threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = t[threadIdx.x][threadIdx.y];
}
__global__ __launch_bounds__(128) void bounded(int *p) { *p = 1; }
""").ok()
    result = kernel.run("%regs")
    text = shown(result)
    assert "tile(float*)  (In[" in text and "bounded(int*)  (In[" in text
    assert re.search(r"tile\(float\*\) .*\n +registers \d+ a thread \(virtual \d+, predicates 0\), spills 0 bytes stored", text)
    assert "shared 4224 bytes a block" in text
    # 15 blocks of 64 threads have 64 KiB of shared memory.
    assert "blocks of   64: 15 blocks an SM, 30 of 32 warps, occupancy  93 %, limited by shared memory" in text
    rows = [[text_of(cell) for cell in row.iter("td")] for row in elements(result, "tr")][1:]
    assert [row[0].split()[0] for row in rows] == ["tile(float*)", "bounded(int*)"]
    assert rows[1][-1] == "-"  # no blocks of 1024 under these launch bounds


def test_occupancy_of_another_device(kernel):
    kernel.run("__global__ void small(int *p) { *p = 1; }").ok()
    text = shown(kernel.run("%regs small --arch sm_80 --block 96 --shared 20000"))
    assert text.startswith("sm_80.")
    assert "blocks of   96:  7 blocks an SM, 21 of 64 warps, occupancy  32 %, limited by shared memory" in text
    assert kernel.run("%regs small --block many").ename == "UsageError"


def test_entries_that_launch_entries(kernel):
    """Their machine code is whole only when it is linked."""
    kernel.run("__global__ void leaf(int *p) { *p = 1; }\n__global__ void node(int *p) { leaf<<<1, 1>>>(p); }").ok()
    text = shown(kernel.run("%regs node --arch sm_80 --block 64"))
    assert "registers" in text and "(virtual" in text and "pip install" not in text


def test_without_ptxas(start_kernel):
    session = start_kernel(CGPU_PTXAS="/nonexistent")
    session.run("__global__ void small(int *p) { *p = 1; }").ok()
    text = shown(session.run("%regs small --block 64"))
    assert "pip install nvidia-cuda-nvcc" in text and "registers - a thread (virtual " in text
    assert "16 blocks an SM, 32 of 32 warps" in text
    assert "ptxas is not installed" in session.run("%sass small").evalue


# --- %sass ---

@pytest.fixture(scope="module")
def disassembler(tmp_path_factory):
    """A stand-in that says what nvdisasm says of machine code of `small`."""
    path = tmp_path_factory.mktemp("bin") / "nvdisasm"
    path.write_text(r"""#!/bin/sh
for file; do :; done
[ "$1 $2" = "-c -gi" ] && head -c 4 "$file" | grep -q ELF && strings -n 5 "$file" | grep -q '^\.text\._Z5smallPi' || exit 1
cat <<'END'
	.section	.text._Z5smallPi,"ax",@progbits
_Z5smallPi:
.text._Z5smallPi:
	//## File "/home/me/In[1]", line 1
        /*0000*/                   MOV R1, c[0x0][0x28] ;
        /*0010*/              @!P0 EXIT ;
.L_x_0:
        /*0020*/                   BRA `(.L_x_0);
        /*0030*/                   NOP;
.L_x_1:
END
""")
    path.chmod(0o755)
    return path


def test_machine_code(start_kernel, disassembler):
    session = start_kernel(CGPU_NVDISASM=str(disassembler))
    session.run("__global__ void small(int *p) { *p = 1; }").ok()
    result = session.run("%sass small --arch sm_80")
    assert shown(result) == """// small(int*): entry, 3 instructions
    // In[1]:1  __global__ void small(int *p) { *p = 1; }
        /*0000*/        MOV R1, c[0x0][0x28] ;
        /*0010*/   @!P0 EXIT ;
.L_x_0:
        /*0020*/        BRA `(.L_x_0);

"""
    assert [text_of(e) for e in elements(result, "summary")] == ["small(int*) entry, 3 instructions"]
    result = session.run("%%sass --arch sm_12\n__global__ void small(int *p) { *p = 1; }")
    assert result.ename == "UsageError" and "--arch" in result.evalue


def test_without_a_disassembler(start_kernel):
    session = start_kernel(CGPU_NVDISASM="/nonexistent")
    session.run("__global__ void small(int *p) { *p = 1; }").ok()
    result = session.run("%sass small")
    assert result.ename == "UsageError" and "nvidia-cuda-nvdisasm" in result.evalue


def test_completion_and_help(kernel):
    reply = kernel.ask("complete", "%pt", 3)
    assert reply["matches"] == ["ptx"]
    assert "%%ptx" in kernel.run("%help ptx").ok().printed
    assert "%regs [NAME]" in kernel.run("%help").ok().printed


# --- %%profile ---

def lines_of(result, entry=0):
    """{line: {column: text}} of an entry's table."""
    table = elements(result, "table")[entry]
    titles = [text_of(cell) for cell in table.iter("th")]
    rows = [[text_of(cell) for cell in row.iter("td")] for row in table.iter("tr")]
    return {int(row[0]): dict(zip(titles, row)) for row in rows if len(row) == len(titles)}


STRIDES = """%%profile
__global__ void strides(float *p, float *out)
{
    __shared__ float tile[1024];
    int i = threadIdx.x;
    float near = p[i];
    float far = p[i * 32];
    tile[i * 32 % 1024] = near;
    __syncthreads();
    out[i] = far + tile[i];
}
float *p, *out;
cudaMalloc(&p, 65536); cudaMalloc(&out, 65536);
strides<<<3, 32>>>(p, out);
"""


def test_transactions_and_bank_conflicts(fresh_kernel):
    result = fresh_kernel.run(STRIDES)
    lines = lines_of(result)
    assert lines[6]["source"] == "    float near = p[i];"
    assert lines[6]["sectors"] == "4.0 (4.0)" and lines[6]["global"] == "3"
    assert lines[7]["sectors"] == "32.0 (4.0)"
    assert lines[8]["passes"] == "32.0 (1.0)" and lines[8]["shared"] == "3"
    assert lines[9]["barriers"] == "3 (0.0)"
    assert lines[10]["flops"] == "96" and lines[10]["passes"] == "1.0 (1.0)" and lines[10]["sectors"] == "4.0 (4.0)"
    assert lines[4]["instructions"] == ""
    text = shown(result)
    assert "strides: 1 launch, the last one of (3,1,1) blocks of (32,1,1) threads" in text
    assert "96 floating-point operations" in text
    assert "share" in text and "|     float far = p[i * 32];" in text
    # The cell has run, and is kept.
    assert fresh_kernel.run("p != 0").ok().text in ("true", "1")


def test_divergence_and_inlined_functions(fresh_kernel):
    fresh_kernel.run("""__device__ float square(float x)
{
    return x * x;
}
__global__ void parts(float *p, int n)
{
    int i = threadIdx.x;
    if (i % 4 == 0)
        p[i] = square(p[i]);
    else
        atomicAdd(&p[n], 1.0f);
}
""").ok()
    result = fresh_kernel.run("float *p; cudaMalloc(&p, 4096);\n//%profile\nparts<<<1, 64>>>(p, 100); parts<<<2, 64>>>(p, 100);")
    lines = lines_of(result)
    assert lines[8]["splits"] == "6"
    # The line of the inlined function runs with the lanes of its branch: one multiplication in 6 warps.
    assert lines[3]["source"] == "    return x * x;"
    assert (lines[3]["instructions"], lines[3]["lanes"], lines[3]["flops"]) == ("6", "8.0", "48")
    assert lines[11]["atomics"] == "6 (23.0)"
    assert "2 launches" in shown(result)


def test_launches_of_a_program(fresh_kernel):
    result = fresh_kernel.run("""%%profile
%%cuda
#include <cstdio>
template <int N> __global__ void fill(int *p)
{
    int spilled[N];
    for (int i = 0; i < N; i++)
        spilled[(i * 7 + p[0]) % N] = i;
    p[threadIdx.x] = spilled[threadIdx.x % N];
}
int main() { int *p; cudaMalloc(&p, 4096); fill<16><<<1, 32>>>(p); cudaDeviceSynchronize(); puts("done"); }
""")
    assert result.stdout == "done\n"
    lines = lines_of(result)
    assert lines[9]["local bytes"] == "128" and lines[9]["sectors"] == "4.0 (4.0)"
    assert lines[8]["local bytes"] == str(16 * 32 * 4)


def test_nothing_was_launched(kernel):
    result = kernel.run("%profile 1 + 1").ok()
    assert result.text == "2" and result.displays == []
    assert "nothing was launched" in result.stderr
    result = kernel.run("%%profile\nint *null = 0; *null = 1;")
    assert result.ename == "SegmentationFault" or result.status == "error"
    assert result.displays == []


def test_the_timeline_of_streams(fresh_kernel):
    fresh_kernel.run("""__global__ void work(float *p) { p[threadIdx.x] += 1; }
float h[256], *p, *q;
cudaStream_t a, b;
cudaStreamCreate(&a); cudaStreamCreate(&b); cudaMalloc(&p, 1024); cudaMalloc(&q, 1024);
int called;
void host(void *x) { called = 1; }
""").ok()
    result = fresh_kernel.run("""%%profile
cudaMemcpy(p, h, 1024, cudaMemcpyHostToDevice);
cudaMemsetAsync(q, 0, 512, b);
work<<<1, 256, 0, a>>>(p);
work<<<1, 256, 0, b>>>(q);
cudaLaunchHostFunc(a, host, 0);
cudaMemcpyAsync(h, p, 1024, cudaMemcpyDeviceToHost, a);
cudaDeviceSynchronize();
called
""").ok()
    assert result.text == "1"
    table, chart = result.displays
    assert set(table) == {"text/plain", "text/html"} and set(chart) == {"text/plain", "application/vnd.vegalite.v5+json"}
    spec = chart["application/vnd.vegalite.v5+json"]
    assert spec["$schema"].endswith("/vega-lite/v5.json")
    assert spec["mark"]["type"] == "bar"
    values = spec["data"]["values"]
    fields = {c["field"] for c in spec["encoding"].values() if isinstance(c, dict)}
    fields |= {c["field"] for c in spec["encoding"]["tooltip"]}
    assert spec["encoding"]["y"]["type"] == "nominal" and spec["encoding"]["x"]["type"] == "quantitative"
    assert all(fields <= set(v) for v in values)
    assert all(0 <= v["begin"] <= v["end"] for v in values)
    # What the session itself copies, to go back if the cell fails, is not the program's.
    done = sorted((v["kind"], v["name"], v["bytes"]) for v in values)
    assert done == [("copy", "copy to the device", 1024), ("copy", "copy to the host", 1024), ("fill", "fill", 512),
                    ("host function", "host function", 0), ("launch", "work", 0), ("launch", "work", 0)]
    streams = {}
    for v in values:
        streams.setdefault(v["stream"], []).append(v["kind"])
    assert sorted(streams.values()) == [["copy"], ["fill", "launch"], ["launch", "host function", "copy"]]
    assert "default" in streams and streams["default"] == ["copy"]
    assert "copy to the host, 1024 bytes" in chart["text/plain"]
