# SPDX-License-Identifier: Apache-2.0
"""Names that the precompiled C++ headers have, too: those that a session gives to its own things are its own."""
import pytest

from playing import play, refuse


def test_a_variable_serves_later_cells_of_both_languages(fresh_kernel):
    play(fresh_kernel, "%%cpp\nint access = 3, index = 4; double time(0.5);",
         ("%%cpp\naccess + index + time", "7.5"), ("access + index + time", "7.5"),
         ("access = 9; access", "9"), ("%%cpp\naccess", "9"))
    shown = fresh_kernel.run("%who").ok().shown
    assert "access" in shown and "cgpu" not in shown, shown


def test_types_functions_and_constants(fresh_kernel):
    play(fresh_kernel, """%%cpp
class link { public: int n; };
link *head = new link{5};
struct pipe { int n; };
struct stat { int a; } status{ 3 };
enum { wait, clone = 7 };
typedef int alarm;
int sync() { return 4; }""",
         ("%%cpp\nlink *next = new link{6}; pipe p{1}; stat other{2}; alarm a = 8;\n"
          "head->n + next->n + p.n + status.a + other.a + wait + clone + a + sync()", "36"),
         ("a", "8"), ("status.a", "3"))
    assert "sync" in fresh_kernel.run("%%cpp\nsync").ok().text


def test_a_name_is_defined_anew(fresh_kernel):
    play(fresh_kernel, "%%cpp\nint access = 3;", ("%%cpp\nint access = 4;\naccess", "4"), ("access", "4"),
         ("%%cpp\ndouble access = 1.5;\naccess", "1.5"), ("%%cpp\naccess", "1.5"), ("int access = 7; access", "7"),
         ("%%cpp\naccess", "7"), ("%%cpp\nstruct access { int n; } one{ 2 };\none.n", "2"),
         ("%%cpp\naccess two{ 5 };\ntwo.n", "5"))


def test_what_is_not_hidden_stays(fresh_kernel):
    play(fresh_kernel,
         "%%cpp\nint exists() { return access(\"/\", 0); }\nint access = 3;\nnamespace own { int sync = 8; }",
         ("%%cpp\nexists() + access + own::sync", "11"),
         ("%%cpp\nsync(); int use(int access) { return access; }\nuse(5)", "5"),
         ("%%cpp\ndouble log = 3, two = 2;\nstd::log(two) + log > 3.6", "true"),
         ("%%cpp\n(std::log(two) + log) / log > 1.2", "true"),
         "double sin = 3;", ("%%cpp\nstd::sin(two * 0) + sin", "3.0"),
         ("%%cpp\n#include <vector>\n#include <filesystem>\nstd::filesystem::exists(\"/\") + access", "4"))


def test_an_error_has_the_plain_name_and_a_header_that_was_asked_for_its_own(fresh_kernel):
    refuse(fresh_kernel, "%%cpp\n#include <unistd.h>\nint access = 3;", "In[1]:3:5", "redefinition of 'access'")
    refuse(fresh_kernel, "%%cpp\n#include <ctime>\nint time = 3;", "In[2]:3:5", "redefinition of 'time'")
    refuse(fresh_kernel, "%%cpp\nint clone = 3; clone.x + 1;", "In[3]:2:21")
    assert "cgpu" not in fresh_kernel.run("%%cpp\nstruct link { int n; };\nlink l = 3;").shown


@pytest.mark.cuda
def test_device_code(fresh_kernel):
    play(fresh_kernel, """%%cpp
int *di, hi;
cudaError_t sync = cudaMalloc(&di, 4);
__device__ int read = 5;
__global__ void pause(int *p) { *p = ++read; }
pause<<<1, 1>>>(di);
cudaMemcpy(&hi, di, 4, cudaMemcpyDeviceToHost);""",
         ("%%cpp\npause<<<1, 1>>>(di); cudaMemcpy(&hi, di, 4, cudaMemcpyDeviceToHost); hi * 10 + (int)sync", "70"),
         ("%%cpp\n__global__ void later(int *p) { *p = read + 1; }\nlater<<<1, 1>>>(di); "
          "cudaMemcpy(&hi, di, 4, cudaMemcpyDeviceToHost); hi", "8"),
         # What stands before the variable means the function.
         ("%%cpp\n__global__ void logarithm(double *p) { *p = log(*p); }\ndouble *d, log = 1; cudaMalloc(&d, 8); "
          "cudaMemcpy(d, &log, 8, cudaMemcpyHostToDevice);\n"
          "logarithm<<<1, 1>>>(d); cudaMemcpy(&log, d, 8, cudaMemcpyDeviceToHost); log", "0.0"))
    refuse(fresh_kernel, "%%cpp\n__global__ void getpid(int *p) { p[1 << 30] = 1; }\n"
                         "getpid<<<1, 1>>>(di); cudaDeviceSynchronize();", "getpid(int *)")
