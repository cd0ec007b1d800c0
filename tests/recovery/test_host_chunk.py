# SPDX-License-Identifier: Apache-2.0
"""What a cell overwrites is kept in memory of the host when the device is full, or `%gpu rollback host` asks for it."""
import pytest

pytestmark = [pytest.mark.cuda, pytest.mark.emulated]

MIB = 1 << 20
BUFFER = f"""#include <stdio.h>
char *buffer; cudaMalloc(&buffer, {40 * MIB}); cudaMemset(buffer, 7, {40 * MIB});"""
BYTES = f"""char a, b;
cudaMemcpy(&a, buffer, 1, cudaMemcpyDefault); cudaMemcpy(&b, buffer + {40 * MIB - 1}, 1, cudaMemcpyDefault);
printf("%d %d", a, b);"""
SPOIL = f"cudaMemset(buffer, 8, {40 * MIB}); cudaDeviceSynchronize(); *(volatile int *)0 = 1;"


@pytest.fixture(params=["start_kernel", "start_on_gpu"])
def start(request):
    """The emulated device, and a GPU that is played, whose driver gives no memory of a node of the host, as in a container."""
    return request.getfixturevalue(request.param)


def test_a_full_device_has_its_old_content_on_the_host(start):
    session = start(CGPU_EMULATED_MEMORY=str(64 * MIB))
    session.run(BUFFER).ok()
    for _ in range(2):
        session.run(SPOIL)
        assert session.run(BYTES).ok().stdout == "7 7"
    session.run(f"cudaMemset(buffer, 9, {40 * MIB});").ok()
    session.run("%undo").ok()
    assert session.run(BYTES).ok().stdout == "7 7"
    session.close()


def test_old_content_on_the_host_outlives_a_lost_device(start, tmp_path):
    lost = tmp_path / "lost"
    session = start(CGPU_EMULATED_FAIL=f"device=lost:{lost}")
    session.run("%gpu rollback host").ok()
    session.run(BUFFER).ok()
    result = session.run(f'cudaMemset(buffer, 8, {40 * MIB}); fclose(fopen("{lost}", "w")); cudaDeviceSynchronize();')
    assert "cannot be reached" in result.shown, result.shown
    lost.unlink()
    session.run("%gpu reset").ok()
    assert session.run(BYTES).ok().stdout == "7 7"
    session.close()
