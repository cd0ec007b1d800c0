# SPDX-License-Identifier: Apache-2.0
"""jupyter_kernel_test with every attribute that it has."""
import os

import jupyter_kernel_test
import pytest


@pytest.fixture(scope="module", autouse=True)
def jupyter_finds_the_kernel(prefix, mark, tmp_path_factory):
    """The tests of jupyter_kernel_test start kernels by name, from Jupyter's own search path."""
    home = tmp_path_factory.mktemp("home")
    before = dict(os.environ)
    os.environ.update(JUPYTER_PATH=str(prefix / "share" / "jupyter"), HOME=str(home), CGPU_TEST_MARK=mark,
                      JUPYTER_DATA_DIR=str(home / "jupyter"), IPYTHONDIR=str(home / "ipython"))
    yield
    os.environ.clear()
    os.environ.update(before)


class TestKernel(jupyter_kernel_test.KernelTests):
    kernel_name = "cgpu"
    language_name = "c"
    file_extension = ".cu"
    code_hello_world = '#include <stdio.h>\nprintf("hello, world\\n");'
    code_stderr = '#include <stdio.h>\nfprintf(stderr, "oops\\n");'
    completion_samples = [
        {"text": "%whos", "matches": ["whos"]},
        {"text": "cgpu_clear_ou", "matches": ["cgpu_clear_output"]},
        {"text": "int main_value; strtoul"},
    ]
    complete_code_samples = ["1", "int x = 7;", "for (;;) { break; }", "%who", "struct s { int a; };"]
    incomplete_code_samples = ["int f(void) {", "printf(\"x\",", "for (int i = 0; i < 3; i++) {\n  i;", "/* note"]
    invalid_code_samples = ["int x = };", ")"]
    code_page_something = "printf?"
    code_generate_error = "int x = undeclared_name;"
    code_execute_result = [
        {"code": "6 * 7", "result": "42"},
        {"code": "1.5 + 2", "result": "3.5"},
        {"code": "'a'", "result": "97"},
        {"code": "(char)'a'", "result": "'a' (97)"},
        {"code": '"text"', "result": '"text"'},
    ]
    code_display_data = [
        {"code": "%%html\n<b>bold</b>", "mime": "text/html"},
        {"code": 'cgpu_display("text/html", "<i>x</i>", 8);', "mime": "text/html"},
        {"code": "%%svg\n<svg xmlns='http://www.w3.org/2000/svg'/>", "mime": "image/svg+xml"},
    ]
    code_history_pattern = "6 [*] ?"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "printf"
    code_clear_output = "cgpu_clear_output(false);"


class TestWelcome(jupyter_kernel_test.IopubWelcomeTests):
    kernel_name = "cgpu"
    support_iopub_welcome = True


def test_no_attribute_is_left_out():
    """A test of jupyter_kernel_test that is skipped for want of an attribute is a test that was not run."""
    for case in (TestKernel, TestWelcome):
        base = case.__mro__[1]
        wanted = [name for name, value in vars(base).items()
                  if not name.startswith(("_", "test_")) and not callable(value) and value in ("", [], (), False)]
        assert wanted
        for name in wanted:
            assert getattr(case, name), f"{case.__name__}.{name} is not set"
