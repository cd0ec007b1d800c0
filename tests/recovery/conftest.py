# SPDX-License-Identifier: Apache-2.0
"""A session with state worth losing: globals, heap, a list of blocks, device buffers, a device variable. Its
fingerprint covers every byte and every address."""
import os

import pytest
import played_gpu

DEFINITIONS = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node { int value; struct node *next; };

int numbers[1000];
double *heap;
size_t heap_count = 1 << 17;
struct node *list;
char *word;
"""

DEVICE_DEFINITIONS = r"""
float *device;
size_t device_count = 1 << 16;
__device__ int on_device[256];

__global__ void fill(float *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = 0.5f * i;
    if (i < 256)
        on_device[i] = 3 * i;
}

__global__ void copy_variable(int *out)
{
    out[threadIdx.x] = on_device[threadIdx.x];
}
"""

FILL = r"""
for (int i = 0; i < 1000; i++)
    numbers[i] = i * i;
heap = malloc(heap_count * sizeof(double));
for (size_t i = 0; i < heap_count; i++)
    heap[i] = 1.0 / (i + 1);
for (int i = 0; i < 100; i++) {
    struct node *n = malloc(sizeof(*n));
    n->value = i;
    n->next = list;
    list = n;
}
word = strdup("as it was");
"""

DEVICE_FILL = r"""
cudaMalloc(&device, device_count * sizeof(float));
fill<<<(device_count + 255) / 256, 256>>>(device, device_count);
cudaDeviceSynchronize();
"""

MIX = r"""
uint64_t mix(uint64_t h, const void *bytes, size_t n)
{
    for (const unsigned char *p = (const unsigned char *)bytes; n--; p++)
        h = (h ^ *p) * 0x100000001b3;
    return h;
}
"""

DEVICE_FINGERPRINT = r"""
uint64_t mix_device(uint64_t h)
{
    static float copy[1 << 16];
    static int variable[256];
    int *out;

    cudaMemcpy(copy, device, sizeof(copy), cudaMemcpyDeviceToHost);
    h = mix(mix(h, &device, sizeof(device)), copy, sizeof(copy));
    cudaMalloc(&out, sizeof(variable));
    copy_variable<<<1, 256>>>(out);
    cudaMemcpy(variable, out, sizeof(variable), cudaMemcpyDeviceToHost);
    cudaFree(out);
    return mix(h, variable, sizeof(variable));
}

void spoil_device(void)
{
    cudaMemset(device, 0xff, 4096);
    fill<<<1, 256>>>(device + 512, 256);
    cudaDeviceSynchronize();
}
"""

# Of a cgpu that was built without CUDA.
NO_DEVICE = "uint64_t mix_device(uint64_t h) { return h; }\nvoid spoil_device(void) {}\n"

FINGERPRINT = r"""
uint64_t fingerprint(void)
{
    uint64_t h = 0xcbf29ce484222325;

    h = mix(h, numbers, sizeof(numbers));
    h = mix(h, &heap, sizeof(heap));
    h = mix(h, heap, heap_count * sizeof(double));
    for (struct node *n = list; n; n = n->next)
        h = mix(mix(h, &n, sizeof(n)), n, sizeof(*n));
    h = mix(mix(h, &word, sizeof(word)), word, strlen(word));
    return mix_device(h);
}
"""

# First line of each failing cell: everything that the fingerprint covers is changed.
SPOIL = "numbers[7] = -1; heap[5] = -1; list->value = -1; free(list->next); word[0] = '?'; spoil_device();\n"


class State:
    """A session and the way to say that nothing in it has changed."""

    def __init__(self, session):
        self.session = session
        cells = [DEFINITIONS, FILL, MIX, NO_DEVICE, FINGERPRINT]
        if session.has_cuda:
            cells = [DEFINITIONS + DEVICE_DEFINITIONS, FILL + DEVICE_FILL, MIX + DEVICE_FINGERPRINT, FINGERPRINT]
        for cell in cells:
            session.run(cell).ok()
        self.pid = session.pid
        self.first = self.fingerprint()
        self.sound = False  # True once a test has found everything as it was

    def fingerprint(self):
        return self.session.run('printf("%016llx\\n", (unsigned long long)fingerprint());').ok().stdout.strip()

    def assert_untouched(self):
        assert self.fingerprint() == self.first
        assert self.session.run("1 + 1").ok().text == "2"
        assert self.session.pid == self.pid and self.session.manager.is_alive()
        self.sound = True

    def assert_fault(self, result, ename, line=None, *words):
        """One ordinary error that names the fault, the line and `words`; then everything is as it was."""
        assert result.status == "error", f"the cell passed: {result.shown}"
        if ename.startswith("Cuda") and os.environ.get("CGPU_DEVICE") == "native":
            line, words = None, ()  # a GPU tells a number
        assert result.ename == ename, result.shown
        assert result.errors == 1
        kinds = [m["msg_type"] for m in result.messages]
        assert kinds[0] == "status" and kinds[-1] == "status"
        if line is not None:
            assert f"line {line}" in result.traceback, result.traceback
        for word in words:
            assert word.lower() in result.shown.lower(), f"{word!r} is not in:\n{result.shown}"
        self.assert_untouched()


@pytest.fixture(scope="module")
def states():
    return []


@pytest.fixture
def state(states, start_kernel):
    """The module's session; a fresh one after a test that failed, so that one failure stays one."""
    if not states:
        states.append(State(start_kernel()))
    state = states.pop()
    state.sound = False
    yield state
    if state.sound:
        states.append(state)


@pytest.fixture(scope="session")
def spoil():
    return SPOIL


@pytest.fixture(scope="session")
def make_state():
    """make_state(session) -> State"""
    return State


@pytest.fixture(scope="session")
def inject_cell(root):
    """A cell that defines inject(spec): failures of the emulated driver in this worker, common/cuda/emulator-extension.h."""
    return f"""#include <dlfcn.h>
#include <stdlib.h>
#include "{root}/common/cuda/emulator-extension.h"
void inject(const char *spec)
{{
    void *driver = dlopen("libcgpu-emulator.so", RTLD_LAZY | RTLD_NOLOAD);
    emulator_extension_fn extension = dlsym(driver, EMULATOR_EXTENSION_SYMBOL);

    if (extension(EMULATOR_EXTENSION_VERSION)->inject(spec))
        abort();
    dlclose(driver);
}}"""


@pytest.fixture(scope="module")
def start_on_gpu(start_kernel, prefix, tmp_path_factory):
    """start(**env) -> Session whose device is taken for a GPU: the emulated driver under the name of the machine's own, without
    the extension by which the runtime knows it; played-gpu.c says in what it is like hardware."""
    played = played_gpu.build(prefix, tmp_path_factory.mktemp("played-gpu"))

    def start(**env):
        return start_kernel(**{**played, **env})
    start.played = played
    return start
