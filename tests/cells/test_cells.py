# SPDX-License-Identifier: Apache-2.0
"""Each folder of tests/cells that has an `expect`, through the whole kernel."""
import pytest
from cells.transcript import HERE, cases, transcript


@pytest.mark.parametrize("name", cases())
def test_case(kernel, name):
    assert transcript(kernel, name) == (HERE / name / "expect").read_text()
