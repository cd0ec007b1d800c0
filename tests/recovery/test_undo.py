# SPDX-License-Identifier: Apache-2.0
"""%undo over several cells: variables, heap, device buffers and declarations."""
import pytest


@pytest.fixture
def run(fresh_kernel):
    return fresh_kernel.run


def test_over_several_cells(run):
    run("int a = 1; int *block = malloc(4000); block[7] = 70; int twice(int x) { return 2 * x; }").ok()
    run("a = 2; block[7] = 71; int b = 5;").ok()
    run("a = 3; free(block); block = NULL; int twice(int x) { return 3 * x; }").ok()
    run("int c = 9; a++;").ok()
    shown = run("%undo 3").ok().stdout
    assert "5, 4" not in shown and "4, 3, 2" in shown, shown
    assert "a" in shown and "Gone: b, c" in shown, shown
    assert run("a").ok().text == "1"
    assert run("block[7]").ok().text == "70"
    assert run("twice(10)").ok().text == "20"
    assert run("b").ename == "CompileError"
    run("int b = 6;").ok()
    assert run("b").ok().text == "6"


def test_a_large_block_that_was_freed(run):
    run("char *big = malloc(4 << 20), *next; memset(big, 1, 4 << 20); int n;").ok()
    run("free(big);").ok()
    for _ in range(3):
        run("n++;").ok()
    run("next = malloc(4 << 20); memset(next, 2, 4 << 20);").ok()
    run("%undo 5").ok()
    assert run("big[0] + big[(4 << 20) - 1]").ok().text == "2"


def test_one_by_one_and_on_again(run):
    for i in range(6):
        run(f"int v{i} = {i}; static int last; last = {i};").ok()
    for i in (5, 4, 3):
        assert f"Gone: v{i}\n" in run("%undo").ok().stdout
    assert run("last").ok().text == "2"
    run("%undo").ok()  # the display was a cell that changed something
    run("last = 20;").ok()
    run("%undo 2").ok()
    assert run("last").ok().text == "1"


DEVICE = r"""
__device__ int on_device[4];
__global__ void add(int *p, int n, int by) { if (threadIdx.x < n) p[threadIdx.x] += by; on_device[0] += by; }
int *small, *large, *other, host[4], seen;
void show(int *p) { cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost); printf("%d %d\n", host[0], host[3]); }
"""


@pytest.mark.cuda
def test_device_buffers_over_several_cells(run):
    run(DEVICE).ok()
    run("cudaMalloc(&small, 16); cudaMalloc(&large, 4 << 20); cudaMemset(small, 0, 16); cudaMemset(large, 0, 4 << 20);"
        "add<<<1, 4>>>(small, 4, 1); add<<<1, 4>>>(large, 4, 2); cudaDeviceSynchronize();").ok()
    run("add<<<1, 4>>>(small, 4, 10); cudaDeviceSynchronize(); cudaFree(small);").ok()
    # In its place, and large goes too.
    run("cudaMalloc(&other, 16); cudaMemset(other, 0xff, 16); cudaFree(large);").ok()
    run("cudaMalloc(&large, 4 << 20); cudaMemset(large, 0xff, 4 << 20);").ok()
    assert run("*(volatile int *)0 = 1;").status == "error"
    run("%undo 3").ok()
    assert run("show(small); show(large);").ok().stdout == "1 1\n2 2\n"
    assert run("cudaMemcpyFromSymbol(&seen, on_device, 4); seen + 0").ok().text == "3"
    run("%undo 3").ok()
    assert run("small").ok().text.startswith("(int *) ") and run("small == NULL").ok().text == "1"


@pytest.mark.cuda
def test_a_small_device_buffer_whose_place_was_used_again(run):
    run(DEVICE).ok()
    run("cudaMalloc(&small, 16); cudaMemset(small, 1, 16);").ok()
    run("cudaFree(small);").ok()
    run("cudaMalloc(&other, 16); cudaMemset(other, 0xff, 16);").ok()
    assert run("other == small").ok().text == "1"
    run("%undo 3").ok()
    assert run("show(small);").ok().stdout == "16843009 16843009\n"


def test_more_than_there_is(run):
    run("int only = 1;").ok()
    refused = run("%undo 5")
    assert refused.status == "error" and "last 1 cells" in refused.evalue and "256" in refused.evalue, refused.shown
    assert run("only").ok().text == "1"
    assert run("%undo x").status == "error"


def test_what_was_too_much_is_not_kept(start_kernel):
    kernel = start_kernel(CGPU_UNDO="8M")
    run = kernel.run
    run("char *big = malloc(32 << 20); memset(big, 1, 32 << 20); int after = 0;").ok()
    run("after = 1;").ok()
    run("memset(big, 2, 32 << 20);").ok()
    refused = run("%undo")
    assert refused.status == "error" and "8 MB" in refused.evalue and "--undo" in refused.evalue, refused.shown
    run("after = 2;").ok()
    run("free(big);").ok()
    assert run("%undo").status == "error"
    run("after = 3;").ok()
    run("%undo").ok()
    assert run("after").ok().text == "2"
    kernel.close()


def test_magics_and_code_in_one_cell(run):
    run("int a = 1;").ok()
    run("a = 2;").ok()
    run("%undo\na += 10;").ok()
    run("%undo").ok()
    assert run("a").ok().text == "1"


def test_pages_that_are_freed_again_and_again_count_once(fresh_kernel):
    run = fresh_kernel.run
    run("char *big = malloc(8 << 20); memset(big, 1, 8 << 20); int n = 1;").ok()
    run("free(big); n = 2;\nfor (int i = 0; i < 5000; i++) { char *volatile p = malloc(100000); p[0] = 1; free(p); }").ok()
    assert "Taken back" in run("%undo").ok().shown
    assert run("n + big[5]").ok().text == "2"


WHOLE = "int a = 1, *heap = malloc(40000), *device; cudaMalloc(&device, 4096); heap[9000] = 2; cudaMemset(device, 3, 4096);\n" \
        "__device__ int counter = 5;\n#define FIVE 5\ntypedef struct { int q; } pair;\nint f(void) { return FIVE; }"
SEEN = """int host[1024], c; cudaMemcpy(host, device, 4096, cudaMemcpyDeviceToHost);
cudaMemcpyFromSymbol(&c, counter, sizeof(c));
printf("%d %d %x %d %d %zu\\n", a, heap[9000], host[1000], c, f(), sizeof(pair));"""


@pytest.mark.cuda
def test_over_a_reset(run):
    run(WHOLE).ok()
    before = run(SEEN).ok().stdout
    assert "%undo brings it back" in run("%reset").ok().stdout
    assert run("a").ename == "CompileError"
    run("int a = 77, other = 4;").ok()
    taken = run("%undo 2").ok().stdout
    assert "Gone: other" in taken and "Back again:" in taken and "device" in taken, taken
    assert run(SEEN).ok().stdout == before
    assert run("other").ename == "CompileError"
    # Reset, used, reset again, and all of that taken back in steps.
    run("%reset").ok()
    run("int second = 2;").ok()
    run("%reset").ok()
    run("%undo").ok()
    assert run("second").ok().text == "2"
    run("%undo 3").ok()  # what was displayed, the cell, the first reset
    assert run(SEEN).ok().stdout == before


def test_over_a_reset_of_what_is_too_much(start_kernel):
    kernel = start_kernel(CGPU_UNDO="1M")
    kernel.run("int a = 1; char *block = malloc(4 << 20); memset(block, 1, 4 << 20);").ok()
    assert "too large for %undo" in kernel.run("%reset").ok().stdout
    assert "no cell that can be taken back" in kernel.run("%undo").evalue
    kernel.run("int a = 2;").ok()
    kernel.run("%undo").ok()
    assert kernel.run("a").ename == "CompileError"
    kernel.close()


@pytest.mark.cuda
def test_over_a_loaded_snapshot_device_writes_and_a_recovery(start_kernel, tmp_path):
    """Forwards: cells, a fault, a load, cells, a dead worker; and back one by one, with the same picture at each step."""
    kernel = start_kernel(cwd=tmp_path, HOME=str(tmp_path), CGPU_AUTOSAVE="0")
    run = kernel.run
    run(WHOLE).ok()
    run("void look(void) { " + SEEN.replace("int host[1024], c;", "static int host[1024]; int c;") + " }\n"
        "__global__ void put(int v) { counter = v; }").ok()
    run("look();").ok()
    run("%snapshot save one").ok()
    pictures = []

    def step(code):
        pictures.append(run("look();").ok().stdout)
        run(code).ok()

    step("a = 2; put<<<1, 1>>>(6); cudaMemset(device, 4, 4096);")
    assert run("a = 50; cudaMemset(device, 50, 4096); cudaDeviceSynchronize(); abort();").ename == "Aborted"
    step("heap[9000] = 3; put<<<1, 1>>>(7); cudaDeviceSynchronize();")
    step("%snapshot load one")
    step("a = 4; put<<<1, 1>>>(8); cudaMemset(device, 5, 2048);")
    kernel.kill(kernel.worker_pid())
    step("cudaFree(device); cudaMalloc(&device, 1 << 20); cudaMemset(device, 9, 1 << 20);")
    assert len(set(pictures)) == 4 and pictures[3] == pictures[0]
    for i, picture in reversed(list(enumerate(pictures))):
        run("%undo").ok()
        assert run("look();").ok().stdout == picture, i
        run("%undo 2" if i < 4 else "%undo 3").ok()  # what looked, then and before; in front of the last the worker was asked for
    kernel.close()
