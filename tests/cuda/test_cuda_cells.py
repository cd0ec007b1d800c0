# SPDX-License-Identifier: Apache-2.0
"""%%cuda cells: whole CUDA C++ programs through nvcc, as a transaction like any cell."""
import os
import uuid

import linked_program
import pytest
from session import wait_until

pytestmark = pytest.mark.long

VECTOR_ADD = r"""%%cuda
#include <cstdio>
#include <cstdlib>
#define CHECK(call) do { cudaError_t e = (call); if (e) { printf("%s\n", cudaGetErrorString(e)); exit(1); } } while (0)
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
int main(int argc, char **argv)
{
    const int n = 1000;
    size_t bytes = n * sizeof(float);
    float *a = (float *)malloc(bytes), *b = (float *)malloc(bytes), *c = (float *)malloc(bytes);
    float *da, *db, *dc;
    for (int i = 0; i < n; i++) { a[i] = i; b[i] = 2 * i; }
    CHECK(cudaMalloc(&da, bytes)); CHECK(cudaMalloc(&db, bytes)); CHECK(cudaMalloc(&dc, bytes));
    CHECK(cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice));
    add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost));
    printf("%d %g %g\n", argc, c[1], c[n - 1]);
    cudaFree(da); cudaFree(db); cudaFree(dc);
    free(a); free(b); free(c);
    return 0;
}
"""


LEGACY = """%%cuda
#include <cstdio>
__global__ void k(int *p) { *p = 7; }
int main()
{
    int *p, n = 0;
    size_t stack;
    cudaMallocManaged(&p, sizeof(int));
    printf("%d%d", cudaMemAdvise(p, sizeof(int), cudaMemAdviseSetPreferredLocation, 0),
           cudaMemPrefetchAsync(p, sizeof(int), 0));
    k<<<1, 1>>>(p);
    printf("%d ", cudaThreadSynchronize());
    cudaMemPrefetchAsync(p, sizeof(int), cudaCpuDeviceId, NULL);
    cudaMemcpy(&n, p, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d %d\\n", n, cudaThreadGetLimit(&stack, cudaLimitStackSize));
    return cudaFree(p);
}
"""


def test_names_that_cuda_13_does_not_have(kernel):
    """Programs of older books say cudaThreadSynchronize() and the numbers of devices, in C cells and in those for nvcc."""
    assert kernel.run(LEGACY).ok().stdout == "000 7 0\n"
    assert kernel.run("cudaThreadSynchronize()").ok().text == "cudaSuccess (0)"
    kernel.run("int *managed; cudaMallocManaged(&managed, 64);\n"
               "struct cudaMemLocation at = { cudaMemLocationTypeDevice, 0 };").ok()
    for call in ["cudaMemPrefetchAsync(managed, 64, 0)", "cudaMemPrefetchAsync(managed, 64, cudaCpuDeviceId, 0)",
                 "cudaMemPrefetchAsync(managed, 64, at, 0, 0)", "cudaMemPrefetchAsync(managed, 64, at, 0)",
                 "cudaMemAdvise(managed, 64, cudaMemAdviseSetReadMostly, 0)",
                 "cudaMemAdvise(managed, 64, cudaMemAdviseSetReadMostly, at)"]:
        assert kernel.run(call).ok().text == "cudaSuccess (0)"
    assert kernel.run("cudaMemPrefetchAsync(managed, 64, 7)").text == "cudaErrorInvalidDevice (101)"


def test_a_program_with_main(kernel):
    kernel.run("%load_ext nvcc4jupyter").ok()
    assert kernel.run(VECTOR_ADD).ok().stdout == "1 3 2997\n"
    assert kernel.run(VECTOR_ADD).ok().stdout == "1 3 2997\n"


def test_the_cpp_library_and_exceptions(kernel):
    result = kernel.run(r"""%%cuda
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
struct Shape { virtual ~Shape() {} virtual double area() const = 0; };
struct Square : Shape {
    double side;
    Square(double s) : side(s) {}
    double area() const override { return side * side; }
};
__global__ void twice(int *p, int n) { int i = threadIdx.x; if (i < n) p[i] *= 2; }
int main()
{
    std::vector<int> v{1, 2, 3};
    int *d;
    cudaMalloc(&d, sizeof(int) * v.size());
    cudaMemcpy(d, v.data(), sizeof(int) * v.size(), cudaMemcpyHostToDevice);
    twice<<<1, 32>>>(d, v.size());
    cudaMemcpy(v.data(), d, sizeof(int) * v.size(), cudaMemcpyDeviceToHost);
    cudaFree(d);
    for (int x : v) std::cout << x << ' ';
    try { throw std::runtime_error("boom"); } catch (const std::exception &e) { std::cout << e.what() << '\n'; }
    Shape *s = new Square(3);
    std::map<std::string, double> areas{{"square", s->area()}};
    std::cout << areas["square"] << std::endl;
    delete s;
}
""").ok()
    assert result.stdout == "2 4 6 boom\n9\n"


def test_an_exception_that_nobody_catches(kernel):
    result = kernel.run("""%%cuda
#include <stdexcept>
int main()
{
    throw std::runtime_error("nobody");
}
""")
    assert result.ename == "UncaughtException"
    assert "std::runtime_error: nobody" in result.evalue and "line 5, in main()" in result.evalue


def test_a_fault_in_an_entry_names_the_line_and_is_rolled_back(kernel):
    kernel.run("int before = 1;").ok()
    result = kernel.run("""%%cuda
__global__ void bad(int *p)
{
    p[threadIdx.x + 1000000] = 1;
}
int main()
{
    int *d;
    cudaMalloc(&d, 16);
    bad<<<1, 4>>>(d);
    cudaDeviceSynchronize();
}
""")
    assert result.ename == "CudaIllegalAddress"
    assert result.evalue.endswith(f"in the CUDA kernel bad, line 4 of In[{result.count}]")
    assert "at bad(int *)" in result.traceback and f" in In[{result.count}]:4" in result.traceback
    assert kernel.run("before").ok().text == "1"


VARIABLES = r"""%%cuda
#include <cstdio>
__device__ int counter = 5;
__constant__ float factor[4];
__managed__ int managed = 7;
static __device__ float table[3] = {1, 2, 3};
template <class T> __global__ void scale(T *out)
{
    atomicAdd(&counter, 1);
    out[threadIdx.x] = factor[threadIdx.x] * 2 + table[0];
    if (threadIdx.x == 0) managed += 1;
}
int main()
{
    float h[4] = {1, 2, 3, 4}, *d;
    int n;
    cudaMalloc(&d, sizeof(h));
    cudaMemcpyToSymbol(factor, h, sizeof(h));
    scale<float><<<1, 4>>>(d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&n, counter, sizeof(n));
    printf("%g %g %d %d\n", h[0], h[3], n, managed);
    cudaFree(d);
}
"""


def test_variables_templates_and_a_cell_run_twice(kernel):
    for _ in range(2):
        assert kernel.run(VARIABLES).ok().stdout == "3 9 9 8\n"
    changed = VARIABLES.replace("* 2 +", "* 3 +").replace("counter = 5", "counter = 6")
    assert kernel.run(changed).ok().stdout == "4 13 10 8\n"


def test_exit_ends_the_program(kernel):
    result = kernel.run("""%%cuda
#include <cstdio>
#include <cstdlib>
void end(int status) { printf("ends\\n"); exit(status); }
int main() { end(0); }
""").ok()
    assert (result.stdout, result.stderr) == ("ends\n", "")
    result = kernel.run("%%cuda\n#include <cstdlib>\nint main() { exit(EXIT_FAILURE); }\n").ok()
    assert result.stderr == "exit status 1\n"
    assert kernel.run("%%cuda\nint main() { return 3; }\n").ok().stderr == "exit status 3\n"


def test_thrust(kernel):
    result = kernel.run(r"""%%cuda
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <iostream>
int main()
{
    thrust::host_vector<int> h(1000);
    for (int i = 0; i < 1000; i++) h[i] = i * 7919 % 1000;
    thrust::device_vector<int> d = h;
    thrust::sort(d.begin(), d.end());
    h = d;
    std::cout << h[0] << ' ' << h[500] << ' ' << h[999] << ' ' << thrust::reduce(d.begin(), d.end()) << std::endl;
}
""").ok()
    assert result.stdout == "0 500 999 499500\n"


def test_flags_are_those_of_nvcc(kernel):
    result = kernel.run('%%cuda -c "-O3 -arch=sm_80 -DN=4" --std=c++14\n#include <cstdio>\n'
                        'int main() { printf("%d %ld\\n", N, __cplusplus); }\n').ok()
    assert result.stdout == "4 201402\n"


def test_what_nvcc_says_stands_in_lines_of_the_cell(kernel):
    result = kernel.run("%%cuda\n#include <nosuch.h>\nint main() {}\n")
    assert result.evalue == f"In[{result.count}]:2:10: error: nosuch.h: No such file or directory"
    result = kernel.run("%%cuda\n__global__ void k(int *p)\n{\n    p[0] = nothing;\n}\n")
    assert result.evalue == f'In[{result.count}]:4: error: identifier "nothing" is undefined'
    result = kernel.run("%%cuda\n#include <cstdio>\nint main() { int unused; }\n").ok()
    assert result.stderr == (f'In[{result.count}]:3: warning: variable "unused" was declared but never referenced\n'
                             "  int main() { int unused; }\n" + 19 * " " + "^\n")


def test_a_c_file_of_a_group_may_declare_the_types_of_the_driver_itself(kernel):
    kernel.run("%%cuda_group_save -n own.c -g own\ntypedef struct CUuuid_st { char bytes[16]; } CUuuid;\n"
               "int size_of_own(void) { return sizeof(CUuuid); }\n").ok()
    kernel.run('%%cuda_group_save -n main.cu -g own\n#include <cstdio>\nextern "C" int size_of_own(void);\n'
               'int main() { printf("%d", size_of_own()); }\n').ok()
    assert kernel.run("%cuda_group_run -g own").ok().stdout == "16"


def test_warnings_of_nvcc_and_of_the_host_compiler_are_told_once(kernel):
    cell = ("%%cuda -Xcompiler -Wshadow\nint x;\nint f(int x)\n{\n  bool open = false;\n  open = true;\n  return x;\n}\n"
            "int main() { f(1); }")
    result = kernel.run(cell).ok()
    lines = [line for line in result.stderr.splitlines() if "warning: " in line]
    of_nvcc, of_host = sorted(lines, key=lambda line: "[-W" in line)
    assert of_nvcc == f'In[{result.count}]:5: warning: variable "open" was set but never used'
    assert of_host.startswith(f"In[{result.count}]:3:11: warning: declaration of") and of_host.endswith("[-Wshadow]")


def test_functions_are_called_by_c_cells(kernel):
    kernel.run(r"""%%cuda
#include <vector>
__global__ void square(float *p) { p[threadIdx.x] *= p[threadIdx.x]; }
extern "C" void square_all(float *p, int n)
{
    float *d;
    cudaMalloc(&d, n * sizeof(*p));
    cudaMemcpy(d, p, n * sizeof(*p), cudaMemcpyHostToDevice);
    square<<<1, n>>>(d);
    cudaMemcpy(p, d, n * sizeof(*p), cudaMemcpyDeviceToHost);
    cudaFree(d);
}
""").ok()
    kernel.run("void square_all(float *p, int n); float q[3] = { 1, 2, 3 };").ok()
    assert kernel.run("square_all(q, 3); q[2]").ok().text == "9.0"
    # In another worker the unit and its device code are still there.
    assert kernel.run("*(volatile int *)0 = 1;").ename == "SegmentationFault"
    assert kernel.run("square_all(q, 3); q[2]").ok().text == "81.0"


LINKED = r"""%%cuda
#include <cassert>
#include <cstdio>
__global__ void square(float *p)
{
    assert(p != nullptr);
    p[threadIdx.x] *= p[threadIdx.x];
}
extern "C" void squares(float *p, int n = 3)
{
    float *d = nullptr;
    if (p) cudaMalloc(&d, n * sizeof(*p));
    if (p) cudaMemcpy(d, p, n * sizeof(*p), cudaMemcpyHostToDevice);
    square<<<1, n>>>(d);
    if (p) cudaMemcpy(p, d, n * sizeof(*p), cudaMemcpyDeviceToHost);
    cudaDeviceSynchronize();
}
extern "C" {
int calls = 3;
const char *file() { return __FILE__; }
int *fault(int *p) { *p = 5; return p; }
}
// """


def test_functions_are_known_to_c_cells(fresh_kernel):
    first = fresh_kernel.run(LINKED).ok()
    assert fresh_kernel.run("float q[3] = { 1, 2, 3 }; squares(q, 3); calls += 2; q[2] + calls").ok().text == "14.0"
    assert "squares" in fresh_kernel.run("%whos").ok().shown
    assert fresh_kernel.run("squares(q);").ename == "CompileError"
    assert fresh_kernel.run("file()").ok().text == f'"In[{first.count}]"'
    assert fresh_kernel.run("*(volatile int *)0 = 1;").ename == "SegmentationFault"
    assert fresh_kernel.run("squares(q, 3); q[2] + calls").ok().text == "86.0"


def test_the_same_program_in_another_cell_is_not_compiled_again(start_kernel, nvcc, tmp_path):
    counted = tmp_path / "counted"
    counted.write_text(f'#!/bin/sh\necho >> {tmp_path}/runs\nexec {nvcc} "$@"\n')
    counted.chmod(0o755)
    session = start_kernel(CGPU_NVCC=str(counted))
    cell = LINKED + str(uuid.uuid4())
    session.run(cell).ok()
    session.run("1").ok()
    again = session.run(cell).ok()
    assert again.count == 3
    assert len((tmp_path / "runs").read_text().split("\n")) == 2
    # Strings, line tables and device code name the cell that has run.
    assert session.run("file()").ok().text == '"In[3]"'
    assert "In[3], line 21, in fault()" in session.run("fault(0);").evalue
    result = session.run("squares(0, 1);")
    assert "In[3]:6: void square(float *)" in result.shown and "line 6 of In[3]" in result.evalue
    session.close()


def test_two_sessions_compile_the_same_program_at_once(start_kernel, nvcc, tmp_path):
    """Each in a folder of its own: the first one's nvcc stands still with its texts written, until the second has its object."""
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    held = tmp_path / "held"
    held.write_text(f'#!/bin/sh\ntouch {gate}-reached\nread line < {gate}\nexec {nvcc} "$@"\n')
    held.chmod(0o755)
    program = f"""%%cuda
#include "say.h"
int main() {{ puts(SAID); }} // {uuid.uuid4()}
"""
    sessions = []
    for name in "first", "second":
        (tmp_path / name).mkdir()
        (tmp_path / name / "say.h").write_text(f'#include <cstdio>\n#define SAID "{name}"\n')
        sessions.append(start_kernel(cwd=tmp_path / name, **({"CGPU_NVCC": str(held)} if name == "first" else {})))
    first, second = sessions
    waits = first.start(program)
    assert wait_until((tmp_path / "gate-reached").exists)
    assert second.run(program).ok().stdout == "second\n"
    gate.write_text("on\n")
    assert waits.wait().ok().stdout == "first\n"
    for session in sessions:
        session.close()


def test_the_profile_option_shows_what_launches_did(fresh_kernel):
    result = fresh_kernel.run("""%%cuda -p
__global__ void k(int *p) { p[threadIdx.x] = 5; }
int main() { int *p; cudaMalloc(&p, 128); k<<<1, 32>>>(p); return cudaDeviceSynchronize(); }
""").ok()
    assert "p[threadIdx.x] = 5;" in result.shown


def test_without_nvcc_the_cell_says_what_to_do(start_kernel):
    result = start_kernel(CGPU_NVCC="/nowhere/nvcc").run("%%cuda\nint main() {}\n")
    assert result.ename == "CompileError"
    assert "CGPU_NVCC names no program" in result.evalue and "Install the CUDA toolkit" in result.evalue


def test_cells_with_static_entries_of_one_name(kernel):
    cell = """%%cuda
static __global__ void entry(int *p) {{ *p = {0}; }}
extern "C" int call{0}()
{{
    int h = 0, *d;
    cudaMalloc(&d, sizeof(h));
    entry<<<1, 1>>>(d);
    cudaMemcpy(&h, d, sizeof(h), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return h;
}}
"""
    kernel.run(cell.format(1)).ok()
    kernel.run(cell.format(2)).ok()
    assert kernel.run("int call1(void), call2(void); 10 * call1() + call2()").ok().text == "12"


def test_a_program_in_several_files(kernel):
    kernel.run("%%cuda_group_save --name scale.h --group g\nvoid scale(int *p, int n);\n").ok()
    kernel.run("""%%cuda_group_save -n scale.cu -g g
#include "scale.h"
static __device__ int used;
static __global__ void entry(int *p) { p[threadIdx.x] *= 3 + used; }
void scale(int *p, int n) { entry<<<1, n>>>(p); }
""").ok()
    kernel.run(r"""%%cuda_group_save --name main.cu --group g
#include <cstdio>
#include "scale.h"
static __device__ int used = 1;
static __global__ void entry(int *p) { p[threadIdx.x] += used; }
int main()
{
    int h[2] = {1, 2}, two = 2, *d;
    cudaMemcpyToSymbol(used, &two, sizeof(two));
    cudaMalloc(&d, sizeof(h));
    cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
    scale(d, 2);
    entry<<<1, 2>>>(d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[0], h[1]);
}
""").ok()
    assert kernel.run("%cuda_group_run --group g").ok().stdout == "5 8\n"
    assert kernel.run('%cuda_group_run -g g -c "-O1"').ok().stdout == "5 8\n"
    kernel.run("%cuda_group_delete --group g").ok()
    assert "there is no group g" in kernel.run("%cuda_group_run --group g").evalue


def test_device_code_of_a_group_is_linked(kernel):
    kernel.run("%%cuda_group_save --name main.cu --group linked\n" + linked_program.MAIN).ok()
    kernel.run("%%cuda_group_save --name other.cu --group linked\n" + linked_program.OTHER).ok()
    assert kernel.run('%cuda_group_run --group linked -c "-rdc=true"').ok().stdout == linked_program.OUTPUT
    assert kernel.run('%cuda_group_run --group linked -c "--relocatable-device-code true"').ok().stdout == linked_program.OUTPUT
    # Without it, each file is a module of its own, as nvcc has it.
    assert "`_Z6scaledi`" in kernel.run("%cuda_group_run --group linked").shown


def test_an_interrupt_ends_nvcc(start_kernel, tmp_path):
    nvcc = tmp_path / "nvcc"
    nvcc.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\nexec sleep 600\n")
    nvcc.chmod(0o755)
    session = start_kernel(CGPU_NVCC=str(nvcc), TMPDIR=str(tmp_path))
    session.run("int kept = 5;").ok()
    pending = session.start("%%cuda\nint main() {}\n")
    assert wait_until((tmp_path / "started").exists)
    assert list(tmp_path.glob("cgpu-tool-nvcc-*"))
    session.interrupt()
    assert pending.wait().ename == "Interrupted"
    assert wait_until(lambda: not list(tmp_path.glob("*cgpu-*")))
    assert session.run("kept").ok().text == "5"


ARGUMENTS = r"""%%cuda LINE
#include <cstdio>
#include <unistd.h>
static int runs;
int main(int argc, char **argv)
{
    int option;
    while ((option = getopt(argc, argv, "xn:")) != -1)
        printf("%c ", option);
    for (int i = optind; i < argc; i++) {
        printf("[%s] ", argv[i]);
        argv[i][0] = '!';
    }
    printf("%d %d\n", ++runs, K);
}
"""


def test_arguments_of_a_program_and_a_program_run_again(kernel):
    cell = ARGUMENTS.replace("LINE", "-DK=2 --run-args \"-x -n 5 'two words' ????/ \\\"\"")
    for _ in range(2):
        assert kernel.run(cell).ok().stdout == "x n [two words] [????/] [\\] 1 2\n"


LOUD = r"""%%cuda
#include <iostream>
#include <cstdlib>
struct Loud
{
    int n;
    Loud(int n) : n(n) { std::cout << "+" << n << ' '; }
    ~Loud() { std::cout << "-" << n << ' ' << std::flush; n = -1; }
};
static Loud hidden(1);
Loud open(2);
inline Loud in_line(3);
template <class T> struct Box { static Loud loud; };
template <class T> Loud Box<T>::loud(4);
static int counts[3];
const char *where = __FILE__;
extern "C" Loud &inside() { static Loud l(5); return l; }
inline Loud &inlined() { static Loud l(6); return l; }
extern "C" int loud_count() { return ++counts[1] + 10 * in_line.n; }
extern "C" int loud_fault;
static void bye() { std::cout << "bye " << std::flush; }
struct Early { Early() { atexit(bye); } } early;
int main()
{
    counts[0]++;
    std::cout << "main " << counts[0] << inside().n << inlined().n << Box<int>::loud.n << open.n << hidden.n << in_line.n;
    std::cout << ' ' << where << std::endl;
    if (loud_fault)
        *(volatile int *)nullptr = counts[0];
}
"""
LOUD_BEGINS = "+1 +2 +3 +4 main 1+5 5+6 64213 In[{}]\n-6 -5 "
LOUD_GOES = "-4 bye -3 -2 -1 "


def run_loud(session, cell_id, fresh=False):
    result = session.start(LOUD, cell_id=cell_id).wait().ok()
    assert result.stdout == ("" if fresh else LOUD_GOES) + LOUD_BEGINS.format(result.count)


def test_a_program_that_is_run_again_begins_anew(fresh_kernel):
    """Its objects are destroyed and constructed again, wherever they stand; in the same cell or in another one."""
    fresh_kernel.run("int loud_fault; int loud_count(void); void *where_was;").ok()
    run_loud(fresh_kernel, "one", fresh=True)
    assert fresh_kernel.run("where_was = loud_count; loud_count() + loud_count()").ok().text == "63"
    for cell_id in ("one", None, "another", "one"):
        run_loud(fresh_kernel, cell_id)
        assert fresh_kernel.run("loud_count()").ok().text == "31"
    assert fresh_kernel.run("where_was == loud_count").ok().text == "1"


def test_a_program_that_is_run_again_and_fails_leaves_the_run_before(fresh_kernel):
    fresh_kernel.run("int loud_fault; int loud_count(void);").ok()
    run_loud(fresh_kernel, "one", fresh=True)
    assert fresh_kernel.run("loud_count()").ok().text == "31"
    fresh_kernel.run("loud_fault = 1;").ok()
    result = fresh_kernel.start(LOUD, cell_id="one").wait()
    assert result.ename == "SegmentationFault" and result.stdout == LOUD_GOES + LOUD_BEGINS[:-6].format(result.count)
    assert "line 29, in main()" in result.evalue, result.evalue
    assert fresh_kernel.run("loud_count()").ok().text == "32"
    fresh_kernel.run("loud_fault = 0;").ok()
    run_loud(fresh_kernel, "one")
    assert fresh_kernel.run("loud_count()").ok().text == "31"
    fresh_kernel.run("%undo 2").ok()
    assert fresh_kernel.run("loud_count()").ok().text == "33"
    run_loud(fresh_kernel, "one")


SHARED = r"""%%cuda
#include <cstdio>
struct Shared { int n = 1; ~Shared() { n = -1; } };
inline Shared common;
extern "C" int NAME() { return common.n++; }
"""


def test_what_other_programs_share_outlives_a_program_that_is_run_again(fresh_kernel):
    for name in ("first", "second", "first", "first", "second"):
        fresh_kernel.start(SHARED.replace("NAME", name), cell_id=name).wait().ok()
    fresh_kernel.run("int first(void), second(void);").ok()
    assert fresh_kernel.run("first() * 10 + second()").ok().text == "12"
    fresh_kernel.start(SHARED.replace("NAME", "first"), cell_id="first").wait().ok()
    assert fresh_kernel.run("first() * 10 + second()").ok().text == "34"


DEVICE_STATE = r"""%%cuda
#include <cstdio>
__device__ int counter = 5;
__managed__ int shared = 7;
static __global__ void work(int n)
{
    static int calls;
    printf("%d %d %d In[]\n", calls += n, counter += n, shared += n);
}
extern "C" void device_state(int n)
{
    work<<<1, 1>>>(n);
    cudaDeviceSynchronize();
}
int main() { device_state(1); }
"""


def test_device_variables_of_a_program_that_is_run_again_begin_anew(fresh_kernel):
    run = fresh_kernel.run
    run("void device_state(int n);").ok()
    for _ in range(3):
        assert run(DEVICE_STATE).ok().stdout == "1 6 8 In[]\n"
        assert run("device_state(10);").ok().stdout == "11 16 18 In[]\n"
    assert run(DEVICE_STATE.replace("device_state(1)", "device_state(1); __builtin_trap()")).ename == "IllegalInstruction"
    assert run("device_state(10);").ok().stdout == "21 26 28 In[]\n"
    assert run(DEVICE_STATE + "// with a comment\n").ok().stdout == "1 6 8 In[]\n"
    # What is changed is another program.
    assert run(DEVICE_STATE.replace("counter = 5", "counter = 6")).ok().stdout == "1 7 8 In[]\n"
    assert run(DEVICE_STATE).ok().stdout == "1 6 8 In[]\n"


def test_options_of_nvcc4jupyter_are_accepted(kernel):
    cell = ARGUMENTS.replace("LINE", '-t -p -l nsys -a "--section Memory -c" -c "-O1 -DK=3"')
    assert kernel.run(cell).ok().stdout.startswith("1 3\n")
    cell = ARGUMENTS.replace("LINE", '--timeit --profile --profiler ncu --profiler-args="-o x" --compiler-args "-DK=4"')
    assert kernel.run(cell).ok().stdout.startswith("1 4\n")


def test_files_of_the_host_and_names_in_quotes(kernel):
    kernel.run('%%cuda_group_save -n "host.cpp" -g "quoted group"\n'
               '#ifdef __CUDACC__\n#error not for nvcc\n#endif\nint host() { return N; }\n').ok()
    kernel.run('%%cuda_group_save --name="main.cu" --group="quoted group"\n'
               '#include <cstdio>\nint host();\nint main() { printf("%d\\n", host()); }\n').ok()
    assert kernel.run('%cuda_group_run -g "quoted group" -c "-O1 -g -DN=6"').ok().stdout == "6\n"
    assert "which file?" in kernel.run("%%cuda_group_save -n main.txt -g g\n").evalue


def test_libraries_of_the_flags_are_loaded(kernel):
    cell = r"""%%cuda LINE
#include <cstdio>
#include <zlib.h>
int main()
{
    int sum = 0;
#pragma omp parallel for reduction(+:sum)
    for (int i = 0; i < 100; i++)
        sum += i;
    printf("%d %lu\n", sum, crc32(0, (const Bytef *)"abc", 3));
}
"""
    for line in ('-lz -lstdc++fs -Xcompiler -fopenmp', '-c "-Xcompiler -fopenmp -lz" -t'):
        result = kernel.run(cell.replace("LINE", line)).ok()
        assert result.stdout.startswith("4950 891568578\n"), result.shown
    assert "compile" in result.shown
    assert "there is no libnosuch.so" in kernel.run("%%cuda -lnosuch\nint main() {}\n").evalue
    kernel.run('%%cuda_group_save -n one.cu -g libraries\n' + cell.split("\n", 1)[1]).ok()
    assert kernel.run("%cuda_group_run -g libraries -lz").ok().stdout == "4950 891568578\n"


def test_launches_by_device_code(kernel):
    result = kernel.run(r"""%%cuda -rdc=true
#include <cstdio>
__device__ int order[64], at;
__global__ void leaf(int number, double more)
{
    if (!threadIdx.x)
        order[atomicAdd(&at, 1)] = number + (int)more;
}
__global__ void node(int depth, int number)
{
    if (threadIdx.x)
        return;
    order[atomicAdd(&at, 1)] = number;
    leaf<<<1, 1, 0, cudaStreamTailLaunch>>>(number + 9, 0.5);
    for (int i = 1; i <= 2 && depth; i++)
        node<<<1, 32>>>(depth - 1, number * 10 + i);
    if (!depth)
        leaf<<<2, 32>>>(number * 10, 5.5);
}
int main()
{
    int h[64], n;
    node<<<1, 32>>>(1, 1);
    puts(cudaGetErrorString(cudaDeviceSynchronize()));
    cudaMemcpyFromSymbol(&n, at, sizeof(n));
    cudaMemcpyFromSymbol(h, order, sizeof(h));
    for (int i = 0; i < n; i++)
        printf("%d ", h[i]);
}
""").ok()
    assert result.stdout == "no error\n1 11 115 115 20 12 125 125 21 10 "
