# SPDX-License-Identifier: Apache-2.0
"""cgpu_checkpoint(): what a long cell has done so far is committed."""
import pytest


@pytest.fixture
def run(fresh_kernel):
    return fresh_kernel.run


def test_a_fault_rolls_back_to_the_checkpoint(run):
    run("int n = 0, *block = calloc(100000, 4);").ok()
    failed = run("""for (int i = 0; i < 10; i++) {
    n++;
    block[i * 1000] = n;
    if (i == 6)
        cgpu_checkpoint();
}
int made_here = n;
free(block);
*(volatile int *)0 = 1;""")
    assert failed.ename == "SegmentationFault"
    assert "rolled back to its checkpoint in line 5" in failed.traceback, failed.traceback
    assert run("n").ok().text == "7"
    assert run("block[6000] * 100 + block[7000]").ok().text == "700"
    # What the cell declares exists, with the value of then.
    assert run("made_here").ok().text == "0"
    run("%undo 4").ok()  # three displays and the cell, as a whole
    assert run("n").ok().text == "0"
    assert run("made_here").ename == "CompileError"


def test_many_checkpoints_and_the_end(run):
    run("long sum; int rounds; char *text;").ok()
    run("""for (int i = 0; i < 50; i++) {
    text = realloc(text, 1000 * (i + 1));
    memset(text + 1000 * i, 'a' + i % 26, 1000);
    sum += i;
    if (cgpu_checkpoint())
        printf("refused");
    rounds++;
}""").ok()
    assert run("sum").ok().text == "1225" and run("rounds").ok().text == "50"
    assert run("text[49999]").ok().text.startswith("'x'")
    run("%undo 4").ok()
    assert run("sum").ok().text == "0"


def test_large_checkpoint(run):
    run("char *big = malloc(64 << 20); memset(big, 1, 64 << 20);").ok()
    failed = run("""memset(big, 2, 64 << 20);
cgpu_checkpoint();
memset(big, 3, 64 << 20);
abort();""")
    assert failed.ename == "Aborted" and "line 2" in failed.traceback, failed.traceback
    assert run("big[(64 << 20) - 1] + big[0]").ok().text == "4"


@pytest.mark.cuda
def test_device_memory(run):
    run("""__global__ void add(int *p, int by) { p[threadIdx.x] += by; }
int *p, *small, host[4];""").ok()
    run("cudaMalloc(&p, 1 << 20); cudaMemset(p, 0, 1 << 20); cudaMalloc(&small, 16); cudaMemset(small, 0, 16);").ok()
    failed = run("""add<<<1, 4>>>(p, 1);
add<<<1, 4>>>(small, 5);
cgpu_checkpoint();
add<<<1, 4>>>(p, 10);
cudaFree(small);
cudaDeviceSynchronize();
cgpu_checkpoint();
add<<<1, 4>>>(p, 100);
add<<<1, 4>>>(NULL, 1);
cudaDeviceSynchronize();""")
    assert failed.ename == "CudaIllegalAddress" and "checkpoint in line 7" in failed.traceback, failed.traceback
    show = "cudaMemcpy(host, {}, 16, cudaMemcpyDeviceToHost); host[3]"
    assert run(show.format("p")).ok().text == "11"
    run("%undo 2").ok()
    assert run(show.format("p")).ok().text == "0"
    assert run(show.format("small")).ok().text == "0"


def test_only_in_the_cells_own_thread(run):
    result = run("""#include <pthread.h>
void *from_thread(void *p) { return (void *)(long)(cgpu_checkpoint() ? errno : 0); }
pthread_t t;
void *why;
pthread_create(&t, NULL, from_thread, NULL);
pthread_join(t, &why);
printf("%s %d\\n", strerrorname_np((long)why), cgpu_checkpoint());""").ok()
    assert result.stdout == "EPERM 0\n"


def test_interrupt_after_a_checkpoint(fresh_kernel):
    fresh_kernel.run("volatile int n;").ok()
    cell = fresh_kernel.start("""n = 1;
cgpu_checkpoint();
n = 2;
printf("now\\n");
for (;;)
    n |= 4;""")
    cell.wait_output("now")
    fresh_kernel.interrupt()
    assert cell.wait().ename == "Interrupted"
    fresh_kernel.run("%redo").ok()
    assert fresh_kernel.run("n").ok().text == "6"
    fresh_kernel.run("%undo 2").ok()
    assert fresh_kernel.run("n").ok().text == "1"
    fresh_kernel.run("%undo 2").ok()
    assert fresh_kernel.run("n").ok().text == "0"


def test_redefinition_after_a_checkpoint(run):
    """The names of a cell that fails after its checkpoint are used, replaced and run again as any others."""
    assert run("int f(void) { return 1; }\ncgpu_checkpoint();\nabort();").ename == "Aborted"
    assert run("f()").ok().text == "1"
    run("int f(void) { return 2; }").ok()
    assert run("f()").ok().text == "2"


def test_in_nested_functions_and_how_many_there_were(run):
    run("int a, *heap = calloc(1000, 4);\n"
        "void deep(int n) { if (n) { deep(n - 1); return; } a++; heap[a] = a;\n cgpu_checkpoint(); }").ok()
    failed = run("deep(20);\na = 100;\n*(volatile int *)0 = 1;")
    assert failed.ename == "SegmentationFault" and "rolled back to its checkpoint in line 1:" in failed.traceback, failed.shown
    assert run("a * 1000 + heap[1]").ok().text == "1001"
    failed = run("for (int i = 0; i < 7; i++) deep(i);\nheap[8] = 0;\nabort();")
    assert "its checkpoint in line 1, the last of 7: what it did up to there is kept" in failed.traceback, failed.shown
    assert run("a * 1000 + heap[8]").ok().text == "8008"


def test_in_a_cpp_cell(run):
    run("""%%cpp
#include <vector>
std::vector<int> *list = new std::vector<int>;
extern "C" void fill(int n) {
    for (int i = 0; i < n; i++) {
        list->push_back(i);
        if (i % 10 == 9) cgpu_checkpoint();
    }
    list->clear();
    throw 5;
}
extern "C" int size(void) { return (int)list->size(); }""").ok()
    failed = run("fill(34);")
    assert failed.status == "error" and "the last of 3" in failed.traceback, failed.shown
    assert run("size()").ok().text == "30"


def test_a_thousand_cost_what_they_write(run):
    """The large block is committed memory that no checkpoint touches: with it, a thousand take no more than without."""
    run("#include <sys/resource.h>\nint n, *block, marks[1024 * 1000];").ok()
    loop = "for (int i = 0; i < 1000; i++) { marks[i * 1024] = i; n = i; if (cgpu_checkpoint()) break; }"
    run(loop + "\nmarks[0] = 5;").ok()
    run("block = malloc(256 << 20); memset(block, 1, 256 << 20);").ok()
    failed = run(loop + "\nn = -1; block[7] = 7;\nabort();")
    assert "the last of 1000" in failed.traceback, failed.shown
    assert run("n * 10 + (block[7] == 0x01010101) + marks[999 * 1024]").ok().text == str(9990 + 1 + 999)
