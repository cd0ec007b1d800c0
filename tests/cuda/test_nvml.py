# SPDX-License-Identifier: Apache-2.0
"""NVML in cells and in what they start: it shows the session's limit, as cudaMemGetInfo() does."""
import subprocess

import pytest

HEADER = """
typedef struct nvmlDevice_st *nvmlDevice_t;
typedef struct { unsigned long long total, free, used; } nvmlMemory_t;
typedef struct {
    unsigned pid; unsigned long long usedGpuMemory; unsigned gpuInstanceId, computeInstanceId;
} nvmlProcessInfo_t;
typedef struct { unsigned gpu, memory; } nvmlUtilization_t;
int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetCount_v2(unsigned *n);
int nvmlDeviceGetHandleByIndex_v2(unsigned i, nvmlDevice_t *d);
int nvmlDeviceGetMemoryInfo(nvmlDevice_t d, nvmlMemory_t *m);
int nvmlDeviceGetName(nvmlDevice_t d, char *name, unsigned n);
int nvmlDeviceGetUtilizationRates(nvmlDevice_t d, nvmlUtilization_t *u);
int nvmlDeviceGetTemperature(nvmlDevice_t d, int sensor, unsigned *t);
int nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t d, unsigned *n, nvmlProcessInfo_t *p);
const char *nvmlErrorString(int result);
"""

LIBRARY = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
static void *library;
#define CALL(name, ...) ((int (*)())dlsym(library, #name))(__VA_ARGS__)
/* As nvidia-ml-py does it. */
int total_mib(const char *path)
{
    unsigned long long m[3];
    void *d;

    library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        return -1;
    return CALL(nvmlInit_v2) || CALL(nvmlDeviceGetHandleByIndex_v2, 0, &d) || CALL(nvmlDeviceGetMemoryInfo, d, m) ||
           CALL(nvmlShutdown) ? -2 : (int)(m[0] >> 20);
}
int in_a_space_of_its_own(void) { return dlmopen(LM_ID_NEWLM, "libnvidia-ml.so.1", RTLD_NOW) != NULL; }
"""


@pytest.fixture
def session(start_kernel, tmp_path):
    """A toolkit that has nothing but the header of NVML."""
    (tmp_path / "home" / "include").mkdir(parents=True)
    (tmp_path / "home" / "include" / "nvml.h").write_text(HEADER)
    (tmp_path / "asker.c").write_text(LIBRARY)
    subprocess.run(["gcc", "-shared", "-fPIC", "-w", "-o", tmp_path / "libasker.so", tmp_path / "asker.c"], check=True)
    session = start_kernel(CUDA_HOME=str(tmp_path / "home"), CGPU_EMULATED_MEMORY="512M")
    session.run(f"%pkg nvml\n%ldflags -L{tmp_path} -lasker -lnvidia-ml\n#include <nvml.h>\n"
                "#include <stdio.h>\n#include <unistd.h>\n"
                "int total_mib(const char *), in_a_space_of_its_own(void);\nnvmlDevice_t d; nvmlMemory_t m;\n"
                "#define MIB ((size_t)1 << 20)\n").ok()
    yield session
    session.close()


SHOW = 'nvmlDeviceGetMemoryInfo(d, &m) ? "failed" : (printf("%llu %llu %llu", m.total / MIB, m.used / MIB, m.free / MIB), "")'
FAULT = "*(volatile int *)0 = 1;"


def shown(session):
    return session.run(SHOW).ok().stdout


def test_a_limit_is_what_nvml_shows(session):
    assert session.run("nvmlErrorString(nvmlDeviceGetMemoryInfo(d, &m))").ok().text.startswith('"Uninitialized')
    session.run("nvmlInit_v2(); nvmlDeviceGetHandleByIndex_v2(0, &d);").ok()
    assert shown(session) == "512 0 512"
    session.run("%limit gpu 128MiB").ok()
    assert shown(session) == "128 0 128"
    session.run("int *p; cudaMalloc(&p, 32 * MIB);").ok()
    assert shown(session) == "128 32 96"
    session.run("size_t f, t; cudaMemGetInfo(&f, &t); nvmlDeviceGetMemoryInfo(d, &m);").ok()
    assert session.run("f == m.free && t == m.total").ok().text == "1"
    # Whoever opens it, by whatever name.
    for path in ("libnvidia-ml.so.1", "libnvidia-ml.so", "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.580.95.05"):
        assert session.run(f'total_mib("{path}")').ok().text == "128", path
    assert session.run("in_a_space_of_its_own()").ok().text == "0"

    # After a fault the session goes on, NVML too.
    assert session.run("cudaMalloc(&p, MIB); nvmlShutdown(); " + FAULT).status == "error"
    assert shown(session) == "128 32 96"
    session.run("cudaFree(p);").ok()
    assert shown(session) == "128 0 128"


def test_processes_and_what_is_not_measured(session):
    session.run("nvmlInit_v2(); nvmlDeviceGetHandleByIndex_v2(0, &d); nvmlProcessInfo_t who[4]; unsigned n = 4, celsius;").ok()
    session.run("int *p; cudaMalloc(&p, 8 * MIB); nvmlDeviceGetComputeRunningProcesses_v3(d, &n, who);").ok()
    assert session.run("n == 1 && who[0].pid == getpid() && who[0].usedGpuMemory == 8 * MIB").ok().text == "1"
    assert session.run("nvmlErrorString(nvmlDeviceGetTemperature(d, 0, &celsius))").ok().text == '"Not supported"'


def test_utilisation_follows_launches(session):
    session.run("__global__ void spin(volatile int *p, int n) { for (int i = 0; i < n; i++) *p += i; }\n"
                "int *q; cudaMalloc(&q, 4); nvmlUtilization_t u;\n"
                "nvmlInit_v2(); nvmlDeviceGetHandleByIndex_v2(0, &d); nvmlDeviceGetUtilizationRates(d, &u);").ok()
    assert session.run("u.gpu").ok().text == "0"
    # For longer than one sample lasts: at the end of it the device was busy nearly all the time.
    session.run("#include <time.h>\nstruct timespec t0, t1; double s = 0; clock_gettime(CLOCK_MONOTONIC, &t0);\n"
                "while (s < 0.5) { spin<<<1, 1>>>(q, 100000); cudaDeviceSynchronize(); clock_gettime(CLOCK_MONOTONIC, &t1);\n"
                "  s = t1.tv_sec - t0.tv_sec + (t1.tv_nsec - t0.tv_nsec) * 1e-9; }\nnvmlDeviceGetUtilizationRates(d, &u);").ok()
    assert int(session.run("u.gpu").ok().text) > 0


def test_a_forked_child_sees_the_same(session):
    session.run("%limit gpu 128MiB").ok()
    session.run("int *p; cudaMalloc(&p, 32 * MIB);").ok()
    r = session.run("#include <sys/wait.h>\nint status;\n"
                    "if (!fork()) { nvmlInit_v2(); nvmlDeviceGetHandleByIndex_v2(0, &d);\n"
                    "nvmlDeviceGetMemoryInfo(d, &m); _exit(m.total == 128 * MIB && m.used == 32 * MIB ? 7 : 1); }\n"
                    "wait(&status); WEXITSTATUS(status)").ok()
    assert r.text == "7"
