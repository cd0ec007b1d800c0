# SPDX-License-Identifier: Apache-2.0
"""A21: a notebook does not grow heavy by being used. Counted are bytes, not time."""
import re

import pytest

pytestmark = pytest.mark.long


CELL = """%time
double *sample = malloc(4096 * sizeof(double));
for (int i = 0; i < 4096; i++)
    sample[i] = sin(i * step);
total += sample[1000];
free(sample);
runs++;"""


def resident(kernel):
    """Bytes of all processes that no file stands behind, and of each: an ordinary user may not see more of them. The one that
    makes headers ahead grows while it works, and ends: where the cache is empty, that is in the first seconds."""
    kernel.wait_for_headers()
    each = []
    for pid in (kernel.pid, *(p.pid for p in kernel.children())):
        with open(f"/proc/{pid}/statm") as f, open(f"/proc/{pid}/comm") as name:
            _, pages, shared, *_ = map(int, f.read().split())
            each.append((name.read().strip(), (pages - shared) * 4096))
    return sum(size for _, size in each), each


def committed(result):
    """kB that the commit of a cell copied."""
    return int(re.search(r"commit [\d.]+ ms \((\d+) kB\)", result.stdout).group(1))


def test_a21_500_runs_of_a_cell(fresh_kernel):
    run = fresh_kernel.run
    run("double step = 0.25, total; int runs;").ok()
    memory, commits = {}, {}
    for i in range(1, 501):
        result = run(CELL).ok()
        # The compiler prepares what may come next, so the least of ten looks counts.
        for mark in (100, 500):
            if mark - 10 < i <= mark:
                memory[mark] = min(memory.get(mark, (1 << 60,)), resident(fresh_kernel))
                commits[mark] = min(commits.get(mark, 1 << 60), committed(result))
    assert run("runs").ok().text == "500"
    # Machine code, debugging information and history are some kB a run; what the cell allocates would be 32 kB.
    assert memory[500][0] - memory[100][0] < 400 * 20 * 1024, memory
    assert commits[500] <= commits[100] + 32, commits


NOTEBOOK = [
    "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>",
    "double step = 0.25, total;\nint runs;",
    "struct point { double x, y; };\nstatic double norm(struct point p) { return sqrt(p.x * p.x + p.y * p.y); }",
    "double mean(const double *v, int n)\n{\n    double s = 0;\n    for (int i = 0; i < n; i++)\n        s += v[i];\n"
    "    return s / n;\n}",
    "double *sample = malloc(4096 * sizeof(double));\nfor (int i = 0; i < 4096; i++)\n    sample[i] = sin(i * step);",
    'printf("%f\\n", mean(sample, 4096));',
    "struct point p = {3, 4};\nnorm(p)",
    'char *names[] = {"b", "a", "c"};\n'
    "int compare(const void *a, const void *b) { return strcmp(*(char **)a, *(char **)b); }\n"
    "qsort(names, 3, sizeof *names, compare);",
    'for (int i = 0; i < 3; i++)\n    printf("%s ", names[i]);',
    "free(sample);\ntotal += step;\n++runs",
]
# The header of the session's memory, as its cells may see it.
TOPS = 'for (int i = 0; i < 4; i++)\n    printf("%lu ", ((unsigned long *)0x200000000010)[i]);'


def tops(kernel):
    """Bytes in use of META, CODE, DATA and HEAP."""
    return [int(n) for n in kernel.start(TOPS, cell_id="tops").wait().ok().stdout.split()]


def run_all(kernel, cells):
    """All cells of a notebook, sent at once, as "Run All Cells" does."""
    return [c.wait().ok() for c in [kernel.start(text, cell_id=f"cell {i}") for i, text in enumerate(cells)]]


def run_often(kernel, marks, cells_of):
    """The notebook cells_of(i) for i = 1..; {mark: (bytes of all processes, tops)}."""
    seen = {}
    for i in range(1, marks[-1] + 1):
        run_all(kernel, cells_of(i))
        for mark in marks:
            if mark - 10 < i <= mark:
                memory = min(seen[mark][0] if mark in seen else (1 << 60,), resident(kernel))
                seen[mark] = (memory, tops(kernel))
    return seen


def check_growth(seen, cells):
    (memory, before), (after_memory, after) = (seen[mark] for mark in sorted(seen))
    # META keeps a row of 48 bytes a cell for %mem, in tables that double.
    assert after[1:] == before[1:] and after[0] - before[0] <= 200 * cells + (1 << 18), seen
    assert after_memory[0] - memory[0] < (3 << 20), seen


PROGRAM = r"""%%cuda
#include <iostream>
#include <string>
#include <vector>
#include <cstdlib>
struct Kept { std::vector<std::string> names; Kept() : names(3, "longer than what a string holds itself") {} };
static Kept kept;
inline Kept shared;
template <class T> struct Of { static Kept all; };
template <class T> Kept Of<T>::all;
static void at_end() { kept.names.clear(); }
struct Early { Early() { atexit(at_end); } } early;
static float table[2000];
__device__ int counter = 5;
__constant__ float factor[4];
__managed__ int managed[5];
namespace { __device__ int hidden[9]; }
static __global__ void count(int *p)
{
    static int calls[7];
    const char *text = "a string of device code";
    managed[1] += ++calls[1] + ++hidden[1] + counter++ + text[*p];
    printf("managed is %d\n", managed[1]);
}
Kept &inside() { static Kept k; return k; }
int main(int argc, char **argv)
{
    int *p;
    cudaMalloc(&p, 4000);
    cudaMemset(p, 0, 4000);
    count<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    cudaFree(p);
    table[7] += managed[1] + Of<int>::all.names.size() + inside().names.size() + shared.names.size();
    kept.names.push_back(argv[0]);
    std::cout << table[7] << ' ' << kept.names.size() << std::endl;
}
"""


def device_used(kernel):
    return kernel.start("%gpu", cell_id="gpu").wait().ok().printed.split("\nmemory: ")[1].split(" used")[0]


@pytest.mark.cuda
@pytest.mark.usefixtures("nvcc")
@pytest.mark.parametrize("cell_id", ["a cell of a notebook", None])
def test_a21_500_runs_of_a_cuda_program(fresh_kernel, cell_id):
    """Its unit takes the place of the run before; also in a console, where each run is a cell of its own."""
    seen = {}
    for i in range(1, 511):
        assert fresh_kernel.start(PROGRAM, cell_id=cell_id).wait().ok().stdout == "managed is 104\n113 4\n"
        for mark in (10, 110, 510):
            if mark - 10 < i <= mark:
                memory = min(seen[mark][0] if mark in seen else (1 << 60,), resident(fresh_kernel))
                seen[mark] = (memory, tops(fresh_kernel), device_used(fresh_kernel))
    (_, before, used), (memory, *_), (after_memory, after, after_used) = (seen[mark] for mark in sorted(seen))
    assert after[1:] == before[1:] and after_used == used, seen
    # META has a row for each cell, in tables that double.
    assert after[0] - before[0] <= 200 * 1100 + (1 << 18), seen
    # Objects of up to 200 runs, packed, go together when nothing can lead to them: 8 MB between the least and the most.
    assert after_memory[0] - memory[0] < 16 << 20, seen


INCLUDING = r"""%%cuda -I below {flags}
#include "scale.h"
#include "own.h"
struct Kept { Kept() { runs++; } };
static Kept kept;
namespace { __global__ void twice(int *p) { *p += *p + scale(); } }
int main()
{
    int h = 4, unused, *p = steps();
    twice<<<1, 1>>>(p);
    cudaMemcpy(&h, p, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d %d\n", h, runs);
    cudaFree(p);
}
"""
HEADERS = {
    "below/scale.h": "#include <cstdio>\nnamespace { __device__ int factor = 3; }\n"
                     "static __device__ int scale() { const char *s = \"from a header\"; return factor++ + s[0]; }\n",
    "own.h": "static int runs;\nstatic int *steps() { int *p; cudaMalloc(&p, 4); cudaMemset(p, 0, 4); return p; }\n",
}


@pytest.mark.cuda
@pytest.mark.usefixtures("nvcc")
@pytest.mark.parametrize("flags, runs", [("", 25), ("-rdc=true", 15)])
def test_25_runs_of_a_cuda_program_with_headers_of_its_own(start_kernel, tmp_path, flags, runs):
    """nvcc makes it anew each time, since a header may have changed, and makes the same of it."""
    (tmp_path / "below").mkdir()
    for name, text in HEADERS.items():
        (tmp_path / name).write_text(text)
    session = start_kernel(cwd=tmp_path)
    seen = {}
    for i in range(1, runs + 1):
        result = session.start(INCLUDING.replace("{flags}", flags), cell_id="a cell").wait().ok()
        assert result.stdout == "105 1\n" and "unused" in result.stderr, (i, result.stdout, result.stderr)
        if i in (5, runs):
            seen[i] = tops(session), device_used(session)
    (before, used), (after, after_used) = seen[5], seen[runs]
    assert after[1:] == before[1:] and after_used == used, seen
    assert after[0] - before[0] <= 200 * runs + (1 << 16), seen
    session.close()


def test_1000_runs_of_a_notebook(fresh_kernel):
    seen = run_often(fresh_kernel, (100, 1000), lambda i: NOTEBOOK)
    assert fresh_kernel.run("runs").ok().text == "1"
    check_growth(seen, 9000)


def test_200_runs_in_each_of_which_a_type_changes(fresh_kernel):
    """What has another type has another place, and its earlier one when it has the earlier type again."""
    kinds = ["double", "float", "long", "int", "short"]

    def cells_of(i):
        return [text.replace("double step", f"double total;\n{kinds[i % 5]} step").replace(", total;", ";")
                for text in NOTEBOOK]

    check_growth(run_often(fresh_kernel, (50, 200), cells_of), 1500)
