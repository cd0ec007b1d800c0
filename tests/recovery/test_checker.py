# SPDX-License-Identifier: Apache-2.0
"""%%memcheck and %%racecheck of a cell that faults on a GPU: it runs once more on the emulated device, which says where.

The GPU is played (start_on_gpu in conftest.py), and made to fail by gpu_fails(), as hardware does: with a number alone."""
import re

import pytest

from device_report import report_of

pytestmark = pytest.mark.cuda

CUDA_FAULTS = {700: "CudaIllegalAddress", 710: "CudaAssert", 715: "CudaIllegalInstruction", 716: "CudaMisalignedAddress",
               718: "CudaInvalidPc", 719: "CudaLaunchFailure"}

GPU_FAILS = r"""#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "{root}/common/cuda/emulator-extension.h"
int on_gpu(void)
{{
    char line[512];
    int found = 0;
    FILE *f = fopen("/proc/self/maps", "r");

    while (fgets(line, sizeof(line), f))
        found |= strstr(line, "played-gpu") != NULL;
    fclose(f);
    return found;
}}
void gpu_fails(const char *spec)
{{
    void *driver = dlopen("libcgpu-emulator.so", RTLD_LAZY | RTLD_NOLOAD);
    emulator_extension_fn extension = dlsym(driver, EMULATOR_EXTENSION_SYMBOL);

    if (on_gpu() && extension(EMULATOR_EXTENSION_VERSION)->inject(spec))
        abort();
    dlclose(driver);
}}"""

INPUTS = """
__device__ int offset[16];
int *index_of, *managed;
float *target;
cudaMalloc(&target, 4000);
cudaMalloc(&index_of, 64);
cudaMallocManaged(&managed, 64);
int table[16];
for (int i = 0; i < 16; i++) { table[i] = 7 * i; managed[i] = 0; }
cudaMemcpy(index_of, table, sizeof(table), cudaMemcpyHostToDevice);
table[5] = 900;
cudaMemcpyToSymbol(offset, table, sizeof(table));
"""
SCATTER = """__global__ void scatter(float *out, const int *index, const int *more)
{
    int i = threadIdx.x;
    out[index[i] + offset[i] + more[i]] = 1;
}"""

ADVICE = "Which thread and line it was this device does not say. Run the cell again with `%%memcheck` as its first line"
WHERE = "with the variables and the device memory that the session has on cgpu emulated device."


@pytest.fixture(scope="module")
def gpu_states():
    return []


@pytest.fixture
def state(gpu_states, start_on_gpu, make_state, root):
    """A session with state worth losing on a GPU; a fresh one after a test that failed."""
    if not gpu_states:
        session = start_on_gpu()
        for cell in (GPU_FAILS.format(root=root), INPUTS, SCATTER):
            session.run(cell).ok()
        gpu_states.append(make_state(session))
    state = gpu_states.pop()
    state.sound = False
    yield state
    if state.sound:
        gpu_states.append(state)


REPORT = """\
========= Invalid __global__ write of size 4 bytes
=========     at scatter(float *, const int *, const int *)+0x# in In[#]:4
=========         4 | out[index[i] + offset[i] + more[i]] = 1;
=========     by thread (5,0,0) in block (0,0,0)
=========     Address 0x# is out of bounds
=========     and is 145 bytes after the nearest allocation `target` at 0x# of size 4,000 bytes (cell #)
=========     The address is %rd# + 4 * %r#
=========         %rd# = 0x#: parameter 1
=========         %r# = 1036: %r# + %r# + %r#
"""


def test_the_report_of_a_fault_that_a_gpu_only_numbers(state, spoil):
    """Inputs are what earlier cells left in buffers, in __device__ variables and in managed memory, and what the cell writes."""
    cell = spoil + 'for (int i = 0; i < 16; i++) managed[i] = 101;\ngpu_fails("launch=700");\n' \
        "scatter<<<1, 16>>>(target, index_of, managed);\ncudaDeviceSynchronize();"
    plain = state.session.run(cell)
    assert plain.ename == "CudaIllegalAddress" and ADVICE in plain.traceback, plain.shown
    assert "=========" not in plain.shown and "scatter" not in plain.traceback, plain.shown
    checked = state.session.run("%%memcheck\n" + cell)
    assert checked.ename == "CudaIllegalAddress" and checked.errors == 1, checked.shown
    assert ", in the CUDA kernel scatter, line 4 of In[" in checked.evalue, checked.shown
    assert report_of(checked) == REPORT
    assert "The cell ran on the emulated device, " + WHERE + " Nothing of this run is kept." in checked.traceback, checked.shown
    assert ADVICE not in checked.traceback
    state.assert_untouched()
    assert state.session.run("managed[3]").ok().text == "0"


@pytest.mark.parametrize("code", CUDA_FAULTS)
def test_each_fault_of_device_code_advises_it(state, code):
    result = state.session.run(f'gpu_fails("launch={code}"); fill<<<1, 32>>>(device, 32);')
    assert result.ename == CUDA_FAULTS[code] and ADVICE in result.traceback, result.shown
    state.assert_untouched()


def test_a_device_that_has_failed_and_the_emulated_one_do_not_advise_it(state, start_kernel):
    result = state.session.run('gpu_fails("launch=214"); fill<<<1, 32>>>(device, 32);')
    assert result.status == "error" and "%%memcheck" not in result.traceback, result.shown
    emulated = start_kernel()
    result = emulated.run("__global__ void k(int *p) { *p = 1; }\nk<<<1, 1>>>((int *)64);")
    assert result.ename == "CudaIllegalAddress" and "%%memcheck" not in result.traceback, result.shown
    state.assert_untouched()


def test_nothing_found_is_said(state, spoil):
    cell = spoil + 'gpu_fails("launch=700");\nscatter<<<1, 5>>>(target, index_of, managed); puts(on_gpu() ? "gpu" : "emulated");'
    assert state.session.run(cell).ename == "CudaIllegalAddress"
    clean = state.session.run("%%memcheck\n" + cell).ok()
    assert clean.stdout == "emulated\n"
    first, unchecked, rest = clean.stderr.split("\n", 2)
    assert first == ("memcheck: no bad access to memory. Nothing of a checked cell is kept: it ran in a worker that was "
                     "thrown away.")
    assert re.fullmatch(r"Not checked: functions of In\[\d+\] \(C\+\+, or they do not compile again by themselves\)\.",
                        unchecked)
    assert rest == (
        f"No launch faulted on the emulated device, where the cell ran {WHERE}\n"
        "What faults on cgpu emulated device alone depends on the order of its threads (%%racecheck looks for that) or on its "
        "properties, or is in code of a library.\n")
    state.assert_untouched()


RACE = """__global__ void reverse(int *d)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = d[threadIdx.x];
    %s
    d[threadIdx.x] = tile[63 - threadIdx.x];
}
int *numbers_of; cudaMalloc(&numbers_of, 256); cudaMemset(numbers_of, 1, 256); numbers[0] = 5;
gpu_fails("launch=719"); reverse<<<1, 64>>>(numbers_of);"""


def test_racecheck_says_where_threads_race(state):
    racing, clean = "%%racecheck\n" + RACE % "", "%%racecheck\n" + RACE % "__syncthreads();"
    found = state.session.run(racing).ok()
    assert "Race reported between Write access at reverse(int *)" in found.stderr, found.shown
    assert "on 4 bytes at __shared__ `tile` + 0x80" in found.stderr, found.shown
    assert "RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)" in found.stderr, found.shown
    assert f"No launch faulted on the emulated device, where the cell ran {WHERE} Nothing of this run is kept." in found.stderr
    result = state.session.run(clean).ok()
    assert "Race reported" not in result.stderr and "RACECHECK SUMMARY: 0 hazards" in result.stderr, result.shown
    assert state.session.run("numbers[0]").ok().text == "0"
    assert state.session.run("numbers_of").ename == "CompileError"
    state.assert_untouched()


OTHER_ENDS = {  # cell: error, words
    "numbers[3] = 1; *(volatile int *)8 = 1;": ("SegmentationFault", [WHERE]),
    "numbers[3] = 1; raise(9);": ("WorkerKilled", []),
    "heap[1] = 2; exit(3);": ("CellExited", [WHERE]),
    "char *small = malloc(8);\nsmall[8] = 1; fill<<<1, 32>>>(device, 32);": ("MemcheckError", ["heap-buffer-overflow", WHERE]),
}


@pytest.mark.parametrize("cell", OTHER_ENDS)
def test_other_ends_leave_everything_as_it_was(state, spoil, cell):
    ename, words = OTHER_ENDS[cell]
    result = state.session.run("%%memcheck\n#include <signal.h>\n" + spoil + cell)
    assert result.ename == ename and result.errors == 1, result.shown
    assert all(word in result.traceback for word in words), result.shown
    state.assert_untouched()


@pytest.mark.parametrize("magic", ["%%memcheck", "%%racecheck"])
@pytest.mark.parametrize("loop", ["for (;;) numbers[3]++;", "spin<<<1, 1>>>(device); cudaDeviceSynchronize();"])
def test_an_interrupt_keeps_nothing(state, spoil, magic, loop):
    cell = state.session.start(f"{magic}\n__global__ void spin(float *p) {{ for (;;) p[0] += 1; }}\n{spoil}"
                               f'puts("on"); fflush(stdout);\n{loop}')
    cell.wait_output("on")
    state.session.interrupt()
    result = cell.wait()
    assert result.ename == "Interrupted" and "rolled back" in result.traceback, result.shown
    state.assert_untouched()


@pytest.mark.parametrize("magic", ["%%memcheck", "%%racecheck", "%%memcheck\n%%nosnapshot", "%%racecheck\n%%nosnapshot"])
def test_neither_a_checkpoint_nor_writing_in_place_keeps_anything(state, spoil, magic):
    """The heap of the session is 1 MB, so %%nosnapshot would write it in place."""
    state.session.run(magic + "\n" + spoil + "heap[7] = -1; if (cgpu_checkpoint()) abort(); heap[8] = -1;").ok()
    state.assert_untouched()


def test_without_a_copy_for_rollbacks_nothing_is_kept_either(state, spoil):
    state.session.run("%gpu rollback off").ok()
    for magic in ("%%memcheck", "%%racecheck"):
        state.session.run(magic + "\n" + spoil).ok()
        state.assert_untouched()
    state.session.run("%gpu rollback full").ok()


def test_what_belongs_to_a_process_is_named(state):
    state.session.run('FILE *notes = fopen("notes.txt", "w");').ok()
    said = r"Not there in this run, since it belongs to a process: open file notes\.txt of In\[\d+\]\."
    result = state.session.run("%%memcheck\nint fine = 1;").ok()
    assert re.search(said, result.stderr), result.shown
    state.session.run('notes = fopen("notes.txt", "w");').ok()
    result = state.session.run("%%memcheck\n*(volatile int *)8 = 1;")
    assert re.search(said, result.traceback), result.shown


LARGE = """
size_t words = 5 << 20; /* 20 MB: more than one piece */
unsigned *large, *small; float *unused; cudaArray_t image; cudaTextureObject_t texture;
__constant__ unsigned key[4];
__global__ void sow(unsigned *p, size_t n)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        p[i] = (unsigned)(i * 2654435761u) ^ (unsigned)(i >> 7);
}
__global__ void reap(const unsigned *p, size_t n, cudaTextureObject_t t, unsigned long long *sum)
{
    unsigned long long mine = 0;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += p[i] * (unsigned long long)(i + key[i % 4]);
    if (!threadIdx.x && !blockIdx.x)
        mine += (unsigned)tex2D<float>(t, 2.5f, 1.5f);
    atomicAdd(sum, mine);
}
cudaMalloc(&large, words * 4); cudaMalloc(&unused, 3 << 20); cudaMalloc(&small, 1000);
unsigned keys[4] = { 3, 1, 4, 1 }; cudaMemcpyToSymbol(key, keys, sizeof(keys));
struct cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
cudaMallocArray(&image, &format, 4, 4, 0);
float pixels[16]; for (int i = 0; i < 16; i++) pixels[i] = 100 * i;
cudaMemcpy2DToArray(image, 0, 0, pixels, 16, 16, 4, cudaMemcpyHostToDevice);
struct cudaResourceDesc resource = { .resType = cudaResourceTypeArray }; resource.res.array.array = image;
struct cudaTextureDesc how = { .readMode = cudaReadModeElementType };
cudaCreateTextureObject(&texture, &resource, &how, NULL);
cudaStream_t stream; cudaStreamCreate(&stream);
sow<<<64, 256, 0, stream>>>(large, words);
sow<<<1, 32, 0, stream>>>(small, 250);
"""
SUM = """({ unsigned long long *sum, got; cudaMalloc(&sum, 8); cudaMemset(sum, 0, 8);
reap<<<32, 256, 0, stream>>>(large, words, texture, sum); reap<<<1, 64, 0, stream>>>(small, 250, texture, sum);
cudaMemcpyAsync(&got, sum, 8, cudaMemcpyDeviceToHost, stream); cudaStreamSynchronize(stream); cudaFree(sum); got; })"""


def test_all_of_device_memory_is_there(start_on_gpu):
    """Chunks of many pieces and of one, constants, an array with its texture, a stream; on several devices."""
    session = start_on_gpu(CGPU_EMULATED_DEVICES="3")
    session.run("#include <stdio.h>").ok()
    session.run(LARGE).ok()
    session.run("int *second; cudaSetDevice(1); cudaMalloc(&second, 8); cudaMemset(second, 7, 8); cudaSetDevice(0);").ok()
    first = session.run(SUM).ok().text
    show = f'printf("%llu", {SUM});\n' + \
        'int there, n, two; cudaGetDeviceCount(&n); cudaMemcpy(&two, second + 1, 4, cudaMemcpyDefault); printf(" %d %x", n, two);'
    checked = session.run("%%memcheck\n" + show).ok()
    assert checked.stdout == f"{first} 3 7070707", checked.shown
    assert session.run(SUM).ok().text == first
    assert session.run("%%racecheck\nsow<<<1, 32>>>(large + 100, 999);").ok()
    assert session.run(SUM).ok().text == first
    session.close()


PROGRAM = """
#include <cstdio>
__global__ void beyond(int *p, int n)
{
    int i = threadIdx.x;
    if (i <= n)
        p[i] = i;
}
int main()
{
    int *d; cudaMalloc(&d, 400);
    beyond<<<1, 128>>>(d, 100);
    printf("%s\\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}"""


def test_a_program_of_nvcc_on_a_gpu_that_fails_at_each_launch(start_on_gpu, nvcc):
    """What makes the GPU fail is none of the checker's."""
    session = start_on_gpu(CGPU_EMULATED_FAIL="launch=700")
    plain = session.run("%%cuda" + PROGRAM)
    assert plain.ename == "CudaIllegalAddress" and "=========" not in plain.shown, plain.shown
    assert plain.stdout == "cudaErrorIllegalAddress\n" and ADVICE in plain.traceback, plain.shown
    checked = session.run("%%memcheck\n%%cuda" + PROGRAM)
    assert "by thread (100,0,0) in block (0,0,0)" in checked.traceback, checked.shown
    assert "and is 1 bytes after the nearest allocation" in checked.traceback and "of size 400 bytes" in checked.traceback
    clean = session.run("%%memcheck\n%%cuda" + PROGRAM.replace("<= n", "< n")).ok()
    assert clean.stdout == "cudaSuccess\n" and "No launch faulted on the emulated device" in clean.stderr, clean.shown
    session.close()


def test_more_device_memory_than_the_host_has_room_for(start_on_gpu):
    with open("/proc/meminfo") as f:
        total = int(f.readline().split()[1]) * 1024
    session = start_on_gpu(CGPU_EMULATED_MEMORY=str(4 * total))
    session.run("%limit gpu off\n#include <stdlib.h>\nint kept = 1; char *p;").ok()
    session.run(f"if (cudaMalloc(&p, {total}ul) != cudaSuccess) abort();").ok()
    result = session.run("%%racecheck\nkept = 2;")
    assert result.ename == "OutOfMemory" and "a copy of the session's device memory on the host: that is" in result.evalue
    assert "The cell was not run" in result.traceback
    result = session.run("%%memcheck\nkept = 2; char *small = malloc(8);\nsmall[8] = 1;")
    assert result.ename == "MemcheckError" and "Only the host's side was checked: a check of device code" in result.traceback
    assert session.run("kept").ok().text == "1"
    session.close()
