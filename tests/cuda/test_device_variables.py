# SPDX-License-Identifier: Apache-2.0
"""Variables of the device in host code: the host has a stand-in without a value, whose address names them."""
import pytest

pytestmark = pytest.mark.cuda

DEFINITIONS = """struct pair { int a; float b; };
__device__ float v[4] = {1, 2, 3, 4};
__device__ int count = 7;
__constant__ int limit = 9;
__device__ struct pair both = {1, 2.5};
__managed__ int shared = 4;
__global__ void change(void) { count = 8; v[1] = 20; both.a = 5; }"""


@pytest.fixture(scope="module")
def session(start_kernel):
    session = start_kernel()
    session.run(DEFINITIONS).ok()
    return session


def test_a_displayed_one_shows_what_the_device_has(session):
    shown = {"v": "{1.0, 2.0, 3.0, 4.0}", "v[2]": "3.0", "count": "7", "limit": "9", "both": "{.a = 1, .b = 2.5}",
             "both.b": "2.5"}
    for expression, value in shown.items():
        assert session.run(expression).ok().text == value, expression
    session.run("change<<<1, 1>>>();").ok()
    assert session.run("count").ok().text == "8"
    assert session.run("v").ok().text == "{1.0, 20.0, 3.0, 4.0}"
    assert session.run("change<<<1, 1>>>(); both").ok().text == "{.a = 5, .b = 2.5}"


WRITES = ["count = 5;", "count++;", "v[2] += 1;", "both.a = 3;", "count = 5"]
READS = ["int h = count + 1;", "count + 1", "int *p = malloc(limit);", "float x = v[1];", "struct pair q = both;"]


@pytest.mark.parametrize("cell", WRITES + READS)
def test_a_use_by_name_is_an_error_that_says_how_to_copy(session, cell):
    result = session.run(cell)
    assert result.errors == 1 and "is a variable of the device" in result.shown, result.shown
    assert ("cudaMemcpyToSymbol(" if cell in WRITES else "cudaMemcpyFromSymbol(&x, ") in result.shown, result.shown


def test_what_the_runtime_api_wants_of_a_name_is_no_use(session):
    session.run("int x = 12; cudaMemcpyToSymbol(count, &x, sizeof count); x = 0;").ok()
    result = session.run("cudaMemcpyFromSymbol(&x, count, sizeof(count)); x")
    assert result.ok().text == "12" and not result.stderr
    assert session.run("void *p; cudaGetSymbolAddress(&p, v); cudaMemset(p, 0, sizeof v); v").ok().text.startswith("{0.0")
    assert session.run("shared = 6; shared + 1").ok().text == "7"


def test_a_function_of_the_host_has_no_use_of_it_and_one_of_both_may(session):
    result = session.run("int next(void) { return count + 1; }")
    assert result.errors == 1 and "'count' is a variable of the device" in result.shown, result.shown
    result = session.run("__host__ __device__ int after(void) { return count + 1; }\n#define HD __host__ __device__\n"
                         "HD inline int later(int n) { return count + n; }")
    assert result.ok() and not result.stderr
    session.run("__managed__ int seen; __global__ void see(void) { seen = after() + later(1) - 2 * count; }").ok()
    assert session.run("see<<<1, 1>>>(); cudaDeviceSynchronize(); seen").ok().text == "2"


USED = ["if (cudaMalloc(&p, 64 << 20)) handled = 1;", "cudaError_t e = cudaMalloc(&p, 64 << 20); handled = e == 2;",
        "handled = cudaMalloc(&p, 64 << 20) != cudaSuccess;", "CHECK(cudaMalloc(&p, 64 << 20));",
        "while (cudaMalloc(&p, 64 << 20) && !handled) handled = 1;", "handled = tries();"]


@pytest.fixture(scope="module")
def capped(start_kernel):
    session = start_kernel()
    session.run("#define CHECK(x) do { cudaError_t e = (x); if (e) { handled = 1; } } while (0)\nint handled; void *p;")
    session.run("int tries(void) { return cudaMalloc(&p, 64 << 20) == cudaErrorMemoryAllocation; }").ok()
    session.run("%limit gpu 32M").ok()
    return session


@pytest.mark.parametrize("cell", USED)
def test_a_refusal_that_the_code_deals_with_is_error_2(capped, cell):
    result = capped.run("handled = 0;\n" + cell + "\nhandled").ok()
    assert result.text == "1" and not result.stderr, result.shown


@pytest.mark.parametrize("cell", ["cudaMalloc(&p, 64 << 20);", "(void)cudaMalloc(&p, 64 << 20);",
                                  "if (!handled) cudaMalloc(&p, 64 << 20);",
                                  "for (int i = 0; i < 2; cudaMalloc(&p, 64 << 20)) i++;",
                                  "cudaMalloc(&p, 64 << 20); if (cudaMalloc(&p, 65 << 20)) handled = 1;"])
def test_one_that_nobody_looks_at_ends_the_cell(capped, cell):
    result = capped.run("handled = 0;\n" + cell)
    assert result.ename == "CudaOutOfMemory" and "%limit gpu SIZE" in result.shown, result.shown


def test_other_errors_that_the_code_deals_with_are_not_told(capped):
    assert not capped.run("if (cudaMemcpy(p, p, 5, 77)) handled = 2;").ok().stderr
    assert "nobody looked at it" in capped.run("cudaMemcpy(p, p, 5, 77);").ok().stderr
    result = capped.run("cudaMemcpy(p, p, 5, 77);\nif (cudaMemcpy(p, p, 5, 78)) handled = 2;").ok()
    assert result.stderr.count("nobody looked at it") == 1 and "line 1" in result.stderr, result.shown
