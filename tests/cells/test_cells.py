# SPDX-License-Identifier: Apache-2.0
"""Each folder of tests/cells that has an `expect`, through the whole kernel."""
import cuda_code
import pytest
from cells.transcript import HERE, cases, transcript

pytestmark = pytest.mark.long


@pytest.mark.parametrize("name", cuda_code.marked({name: (HERE / name / "cell.c").read_text() for name in cases()}))
def test_case(kernel, name):
    assert transcript(kernel, name) == (HERE / name / "expect").read_text()


def test_a_report_names_functions_as_the_cell_does(kernel):
    kernel.run("%reset").ok()
    kernel.run("long long llabs(long long v) { return *(volatile long long *)v; }").ok()
    traceback = kernel.run("llabs(0)").traceback
    assert "in llabs(" in traceback and "cgpu_own" not in traceback, traceback
