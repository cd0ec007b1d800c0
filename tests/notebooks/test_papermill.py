# SPDX-License-Identifier: Apache-2.0
"""papermill -p with the package of papermill/: parameters are declarations of C and C++."""
import json
import re
import subprocess
import sys

import pytest

from session import DEADLINE

TEXT = 'a "quoted" \\ text\n%gpu ??= \t\x01\u00e9\u202e'
MORE = {"weights": [1, 2.5], "grid": [[1, 2], [3, 4]], "names": ["a", "b"],
        "o": {"rows": 2, "in": {"step": 0.5}, "tags": ["t"]}}
PARAMETERS = {"tags": ["parameters"]}
PAPERMILL = [sys.executable, "-m", "papermill", "--no-progress-bar"]

# What is declared keeps its type: `x` is given 3, `flag` True. `k` cannot: it is given 2.5.
C = (("int n = 100; // how many\ndouble x = 2.5;\nint k = 1;\n#define SIZE 10 // of arrays\nint flag = 0;\n"
      "float weights[] = {1};\nconst char *name = \"none\";", PARAMETERS),
     'printf("%d %g %g %d %d %zu\\n", n, x / 2, k, SIZE, flag, sizeof weights / sizeof *weights);',
     "name", "weights", "grid", "names", "o", "struct o copy = o; copy.in.step")
CPP = (("#include <vector>\nint n = 100;\nstd::vector<double> weights;\nstd::string name = \"none\";", PARAMETERS),
       "n + x / 2", "name.size()", "weights", "names[1] + names[0]", "o.tags[0] + \"!\"", "gone == nullptr",
       "*(volatile int *)0 = n;", "n")


@pytest.fixture(scope="module")
def papermill(jupyter):
    """papermill(ARGUMENT...) -> the ended program"""
    def run(*arguments):
        return subprocess.run([*PAPERMILL, *map(str, arguments)], env=jupyter, text=True, capture_output=True,
                              timeout=DEADLINE)

    return run


@pytest.fixture(scope="module")
def folder(tmp_path_factory, new_notebook):
    import nbformat
    made = tmp_path_factory.mktemp("notebooks")
    nbformat.write(new_notebook("cgpu", *C), made / "c.ipynb")
    nbformat.write(new_notebook("cgpu-cpp", *CPP), made / "cpp.ipynb")
    return made


def shown(path):
    """Of each cell that has outputs: their text, of an error its name."""
    import nbformat
    texts = (["".join(o.get("text") or o.get("ename") or o["data"]["text/plain"] for o in cell.outputs)
              for cell in nbformat.read(path, 4).cells if cell.cell_type == "code" and cell.outputs])
    return [text.strip() for text in texts]


def test_parameters_of_c(papermill, folder):
    out = folder / "c-out.ipynb"
    done = papermill(folder / "c.ipynb", out, "-p", "n", 7, "-p", "x", 3, "-p", "k", 2.5, "-p", "SIZE", -4,
                     "-p", "flag", True, "-p", "name", TEXT,
                     "-y", json.dumps({**MORE, "o": {"in": {"step": 0.5}, "rows": 2}}))
    assert done.returncode == 0, done.stderr
    texts = shown(out)
    assert texts[0] == "7 1.5 2.5 -4 1 2"
    assert texts[1].startswith('"a \\"quoted\\" \\\\ text\\n%gpu ?') and "\u00e9" in texts[1]
    assert texts[2:4] == ["{1.0, 2.5}", "{{1, 2},\n {3, 4}}"]
    assert texts[4:] == ['{"a", "b"}', "{.in = {.step = 0.5}, .rows = 2}", "0.5"]


def test_parameters_of_cpp_and_a_cell_that_fails(papermill, folder):
    out = folder / "cpp-out.ipynb"
    done = papermill(folder / "cpp.ipynb", out, "-p", "n", 7, "-p", "x", 2.5, "-p", "name", TEXT, "-p", "gone", None,
                     "-y", json.dumps(MORE))
    assert done.returncode == 1
    assert "SegmentationFault: address 0x0 is a null pointer; at In[9], line 1" in done.stderr, done.stderr
    assert shown(out) == ["8.25", str(len(TEXT.encode())), "{1.0, 2.5}", '"ba"', '"t!"', "true", "SegmentationFault"]


def ask(*arguments):
    """The same program, where it starts no kernel and need not be a process of its own."""
    from click.testing import CliRunner
    from papermill.cli import papermill as program
    return CliRunner().invoke(program, [*map(str, arguments)])


def test_help_on_a_notebook(folder):
    said = ask(folder / "c.ipynb", "--help-notebook")
    assert said.exit_code == 0, said.output
    lines = [" ".join(line.split()) for line in said.output.splitlines()]
    for line in ("n: int (default 100) how many", "SIZE: #define (default 10) of arrays",
                 "weights: float[] (default {1})", 'name: const char * (default "none")'):
        assert line in lines, said.output


def test_what_c_cannot_hold_is_an_error_before_anything_runs(folder):
    done = ask(folder / "c.ipynb", folder / "never.ipynb", "-p", "big", 2 ** 64)
    assert done.exit_code == 1 and not (folder / "never.ipynb").exists()
    assert str(done.exception) == "parameter 'big': 18446744073709551616 does not fit into the 64 bits that an " \
        "integer may have; pass it as a float or, with -r, as a text"


@pytest.fixture(params=["cgpu", "cgpu-cpp"])
def translator(request):
    import papermill  # noqa: F401, as papermill itself does: its import loads the package
    from papermill.translators import papermill_translators
    return papermill_translators.find_translator(request.param, "none")


WRONG = {
    "class-size": (1, "is no name of C"), "2nd": (1, "is no name of C"), "int": (1, "is a keyword of C"),
    "small": (-2 ** 63 - 1, "does not fit into the 64 bits"), "mixed": ([1, "a"], "different kinds (int, str)"),
    "ragged": ([[1], [2, 3]], "different lengths"), "empty": ([], "empty list"), "nothing": ({}, "without members"),
    "member": ({"a b": 1}, "'a b' is no name of C"), "dicts": ([{"a": 1}], "a dict of lists can"),
    "half": ("\ud800", "surrogate"), "inexact": ([1.5, 2 ** 60 + 1], "a double does not hold exactly"),
    "date": (pytest, "a module cannot be passed"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_parameters_are_named(translator, name):
    from papermill.exceptions import PapermillException
    value, why = WRONG[name]
    with pytest.raises(PapermillException, match=f"^parameter '{re.escape(name)}': .*{re.escape(why)}"):
        translator.codify({name: value})


INTEGERS = [0, -1, 2 ** 31 - 1, -2 ** 31, 2 ** 31, -2 ** 31 - 1, 2 ** 63 - 1, -2 ** 63, 2 ** 63, 2 ** 64 - 1]
FLOATS = [0.1, 1e308, 5e-324, -0.0, 1.0, 2 ** 53 + 2.0, 1e22, -1.7976931348623157e308, float("inf"), float("-inf")]
ALL = "".join(map(chr, range(1, 256))) + "\u202e\u2028\U0001f600??/??=???-\\u0041\\\"'%d\x017"


def test_values_come_through_unchanged(translator, start_kernel):
    """Bit for bit, in both languages; NaN is one."""
    cpp = translator.language.name == "C++"
    kernel = start_kernel(kernelspec="cgpu-cpp" if cpp else "cgpu")
    values = {**{f"i{n}": value for n, value in enumerate(INTEGERS)}, "f": FLOATS, "nan": float("nan"), "all": ALL,
              "texts": [ALL[:20], "", ALL[20:]], "yes": True, "none": None}
    if cpp:
        values["nul"] = "a\0001"
    assert kernel.run(translator.codify(values)).ok().stderr == ""
    for n, value in enumerate(INTEGERS):
        assert kernel.run(f"i{n}").ok().text == str(value)
    kernel.run("void hex(const char *s, size_t n)\n{ while (n--) printf(\"%02x\", (unsigned char)*s++); }").ok()
    text = "{0}.data(), {0}.size()" if cpp else "{0}, strlen({0})"
    for name, value in (("all", ALL), ("texts[0]", ALL[:20]), ("texts[1]", ""), ("texts[2]", ALL[20:])) + \
            ((("nul", "a\0001"),) if cpp else ()):
        assert bytes.fromhex(kernel.run(f"hex({text.format(name)});").ok().stdout) == value.encode(), name
    said = kernel.run('for (int i = 0; i < 10; i++) printf("%a ", f[i]);\n'
                      'printf("%d %d %d", nan != nan, yes, !none);').ok().stdout
    *floats, is_nan, yes, is_none = said.split()
    assert [float.fromhex(word).hex() for word in floats] == [value.hex() for value in FLOATS]
    assert [is_nan, yes, is_none] == ["1", "1", "1"]
    kernel.close()


def test_declared_types_are_kept_where_they_hold_the_value(translator, new_notebook):
    cell = new_notebook("cgpu", """static const double a = 1; // one; of two
size_t c = 3; /* three */
float e = 0.5f;
char f[8] = "a;b"; // text
char *g = NULL;
struct point h = {1};
int twice(int x) { int y = 2; return x * y; }
real i = 2.5;
long table[2][2] = {{1, 2}, {3, 4}};
std::vector<float> v = {1};
__managed__ int m = 5;
double k = 1, l = 2;
using t = int;
j = 7;""").cells[0]
    rows = {row.name: (row.inferred_type_name, row.default, row.help) for row in translator.inspect(cell)}
    assert rows == {"a": ("static const double", "1", "one; of two"), "c": ("size_t", "3", "three"), "e": ("float", "0.5f", ""),
                    "f": ("char[8]", '"a;b"', "text"), "g": ("char *", "NULL", ""), "h": ("struct point", "{1}", ""),
                    "i": ("real", "2.5", ""), "table": ("long[2][2]", "{{1, 2}, {3, 4}}", ""),
                    "v": ("std::vector<float>", "{1}", ""), "m": ("__managed__ int", "5", "")}
    given = {"a": 7, "c": 8, "e": 1e300, "f": "short", "g": "t", "h": {"x": 2}, "i": 4, "table": [[5]], "v": [1, 2], "m": 6,
             "k": 3, "j": 8}
    lines = translator.codify(given).splitlines()
    assert [line for line in lines if not line.startswith(("//", "#include"))] == [
        "static const double a = 7.0;", "size_t c = 8;", "double e = 1e+300;", 'char f[8] = "short";', 'char *g = "t";',
        "struct point h = {.x = 2};", "real i = 4;", "long table[1][1] = {{5}};", "std::vector<float> v = {1.0, 2.0};",
        "__managed__ int m = 6;", "int k = 3;", "int j = 8;"]
    # They are of that notebook, and hold once.
    assert "int a = 7;" in translator.codify({"a": 7})
    translator.inspect(new_notebook("cgpu", "double a = 1;").cells[0])
    assert "int a = 7;" in translator.codify({"a": 7})
