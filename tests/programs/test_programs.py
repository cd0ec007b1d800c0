# SPDX-License-Identifier: Apache-2.0
"""The runner for directories of CUDA programs: its own samples pass, and what fails is told with the reason."""
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import collection  # noqa: E402
import plain  # noqa: E402
import verdict  # noqa: E402
from cell_runner import Outcome, Runner, make_images, refused_by_nvcc  # noqa: E402

pytestmark = pytest.mark.long

SAMPLES = collection.find(HERE / "samples")


@pytest.fixture(scope="module")
def runner(prefix, mark, cache):
    with Runner(prefix, CGPU_TEST_MARK=mark, XDG_CACHE_HOME=str(cache)) as r:
        yield r


@pytest.mark.parametrize("program", SAMPLES, ids=lambda p: p.name)
def test_samples(runner, program):
    outcome = runner.run(program, 60)
    assert verdict.judge(outcome) == verdict.Verdict("passed"), outcome


def write(folder, text, name="program.cu"):
    (folder / name).write_text(text)
    return collection.find(folder)[0]


def test_what_a_program_says_of_itself(runner, tmp_path):
    def judged(text):
        return verdict.judge(runner.run(write(tmp_path, "#include <cstdio>\n" + text), 20))

    assert judged("int main() { return 3; }") == verdict.Verdict("failed", "exit status 3: ")
    assert judged('int main() { puts("Test FAILED"); }') == verdict.Verdict("failed", "Test FAILED")
    assert judged('int main() { puts("0 errors, result OK"); }').kind == "passed"
    assert judged('int main() { puts("passed, incorrect matches: 0"); }').kind == "passed"
    assert judged('int main() { puts("hello"); }').kind == "ran"
    outside = judged("__global__ void k(int *p) { p[99] = 1; }\n"
                     "int main() { int *p; cudaMalloc(&p, 4); k<<<1, 1>>>(p); return cudaDeviceSynchronize(); }")
    assert outside.kind == "failed" and outside.reason.startswith("CudaIllegalAddress: ")


def test_the_next_program_runs_after_one_that_does_not_end(runner, tmp_path):
    endless = "int main() { puts(\"begins\"); fflush(stdout); for (volatile int i = 0;; i++) ; }"
    program = write(tmp_path, "#include <cstdio>\n" + endless)
    outcome = runner.run(program, 1)
    assert outcome.late and outcome.stdout == "begins\n"
    assert verdict.judge(runner.run(write(tmp_path, "int main() { }"), 20)).kind == "ran"


def test_each_program_counts_its_own_processor_time(runner, tmp_path):
    burn = write(tmp_path, "#include <ctime>\nint main() { for (clock_t c = clock(); clock() - c < CLOCKS_PER_SEC; ) ; }")
    first = runner.run(burn, 20)
    second = runner.run(burn, 20)
    assert first.seconds > 0.5 and second.seconds > 0.5, (first, second)


def test_a_program_that_nvcc_refuses_is_told_apart(nvcc, runner, tmp_path):
    program = write(tmp_path, "int main() { return nothing; }")
    assert not runner.run(program, 20).compiled
    assert refused_by_nvcc(program, nvcc) == 'program.cu(1): error: identifier "nothing" is undefined'
    assert refused_by_nvcc(write(tmp_path, "int main() { }"), nvcc) == ""
    assert refused_by_nvcc(write(tmp_path, "int main() { return cudaThreadSynchronize(); }"), nvcc) == ""


def test_a_program_that_asks_nvml(runner, tmp_path):
    program = write(tmp_path, """#include <cstdio>
extern "C" int nvmlInit_v2();
extern "C" int nvmlDeviceGetCount_v2(unsigned *);
int main() { unsigned n = 0; int bad = nvmlInit_v2() || nvmlDeviceGetCount_v2(&n); printf("%d %u", bad, n); }""")
    program.libraries = ["-lnvidia-ml"]
    outcome = runner.run(program, 20)
    assert outcome.stdout == "0 1", outcome


def test_plain_cells(prefix, mark, cache, tmp_path):
    (tmp_path / "sum.cu").write_text("""
__global__ void add(int *p) { atomicAdd(p, threadIdx.x); }
int sum(int n)
{
    int *p, s;

    cudaMalloc(&p, 4);
    cudaMemset(p, 0, 4);
    add<<<1, n>>>(p);
    cudaMemcpy(&s, p, 4, cudaMemcpyDeviceToHost);
    cudaFree(p);
    return s;
}
""")
    program = write(tmp_path, """#include <stdio.h>
#include <stdlib.h>
int sum(int n);
int main(int argc, char **argv)
{
    printf("%d\\n", sum(atoi(argv[1])));
    return argc;
}
""")
    program.arguments = ["64"]
    with plain.SplitRunner(prefix, CGPU_TEST_MARK=mark, XDG_CACHE_HOME=str(cache)) as r:
        outcome = r.run(program, 20)
        assert (outcome.stdout, outcome.status, outcome.problem) == ("2016\n", 2, "")
        assert [len(r._cells(program, p)) for p in sorted(program.sources)] == [4, 2]
    other = tmp_path / "in c++"
    other.mkdir()
    cpp = write(other, "#include <vector>\nint main() { std::vector<int> v(4); return v.size() - 4; }")
    with plain.PlainRunner(prefix, CGPU_TEST_MARK=mark, XDG_CACHE_HOME=str(cache)) as r:
        outcome = r.run(program, 20)
        assert (outcome.stdout, outcome.status, outcome.problem) == ("2016\n", 2, "")
        program.sources.reverse()
        program.flags = ["-Dsum=none(", "-DB"]
        assert not r.run(program, 20).compiled
        outcome = r.run(cpp, 20)
        assert outcome.compiled and outcome.status == 0 and not outcome.problem
        assert plain.cpp_of(cpp) == "the C++ library" and not plain.cpp_of(program)


def test_alike():
    assert plain.alike(Outcome("at 0x7ff10: 3.5 ms\nb\na"), Outcome("at 0x1: 12e-3 ms\na\nb"))
    assert not plain.alike(Outcome("sum: 3"), Outcome("sums: 3"))


def test_words_of_success_and_failure():
    def kind(text, **more):
        return verdict.judge(Outcome(text, **more)).kind

    assert kind("Max error: 0.0\nPASS\n") == "passed"
    assert kind("mismatches: 0\nall correct\n") == "passed"
    assert kind("Result: FAIL\n") == "failed"
    assert kind("mismatch at 5\nPASS\n") == "failed"
    assert kind("RMS error in solution = 1e-2\nPASS\n") == "passed"
    assert kind("error in kernel\n") == "failed"
    assert kind("PASS\n", stderr="========= Barrier error detected. Invalid arguments.\n") == "passed"
    assert kind("Time spent in different stages\nPASS\n") == "passed"
    told = "cudaMemcpy returned cudaErrorInvalidValue (invalid argument), and nobody looked at it\n"
    assert kind("PASS\n", stderr=told) == "passed"
    assert kind("PASS\n", stderr='In[3]:37:2: warning: #warning "may fail"\n   37 | #warning "may fail"\n') == "passed"
    assert kind("Two or more GPUs are required\n", status=1) == "devices"
    assert kind("Waiving execution, which the device does not support\n", status=2) == "waived"


def test_a_program_that_wants_arguments_is_told_apart():
    wants = Outcome("usage: program <size>\n", status=1)
    assert verdict.judge(wants) == verdict.Verdict("data", "needs arguments: usage: program <size>")
    assert verdict.judge(wants, arguments=["7"]).kind == "failed"


def test_what_a_program_needs(tmp_path):
    program = write(tmp_path, "#include <cublas_v2.h>\nint main() { cublasCreate(0); }")
    assert verdict.needs_library(program) == "cuBLAS"
    assert not verdict.needs_library(write(tmp_path, "#include <nvrtc.h>\n#include <nvml.h>\nint main() { cuInit(0); }"))
    program.arguments = ["../data/graph.txt", "100"]
    assert verdict.needs_data(program) == "../data/graph.txt"


def test_what_is_included_from_other_folders_counts(tmp_path):
    (tmp_path / "common").mkdir()
    (tmp_path / "common" / "window.h").write_text("#include <GL/glut.h>\n")
    folder = tmp_path / "one"
    folder.mkdir()
    assert verdict.needs_library(write(folder, '#include "../common/window.h"\nint main() { }')) == "OpenGL"


def test_headers_are_found_in_the_nearest_folder_that_has_them(tmp_path):
    for folder in ("common", "c/common", "c/one two"):
        (tmp_path / folder).mkdir(parents=True)
    for folder in ("common", "c/common"):
        (tmp_path / folder / "timer.h").write_text("")
    (tmp_path / "c" / "one two" / "program.cu").write_text('#include "timer.h"\n#include <stdio.h>\nint main() { }')
    assert collection.find(tmp_path)[0].flags == [f"-I{tmp_path}/c/common"]


def test_headers_of_the_system_are_not_taken_from_other_folders(tmp_path):
    for folder in ("windows", "one"):
        (tmp_path / folder).mkdir()
    (tmp_path / "windows" / "unistd.h").write_text("#error none\n")
    (tmp_path / "one" / "program.cu").write_text('#include <unistd.h>\nint main() { }')
    assert not collection.find(tmp_path)[0].flags


def test_a_source_that_another_includes_is_a_part_of_it(tmp_path):
    (tmp_path / "kernel.cu").write_text("__global__ void k() { }\n")
    (tmp_path / "other.cu").write_text("")
    (tmp_path / "program.cu").write_text('#include "kernel.cu"\n// #include "other.cu"\nint main() { }')
    assert [p.name for p in collection.find(tmp_path)[0].sources] == ["other.cu", "program.cu"]


def test_a_table_means_programs_by_the_end_of_their_names(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.cu").write_text("int main() { }")
    found = collection.find(tmp_path)[0]
    assert collection.row_of(found, {"x": 1, "a/x": 2}) == 2
    assert collection.row_of(found, {"b/x": 1, "x": 3}) == 3
    assert collection.row_of(found, {"b/x": 1}) is None


def test_what_is_a_check(tmp_path):
    def checks(text):
        return verdict.is_self_checking(write(tmp_path, "int main() { " + text + " }"))

    assert checks('puts(ok ? "PASS" : "FAIL");') and checks('printf("max error %f", e);')
    assert checks("return ok ? EXIT_SUCCESS : 1;") and not checks('fprintf(stderr, "CUDA error: %s", s);')
    assert not checks('// "PASS"') and not checks('puts("cannot open file");')
    assert not checks('}\n#include "passing.h"\n{')


def test_a_makefile_of_several_programs(tmp_path):
    """They share an object; one that is linked of the same files under another name is no other program."""
    (tmp_path / "Makefile").write_text("run: one two\nmain.o: main.cpp\n\tnvcc -O2 -o $@ -c $<\na.o: a.cu\n\tnvcc -c -o $@ $<\n"
                                       "one: main.o a.o\n\tnvcc -o $@ $^ -lm\ntwo: main.o b.cu\n\tnvcc -o $@ $^\n")
    (tmp_path / "main.cpp").write_text("int main()\n{\n}\n")
    for name in ("a.cu", "b.cu"):
        (tmp_path / name).write_text("")
    found = {p.name: [s.name for s in p.sources] for p in collection.find(tmp_path, True)}
    assert found == {f"{tmp_path.name}/one": ["main.cpp", "a.cu"], f"{tmp_path.name}/two": ["main.cpp", "b.cu"]}


def test_programs_of_a_makefile_have_flags_of_their_own(tmp_path):
    (tmp_path / "Makefile").write_text("all: one two three\none.o: one.cu\n\tnvcc -DONE -dc -o $@ $<\n"
                                       "one: one.o\n\tnvcc -o $@ $< -lz\n"
                                       "two: two.cu\n\tnvcc --relocatable-device-code true -Xcompiler -fopenmp -o $@ $<\n"
                                       "three: three.c\n\tgcc -std=c99 -o $@ $<\n")
    for name in ("one.cu", "two.cu", "three.c"):
        (tmp_path / name).write_text("int main()\n{\n}\n")
    one, two = collection.find(tmp_path)
    assert (one.flags, one.libraries) == (["-rdc=true", "-DONE"], ["-lz"])
    assert (two.flags, two.libraries) == (["-rdc=true", "-Xcompiler", "-fopenmp"], [])


def test_makefiles_and_cmake_lists(tmp_path):
    make, cmake = tmp_path / "m", tmp_path / "c"
    make.mkdir()
    cmake.mkdir()
    (make / "Makefile").write_text("SRC = a.cu b.cpp\nrun: main\n\t./main -n 5 'a b'\nmain: $(SRC)\n"
                                   "\t$(CC) --default-stream per-thread -std=c++14 -O3 -arch=sm_60 -I../c -DN=2 $(SRC) "
                                   "-o $@ -lz\n")
    for name in ("a.cu", "b.cpp"):
        (make / name).write_text("")
    (cmake / "CMakeLists.txt").write_text("include_directories(../m)\nadd_executable(one one.cu)\n"
                                          "add_executable(c two.cu one.cu)\ntarget_link_libraries(one CUDA::cufft)\n")
    for name in ("one.cu", "two.cu"):
        (cmake / name).write_text("")
    both = {p.name: p for p in collection.find(tmp_path)}
    assert set(both) == {"m", "c", "c/one"}
    assert [p.name for p in both["m"].sources] == ["a.cu", "b.cpp"]
    assert both["m"].flags == ["--default-stream", "per-thread", "-std=c++14", f"-I{cmake}", "-DN=2"]
    assert {p.name for p in collection.find(tmp_path, named=True)} == {f"{tmp_path.name}/{n}" for n in ("m", "c", "c/one")}
    assert both["m"].libraries == ["-lz"] and both["m"].arguments == ["-n", "5", "a b"]
    assert [p.name for p in both["c"].sources] == ["two.cu", "one.cu"]
    assert both["c"].flags == [f"-I{make}"] and verdict.needs_library(both["c/one"]) == "cuFFT"


def test_a_program_that_loads_device_code_itself(nvcc, runner, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text("""
add_executable(load load.cpp)
target_link_libraries(load PUBLIC CUDA::cuda_driver CUDA::nvrtc)
set(IMAGE "${CMAKE_CURRENT_BINARY_DIR}/k.fatbin")
set(SOURCE "${CMAKE_CURRENT_SOURCE_DIR}/k.cu")
add_custom_command(OUTPUT ${IMAGE} COMMAND ${CMAKE_CUDA_COMPILER} ${GENCODE_FLAGS} -o ${IMAGE} -fatbin ${SOURCE})
""")
    (tmp_path / "k.cu").write_text('extern "C" __global__ void k(int *p) { *p = 42; }\n')
    (tmp_path / "load.cpp").write_text(r"""
#include <cstdio>
#include <vector>
#include <cuda.h>
#include <nvrtc.h>
static int result(CUmodule m)
{
    CUfunction k;
    CUdeviceptr p;
    int n = 0;
    void *args[] = { &p };

    if (cuModuleGetFunction(&k, m, "k") || cuMemAlloc(&p, 4) || cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL))
        return -1;
    cuMemcpyDtoH(&n, p, 4);
    cuMemFree(p);
    return n;
}
int main()
{
    const char *arch = "--gpu-architecture=sm_75";
    nvrtcProgram program;
    CUcontext c;
    CUmodule m;
    size_t size;

    cuInit(0);
    cuDevicePrimaryCtxRetain(&c, 0);
    cuCtxSetCurrent(c);
    cuModuleLoad(&m, "k.fatbin");
    printf("%d from a file\n", result(m));
    nvrtcCreateProgram(&program, "extern \"C\" __global__ void k(int *p) { *p = 43; }", "k.cu", 0, NULL, NULL);
    nvrtcCompileProgram(program, 1, &arch);
    nvrtcGetCUBINSize(program, &size);
    std::vector<char> image(size);
    nvrtcGetCUBIN(program, image.data());
    cuModuleLoadData(&m, image.data());
    printf("%d from NVRTC\n", result(m));
}
""")
    program = collection.find(tmp_path)[0]
    make_images(program, nvcc)
    outcome = runner.run(program, 20)
    assert outcome.stdout == "42 from a file\n43 from NVRTC\n", outcome


def test_sizes_of_a_table(tmp_path):
    (tmp_path / "sizes.tsv").write_text(
        "# name\targuments\nother/a\t1\nfolder/a\t-n 'x y'\tN=3 size=8 '(7, 9)=(1)' -DQUICK\nb\t=\tN=4\n")
    sizes = collection.Sizes(tmp_path / "sizes.tsv")
    source, header = tmp_path / "a.cu", tmp_path / "n.h"
    source.write_text("#define NN 7\nconst int size = 1 << 20; int sizes = 5;\nvoid f(int N = 2, int size = N);\nf(7, 9);\n")
    header.write_text("#define N (1000)  // many\n")
    program = collection.Program("up/folder/a", tmp_path, [source], ["-DN=9", "-DNN=2", "-O1"], [], ["in.txt"], "no in.txt")
    sizes.apply(program)
    assert program.arguments == ["-n", "x y"] and program.flags == ["-DN=3", "-DNN=2", "-O1", "-DQUICK"] and not program.problem
    assert program.source(source) == "#define NN 7\nconst int size = 8; int sizes = 5;\nvoid f(int N = 3, int size = N);\nf(1);\n"
    assert program.source(header) == "#define N 3 // many\n" and program.changed_headers() == [header]
    program = collection.Program("folder/b", tmp_path, [source], [], [], ["in.txt"])
    sizes.apply(program)
    assert program.arguments == ["in.txt"] and verdict.needs_data(program) == "in.txt"


def test_a_constant_of_a_header_is_made_smaller(runner, tmp_path):
    (tmp_path / "n.h").write_text("#define N 1000\n")
    program = write(tmp_path, '#include <cstdio>\n#include "n.h"\nint main() { printf("N is %d\\n", N); }')
    program.resize("=", "N=3")
    assert runner.run(program, 20).stdout == "N is 3\n"


def test_the_program_itself(prefix, tmp_path):
    write(tmp_path, "int main() { return 1; }", "bad.cu")
    write(tmp_path, '#include <cstdio>\nint main() { puts("PASS"); }', "good.cu")
    table = tmp_path / "table.md"
    command = [sys.executable, str(HERE / "run"), str(tmp_path), "--output", str(table), "--limit", "20"]
    ran = subprocess.run(command, env={**os.environ, "CGPU_PREFIX": str(prefix)}, text=True, capture_output=True, check=False)
    assert ran.returncode == 1 and ran.stdout.endswith("1 passed, 1 failed\n"), ran
    assert "/bad` | failed | exit status 1" in table.read_text() and "good" not in table.read_text()
