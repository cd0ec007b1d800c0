# SPDX-License-Identifier: Apache-2.0
"""What session memory needs of a driver: addresses that are the same in each worker, and memory that a descriptor keeps.

The GPU is played (start_on_gpu in conftest.py), and grants less than hardware on a plain Linux does."""
import pytest

pytestmark = pytest.mark.cuda

BUFFER = """#include <stdio.h>
char *buffer; cudaMalloc(&buffer, 48 << 20); cudaMemset(buffer, 7, 48 << 20);"""
BYTE = 'char byte; cudaMemcpy(&byte, buffer + (40 << 20), 1, cudaMemcpyDefault); printf("%d", byte);'
DIE = "cudaMemset(buffer, 8, 48 << 20); *(volatile int *)0 = 1;"


@pytest.fixture
def there(tmp_path):
    path = tmp_path / "there"
    path.write_bytes(b"x" * 4096)
    return path


@pytest.mark.parametrize("mib, shown", [(64 << 10, "48.0"), (2 << 10, "1.5")])
def test_a_driver_that_grants_few_addresses_is_asked_for_less(start_on_gpu, mib, shown):
    """WSL2 refuses ranges that a plain Linux gives."""
    session = start_on_gpu(CGPU_PLAYED_GPU=f"window={mib}")
    session.run(BUFFER).ok()
    assert f"{shown} GiB of addresses" in session.run("%doctor").ok().stdout
    session.run(DIE)
    assert session.run(BYTE).ok().stdout == "7"
    session.close()


def test_addresses_that_are_used_up_are_no_lack_of_memory(start_on_gpu):
    session = start_on_gpu(CGPU_PLAYED_GPU="window=1600", CGPU_EMULATED_MEMORY=str(8 << 30))
    session.run("#include <stdio.h>\n").ok()
    result = session.run("void *p[4]; for (int i = 0; i < 4; i++) cudaMalloc(&p[i], 300 << 20);")
    assert result.ename == "CudaOutOfMemory"
    assert "no more addresses" in result.shown and "%doctor" in result.shown, result.shown
    assert session.run("void *q; cudaMalloc(&q, 300 << 20)").ok().text == "cudaSuccess (0)"
    session.close()


REASONS = {
    "elsewhere": ["addresses for device memory", "at 0x300000000000", "are free, and it gives 0x3"],
    "taken": ["are taken by /"],
}


@pytest.mark.parametrize("how", REASONS)
def test_a_session_whose_addresses_do_not_come_loses_nothing(start_on_gpu, there, how):
    later = there.with_name("later")
    session = start_on_gpu(CGPU_PLAYED_GPU=f"{how}={later}")
    session.run(BUFFER).ok()
    there.rename(later)
    # A worker or two may have had their addresses before.
    for _ in range(3):
        result = session.run(DIE)
        if "cannot be reached" in result.shown:
            break
    assert "cannot be reached" in result.shown and all(word in result.shown for word in REASONS[how]), result.shown
    assert "%gpu reset" in result.shown
    later.unlink()
    session.run("%gpu reset").ok()
    assert session.run(BYTE).ok().stdout == "7"
    session.close()


UNSUITABLE = {"elsewhere=PATH": REASONS["elsewhere"], "descriptors=attribute": ["file descriptor (attribute 103 is 0)", "WSL2"],
              "descriptors=call": ["file descriptor (it refuses the export)", "WSL2"]}


@pytest.mark.parametrize("how", UNSUITABLE)
def test_a_new_session_uses_the_emulated_device_and_says_why(start_on_gpu, there, how):
    session = start_on_gpu(CGPU_DEVICE=None, CGPU_PLAYED_GPU=how.replace("PATH", str(there)))
    doctor = session.run("%doctor").ok().stdout
    assert "emulated on the CPU" in doctor and all(word in doctor for word in UNSUITABLE[how]), doctor
    result = session.run("__global__ void k(int *p) { *p = 3; }").ok()
    assert "NVIDIA's driver is not used on this machine: " in result.stderr, result.shown
    session.run("int *p; cudaMallocManaged(&p, 4); k<<<1, 1>>>(p); cudaDeviceSynchronize();").ok()
    assert session.run("*p").ok().text == "3"
    session.close()


@pytest.mark.parametrize("how", UNSUITABLE)
def test_a_driver_that_is_asked_for_says_what_it_lacks(start_on_gpu, there, how):
    session = start_on_gpu(CGPU_PLAYED_GPU=how.replace("PATH", str(there)))
    assert session.run("int host = 4; host").ok().text == "4"
    result = session.run("int *p; cudaMalloc(&p, 4);")
    assert all(word in result.shown for word in UNSUITABLE[how]), result.shown
    session.close()


def test_who_gives_the_gpu_up_goes_on_with_the_emulated_device(start_on_gpu, there):
    later = there.with_name("later")
    session = start_on_gpu(CGPU_DEVICE=None, CGPU_PLAYED_GPU=f"elsewhere={later}")
    session.run(BUFFER).ok()
    there.rename(later)
    for _ in range(3):
        if "cannot be reached" in session.run(DIE).shown:
            break
    assert "`%reset` empties the whole session" in session.run("%reset gpu").evalue
    session.run("%reset -f").ok()
    session.run("%gpu use emulated").ok()
    session.run("int *p; cudaMallocManaged(&p, 4);\n__global__ void k(int *p) { *p = 3; }\nk<<<1, 1>>>(p);").ok()
    assert session.run("cudaDeviceSynchronize(); *p").ok().text == "3"
    session.close()
