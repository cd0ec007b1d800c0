# SPDX-License-Identifier: Apache-2.0
"""%pkg, %ldflags and the other flags of the compiler, with real libraries: FFTW, GSL and OpenBLAS."""
import os
import re
import subprocess

import pytest

from session import wait_until


def build_library(folder, name, text, *flags):
    """lib<name>.so in the folder."""
    source = folder / f"{name}.c"
    source.write_text(text)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(folder / f"lib{name}.so"), str(source), *flags], check=True)


def test_fftw_transforms(fresh_kernel):
    shown = fresh_kernel.run("%pkg fftw3").ok().stdout
    assert re.search(r"fftw3 3\.\d+", shown) and "libfftw3.so" in shown
    fresh_kernel.run("#include <fftw3.h>\nfftw_complex in[8], out[8];\n"
                     "fftw_plan plan = fftw_plan_dft_1d(8, in, out, FFTW_FORWARD, FFTW_ESTIMATE);").ok()
    fresh_kernel.run("for (int i = 0; i < 8; i++) { in[i][0] = i; in[i][1] = 0; }\nfftw_execute(plan);").ok()
    assert fresh_kernel.run("out[0][0]").ok().text == "28.0"


def test_a_plan_of_fftw_works_after_a_fault(fresh_kernel):
    """What the library has given to a cell is session memory, and points into the library where every worker has it."""
    fresh_kernel.run("%pkg fftw3\n#include <fftw3.h>\nfftw_complex in[8], out[8];\n"
                     "fftw_plan plan = fftw_plan_dft_1d(8, in, out, FFTW_FORWARD, FFTW_ESTIMATE);\n"
                     "void *where = (void *)fftw_execute;").ok()
    assert fresh_kernel.run("*(volatile int *)0 = 1;").ename == "SegmentationFault"
    fresh_kernel.run("for (int i = 0; i < 8; i++) { in[i][0] = 1; in[i][1] = 0; }\nfftw_execute(plan);").ok()
    assert fresh_kernel.run("out[0][0]").ok().text == "8.0"
    assert fresh_kernel.run("where == (void *)fftw_execute").ok().text == "1"


def test_gsl_with_its_own_blas(fresh_kernel):
    """-lgsl -lgslcblas: the second must be loaded first."""
    shown = fresh_kernel.run("%pkg gsl").ok().stdout
    assert "libgslcblas.so" in shown and "libgsl.so" in shown
    r = fresh_kernel.run("#include <gsl/gsl_sf_bessel.h>\n#include <stdio.h>\nprintf(\"%.6f\", gsl_sf_bessel_J0(5.0));").ok()
    assert r.stdout == "-0.177597"


def test_openblas_multiplies_with_its_threads(fresh_kernel):
    """The zygote has its threads ended before each fork; the worker starts its own."""
    fresh_kernel.run("%pkg openblas").ok()
    cell = ("#include <cblas.h>\n#include <stdlib.h>\nenum { N = 400 };\ndouble *a = malloc(N * N * sizeof(double)), "
            "*b = malloc(N * N * sizeof(double)), *c = malloc(N * N * sizeof(double));\n"
            "for (int i = 0; i < N * N; i++) { a[i] = 1; b[i] = 2; c[i] = 0; }\n"
            "openblas_set_num_threads(4);\n"
            "cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1.0, a, N, b, N, 0.0, c, N);\nc[N * N - 1]")
    assert fresh_kernel.run(cell).ok().text == "800.0"
    assert fresh_kernel.run("*(volatile int *)0 = 1;").ename == "SegmentationFault"
    assert fresh_kernel.run(cell).ok().text == "800.0"


def test_several_at_once_and_the_list(fresh_kernel):
    assert "No package" in fresh_kernel.run("%pkg").ok().stdout
    fresh_kernel.run("%pkg fftw3 gsl openblas").ok()
    listed = fresh_kernel.run("%pkg").ok().stdout
    assert [line.split()[0] for line in listed.splitlines()] == ["fftw3", "gsl", "openblas"]
    r = fresh_kernel.run("#include <fftw3.h>\n#include <gsl/gsl_math.h>\n#include <cblas.h>\n"
                         "double x[2] = {3, 4};\ncblas_dnrm2(2, x, 1) * gsl_pow_2(2)").ok()
    assert r.text == "20.0"


def test_as_a_comment_of_other_c_kernels(fresh_kernel):
    r = fresh_kernel.run("//%pkg: fftw3\n#include <fftw3.h>\nstrncmp(fftw_version, \"fftw-3\", 6)").ok()
    assert r.text == "0"


def test_search(kernel):
    shown = kernel.run("%pkg -s fftw").ok().stdout
    assert {"fftw3", "fftw3f"} <= {line.split()[0] for line in shown.splitlines()}
    assert "pip install nvidia-cublas" in kernel.run("%pkg -s cublas").ok().stdout


def test_always_there(kernel):
    for name in ("m", "pthread", "dl"):
        assert "always there" in kernel.run(f"%pkg {name}").ok().stdout


@pytest.mark.parametrize("name, words", [
    ("cairo", "apt install libcairo2-dev"),
    ("curl", "apt install libcurl4-openssl-dev"),
    ("wonderful", "apt install libwonderful-dev"),
    ("cublas", "pip install nvidia-cublas"),
    ("cudnn", "pip install nvidia-cudnn-cu13"),
])
def test_a_missing_package_names_the_command(start_kernel, tmp_path, name, words):
    """In an environment that has none."""
    session = start_kernel(PKG_CONFIG_LIBDIR=str(tmp_path), CGPU_CUDA=str(tmp_path))
    r = session.run(f"int before = 1;\n//%pkg {name}")
    assert r.status == "error" and words in r.evalue, r.shown
    assert session.run("before").status == "error", "the cell has run all the same"
    session.close()


def fake_cuda(folder, answer):
    """A toolkit that has nothing but cuFFT."""
    (folder / "include").mkdir(parents=True)
    (folder / "lib").mkdir()
    (folder / "include" / "cufft.h").write_text("int cufftGetVersion(int *version);\n")
    build_library(folder / "lib", "cufft", f"int cufftGetVersion(int *v) {{ *v = {answer}; return 0; }}")


def test_cuda_libraries_are_looked_for_in_cuda_home_first(start_kernel, tmp_path):
    fake_cuda(tmp_path / "home", 1)
    python = tmp_path / "venv" / "lib" / "python3.11" / "site-packages" / "nvidia" / "cu13"
    fake_cuda(python, 2)
    for env, expected in (({"CUDA_HOME": str(tmp_path / "home")}, "1"),
                          ({"CUDA_HOME": "", "CUDA_PATH": "", "PATH": "/usr/bin:/bin"}, "2")):
        session = start_kernel(VIRTUAL_ENV=str(tmp_path / "venv"), **env)
        session.run("%pkg cufft\n#include <cufft.h>\nint version;\ncufftGetVersion(&version);").ok()
        assert session.run("version").ok().text == expected
        session.close()


def test_ldflags_load_a_library_of_the_user(fresh_kernel, tmp_path):
    build_library(tmp_path, "mine", "int mine(void) { return 42; }")
    shown = fresh_kernel.run(f"%ldflags -L{tmp_path} -lmine -lm").ok().stdout
    assert "-lmine" in shown
    assert fresh_kernel.run("int mine(void);\nmine()").ok().text == "42"
    assert fresh_kernel.run("*(volatile int *)0 = 1;").ename == "SegmentationFault"
    assert fresh_kernel.run("mine()").ok().text == "42"
    r = fresh_kernel.run(f"%ldflags -L{tmp_path} -lnothere")
    assert r.status == "error" and "libnothere.so" in r.evalue


def test_what_a_library_opens_by_its_bare_name_may_lie_beside_it(fresh_kernel, tmp_path):
    """As NVRTC 13.0 opens its builtins, which a wheel brings in a folder that the dynamic linker does not know."""
    build_library(tmp_path, "part", "int part(void) { return 5; }")
    build_library(tmp_path, "whole", """
#include <dlfcn.h>
#include <stddef.h>
int whole(void)
{
    void *p = dlopen("libpart.so", RTLD_NOW);

    return p ? ((int (*)(void))dlsym(p, "part"))() : -1;
}""")
    fresh_kernel.run(f"%ldflags -L{tmp_path} -lwhole").ok()
    assert fresh_kernel.run("int whole(void);\nwhole()").ok().text == "5"
    # The cell itself has no library beside which it lies.
    assert fresh_kernel.run('#include <dlfcn.h>\ndlopen("libnowhere.so", RTLD_NOW) == 0').ok().text == "1"


def test_a_linker_script_is_followed(fresh_kernel, tmp_path):
    build_library(tmp_path, "real", "int real(void) { return 7; }")
    (tmp_path / "libscript.so").write_text(f"/* GNU ld script */\nGROUP ( {tmp_path}/libreal.so AS_NEEDED ( -lm ) )\n")
    fresh_kernel.run(f"%ldflags -L{tmp_path} -lscript").ok()
    assert fresh_kernel.run("int real(void);\nreal()").ok().text == "7"


def test_a_static_library_is_told_apart(fresh_kernel, tmp_path):
    (tmp_path / "libold.a").write_bytes(b"!<arch>\n")
    r = fresh_kernel.run(f"%ldflags -L{tmp_path} -lold")
    assert r.status == "error" and "static" in r.evalue


def test_a_library_that_cannot_be_loaded(fresh_kernel, tmp_path):
    build_library(tmp_path, "lacks", "int is_nowhere(void); int lacks(void) { return is_nowhere(); }", "-Wl,-z,now")
    fresh_kernel.run("int x = 3;").ok()
    r = fresh_kernel.run(f"%ldflags -L{tmp_path} -llacks")
    assert r.status == "error" and "is_nowhere" in r.evalue
    assert fresh_kernel.run("x").ok().text == "3"


def test_a_library_that_kills_the_zygote(fresh_kernel, tmp_path):
    build_library(tmp_path, "deadly", "#include <stdlib.h>\n"
                  "__attribute__((constructor)) static void die(void) { abort(); }")
    fresh_kernel.run("%pkg fftw3\nint x = 3;").ok()
    r = fresh_kernel.run(f"%ldflags -L{tmp_path} -ldeadly")
    assert r.status == "error" and "none was loaded" in r.evalue
    assert fresh_kernel.run("#include <fftw3.h>\nx + (fftw_malloc(16) != NULL)").ok().text == "4"


def test_interrupt_of_a_library_that_never_ends_loading(fresh_kernel, tmp_path):
    reached = tmp_path / "reached"
    build_library(tmp_path, "endless", "#include <fcntl.h>\n#include <unistd.h>\n"
                  f"__attribute__((constructor)) static void spin(void) "
                  f"{{ close(open(\"{reached}\", O_CREAT | O_WRONLY, 0600)); for (;;) pause(); }}")
    cell = fresh_kernel.start(f"%ldflags -L{tmp_path} -lendless")
    assert wait_until(reached.exists)
    fresh_kernel.interrupt()
    assert cell.wait().ename == "Interrupted"
    assert fresh_kernel.run("1 + 1").ok().text == "2"


@pytest.mark.cuda
def test_state_survives_the_change_of_worker(fresh_kernel, tmp_path):
    """A library comes with a new worker: what lives in the session stays, what lived in the old process is named."""
    fresh_kernel.run(f'#include <stdio.h>\nint x = 5;\nint *block = malloc(4);\n*block = 9;\n'
                     'float *d;\ncudaMalloc(&d, 64);\n'
                     f'FILE *f = fopen("{tmp_path}/log", "w");').ok()
    fresh_kernel.run("%pkg fftw3").ok()
    r = fresh_kernel.run("x + *block").ok()
    assert r.text == "14" and "log" in r.stderr and "cell 1" in r.stderr
    fresh_kernel.run("cudaMemset(d, 0, 64);").ok()


def test_a_new_zygote_loads_the_libraries_again(fresh_kernel):
    fresh_kernel.run("%pkg fftw3\n#include <fftw3.h>\nvoid *where = (void *)fftw_execute;").ok()
    zygote = fresh_kernel.zygote_pid()
    fresh_kernel.kill(zygote)
    for _ in range(3):
        assert fresh_kernel.run("*(volatile int *)0 = 1;").ename == "SegmentationFault"
    r = fresh_kernel.run("where == (void *)fftw_execute").ok()
    assert r.text == "1" and "another" not in r.stderr
    assert fresh_kernel.zygote_pid() != zygote


def test_a_library_that_was_rebuilt_is_named_by_a_new_zygote(fresh_kernel, tmp_path):
    build_library(tmp_path, "changing", "int changing(void) { return 1; }", "-Wl,--build-id")
    fresh_kernel.run(f"%ldflags -L{tmp_path} -lchanging\nint changing(void);\nchanging()").ok()
    os.unlink(tmp_path / "libchanging.so")
    build_library(tmp_path, "changing", "int other(void) { return 5; }\nint changing(void) { return 2; }", "-Wl,--build-id")
    fresh_kernel.kill(fresh_kernel.zygote_pid())
    shown = ""
    for _ in range(3):
        r = fresh_kernel.run("*(volatile int *)0 = 1;")
        assert r.ename == "SegmentationFault"
        shown += r.shown
    r = fresh_kernel.run("changing()").ok()
    assert r.text == "2"
    assert "libchanging.so is another build" in shown + r.shown


def test_flags_of_the_compiler(fresh_kernel):
    assert fresh_kernel.run("%opt 3\n%cflags -DN=7\n__OPTIMIZE__ * N").ok().text == "7"
    fresh_kernel.run("%opt 0\n#ifdef __OPTIMIZE__\nint optimised = 1;\n#else\nint optimised = 0;\n#endif").ok()
    assert fresh_kernel.run("optimised").ok().text == "0"
    assert fresh_kernel.run("%opt off\n%std c11\n__STDC_VERSION__").ok().text == "201112"
    assert fresh_kernel.run("%std off\n__STDC_VERSION__").ok().text == "201710"
    assert fresh_kernel.run("%std").ok().stdout == "std: none\n"
    for wrong in ("%std c34", "%opt 7", "%pkg -x"):
        assert fresh_kernel.run(wrong).status == "error"


@pytest.mark.cuda
def test_flags_of_device_code(fresh_kernel):
    fresh_kernel.run("%nvflags -DVALUE=21\n__global__ void set(int *p) { *p = VALUE; }\nint *d, h;\ncudaMalloc(&d, 4);\n"
                     "set<<<1, 1>>>(d);\ncudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);").ok()
    assert fresh_kernel.run("h").ok().text == "21"


@pytest.mark.parametrize("declaration, call, package", [
    ("int cublasSgemm_v2(void);", "cublasSgemm_v2();", "cublas"),
    ("void *fftw_malloc(unsigned long);", "fftw_malloc(1);", "fftw3"),
    ("void *fftwf_malloc(unsigned long);", "fftwf_malloc(1);", "fftw3f"),
    ("double gsl_sf_bessel_J0(double);", "gsl_sf_bessel_J0(1);", "gsl"),
    ("double cblas_dnrm2(int, double *, int);", "cblas_dnrm2(0, NULL, 1);", "openblas"),
    ("int sqlite3_threadsafe(void);", "sqlite3_threadsafe();", "sqlite3"),
    ("void *png_get_io_ptr(void *);", "png_get_io_ptr(NULL);", "png"),
    ("char *curl_version(void);", "curl_version();", "curl"),
])
def test_an_undefined_name_tells_its_package(kernel, declaration, call, package):
    r = kernel.run(f"{declaration}\n{call}")
    assert r.status == "error" and f"Add `%pkg {package}`" in r.evalue, r.shown
    assert call.split("(")[0] in r.evalue


def test_undefined_names_of_two_packages(kernel):
    r = kernel.run("void *fftw_malloc(unsigned long);\ndouble gsl_sf_bessel_J0(double);\nvoid fftw_cleanup(void);\n"
                   "fftw_malloc(1); gsl_sf_bessel_J0(1); fftw_cleanup();")
    assert r.status == "error" and r.evalue.count("fftw3") == 1 and "gsl" in r.evalue.split("%pkg")[1], r.shown


def test_a_missing_header_tells_its_package(kernel):
    r = kernel.run("#include <cairo.h>")
    assert r.status == "error" and "%pkg cairo" in r.traceback and "apt install libcairo2-dev" in r.traceback


@pytest.fixture
def installed(start_kernel, tmp_path):
    """A machine on which only the package `tiny` is installed."""
    build_library(tmp_path, "tiny0", "int tiny_sum(int a, int b) { return a + b; }\nstatic int hidden_sum(void) { return 0; }")
    (tmp_path / "include" / "tiny").mkdir(parents=True)
    (tmp_path / "include" / "tiny" / "sum.h").write_text("int tiny_sum(int a, int b);\n")
    (tmp_path / "tiny.pc").write_text(f"Name: tiny\nDescription: tests\nVersion: 1\nLibs: -L{tmp_path} -ltiny0\n"
                                      f"Cflags: -I{tmp_path}/include\n")
    return start_kernel(PKG_CONFIG_LIBDIR=str(tmp_path))


def test_an_installed_library_is_named_by_what_it_defines(installed):
    hint = "libtiny0.so: add `%pkg tiny` to a cell"
    assert hint in installed.run("int tiny_sum(int a, int b);\ntiny_sum(1, 2)").traceback
    assert hint in installed.run("int tiny_sum(int a, int b);\nint later(void) { return tiny_sum(1, 2); }\nlater()").traceback
    assert "libtiny0.so has it" in installed.run("tiny_sum(1, 2)").traceback
    assert "tiny" not in installed.run("int hidden_sum(void);\nhidden_sum()").traceback
    installed.run("%pkg tiny").ok()
    assert installed.run("int tiny_sum(int a, int b);\ntiny_sum(1, 2)").ok().text == "3"


def test_an_installed_header_is_named_by_its_package(installed, tmp_path):
    assert "`%pkg tiny`, which is installed" in installed.run("#include <tiny/sum.h>").traceback
    assert "%pkg" not in installed.run("#include <tiny/other.h>").traceback
    # one that comes later
    (tmp_path / "more" / "later").mkdir(parents=True)
    (tmp_path / "more" / "later" / "x.h").write_text("")
    (tmp_path / "later.pc").write_text(f"Name: later\nDescription: tests\nVersion: 1\nCflags: -I{tmp_path}/more\n")
    assert "`%pkg later`, which is installed" in installed.run("#include <later/x.h>").traceback
    installed.run("%pkg later\n#include <later/x.h>").ok()


def test_completion_sees_the_headers_of_a_package(fresh_kernel, tmp_path):
    (tmp_path / "deep.h").write_text("struct deep { int inside_of_it; };\n")
    fresh_kernel.run(f"%cflags -I{tmp_path}\n#include <deep.h>\nstruct deep d;").ok()
    assert "inside_of_it" in str(fresh_kernel.ask("complete", "d.ins", 5)["matches"])


@pytest.mark.cuda
def test_versions_that_do_not_fit_are_told_before_the_first_cell_with_a_device(start_kernel, tmp_path):
    """Files that say what they are; cuDNN 8 has none for the CUDA of the compiler."""
    home = tmp_path / "home"
    (home / "include").mkdir(parents=True)
    (home / "lib").mkdir()
    for header in ("cublas_v2.h", "cudnn.h"):
        (home / "include" / header).touch()
    for name in ("cublas.so.13.1.0.3", "cublasLt.so.13.0.2.14", "cudnn.so.8.9.7"):
        build_library(home / "lib", name.split(".")[0], f"int nothing_of_{name.split('.')[0]};")
        (home / "lib" / f"lib{name.split('.')[0]}.so").rename(home / "lib" / f"lib{name}")
        (home / "lib" / f"lib{name.split('.')[0]}.so").symlink_to(f"lib{name}")
    session = start_kernel(CUDA_HOME=str(home))
    session.run("__global__ void one(int *p) { *p = 1; }").ok()
    session.run("%pkg cublas cudnn").ok()
    assert not session.run("int cube = 1;").ok().stderr
    told = session.run("int *p; cudaMalloc(&p, 4);").ok().stderr
    assert told.startswith("cuBLAS is of version 13.1, cuBLASLt of 13.0. Install both by one package"), told
    assert "\ncuDNN 8.9 is loaded, and there is none of that version for CUDA 13." in told
    assert "pip install nvidia-cudnn-cu13" in told
    assert not session.run("one<<<1, 1>>>(p);").ok().stderr
    shown = session.run("%doctor").ok().shown
    assert "cuBLAS, cuBLASLt" in shown and "cuDNN, CUDA" in shown
    session.close()
