# SPDX-License-Identifier: Apache-2.0
"""Which tests need a cgpu that was built with CUDA: those marked `cuda`, as `pytest -m "not cuda"` leaves them out."""
import re

import pytest

CODE = re.compile(r"__(global|device|constant|managed|shared)__|\bcuda[A-Z]|\bcu[A-Z]\w*\(|<<<|%%cuda|\bdim3\b|<cuda_")


def marked(cases, *more):
    """Names of the cases, a dict by name, for parametrize(): those with CUDA code in them, and `more`, are marked."""
    return [pytest.param(name, marks=pytest.mark.cuda) if name in more or CODE.search(repr(case)) else name
            for name, case in cases.items()]
