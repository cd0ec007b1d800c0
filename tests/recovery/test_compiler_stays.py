# SPDX-License-Identifier: Apache-2.0
"""What a cell and its flags say is an error of the cell, and the compiler process lives on."""
import re

import pytest


@pytest.fixture
def stays(kernel):
    """The session; its compiler process is the same at the end."""
    kernel.run("%reset -f\n%cflags off\n%nvflags off\nint kept = 7;").ok()
    pid = kernel.compiler_pid()
    yield kernel
    kernel.run("%cflags off\n%nvflags off").ok()
    assert kernel.run("kept").ok().text == "7"
    assert kernel.compiler_pid() == pid, "the compiler was started again"


CELLS = {"C": "1 + 1", "C++": "%%cpp\n1 + 1", "CUDA": pytest.param("__global__ void k() { }", marks=pytest.mark.cuda)}
CELL = pytest.mark.parametrize("cell", list(CELLS.values()), ids=list(CELLS))


@CELL
@pytest.mark.parametrize("flag", ["-include", "-imacros"])
def test_a_flag_names_a_header_that_is_not_there(stays, tmp_path, flag, cell):
    stays.run(f"%cflags {flag} {tmp_path}/gone.h").ok()
    for _ in range(2):
        r = stays.run(cell)
        assert r.ename == "CompileError" and f"the flag -include {tmp_path}/gone.h names a file that is not there" in r.evalue
        assert "`%cflags off`" in r.evalue


@CELL
@pytest.mark.parametrize("text, says", [("#include <nosuch.h>\n#include <vector>\n", "'nosuch.h' file not found"),
                                        ("#error \"this one\"\n", "this one")])
def test_a_flag_names_a_header_that_does_not_compile(stays, tmp_path, text, says, cell):
    (tmp_path / "given.h").write_text(text)
    stays.run(f"%cflags -include {tmp_path}/given.h").ok()
    r = stays.run(cell)
    assert r.ename == "CompileError" and f"{tmp_path}/given.h:1: " in r.evalue and says in r.evalue, r.shown
    assert "`%cflags off`" in r.evalue


@pytest.mark.parametrize("cell", list(CELLS.values())[1:], ids=list(CELLS)[1:])
def test_the_header_of_a_flag_goes_away(stays, tmp_path, cell):
    given = tmp_path / "given.h"
    given.write_text("#define GIVEN 1\n")
    stays.run(f"%cflags -include {given}").ok()
    stays.run(cell).ok()
    given.unlink()
    r = stays.run(cell + " // once more")
    assert r.ename == "CompileError" and f"the flag -include {given} names a file that is not there" in r.evalue, r.shown


@pytest.mark.cuda
def test_a_flag_for_device_code_names_a_header_that_is_not_there(stays, tmp_path):
    stays.run(f"%nvflags -include {tmp_path}/gone.h").ok()
    r = stays.run("__global__ void k() { }")
    assert r.ename == "CompileError" and f"{tmp_path}/gone.h" in r.evalue and "`%nvflags off`" in r.evalue


@pytest.mark.parametrize("magic", ["", "%%cpp\n"], ids=["C", "C++"])
def test_a_file_is_embedded(stays, tmp_path, magic):
    (tmp_path / "file.bin").write_bytes(bytes(range(1, 8)))
    stays.run(f"%cd {tmp_path}").ok()
    line = 3 + magic.count("\n")
    for name in ("file.bin", f"{tmp_path}/file.bin"):
        r = stays.run(f'{magic}int sum = 0;\nunsigned char bytes[] = {{\n#embed "{name}"\n}};\n'
                      "for (unsigned i = 0; i < sizeof bytes; i++) sum += bytes[i];\nsum").ok()
        assert r.text == "28"
    assert stays.run("sum + sizeof bytes").ok().text == "35"
    r = stays.run(f'{magic}int one = 1;\nunsigned char other[] = {{\n#embed "gone.bin"\n}};')
    assert r.ename == "CompileError" and re.search(rf"In\[\d+\]:{line}:8: error: 'gone.bin' file not found", r.evalue), r.shown
    r = stays.run(f'{magic}#if __has_embed("file.bin") == __STDC_EMBED_FOUND__ && !__has_embed("gone.bin")\n'
                  'int has_it = 5;\n#endif\nhas_it').ok()
    assert r.text == "5"


@pytest.mark.cuda
def test_device_code_of_a_later_cell_embeds_the_file(stays, tmp_path):
    (tmp_path / "file.bin").write_bytes(bytes([40, 2]))
    stays.run(f"%cd {tmp_path}").ok()
    stays.run('__global__ void sum_of_file(int *to) {\n  const unsigned char bytes[] = {\n#embed "file.bin"\n  };\n'
              "  *to = bytes[0] + bytes[1];\n}").ok()
    r = stays.run("int *to;\ncudaMallocManaged(&to, 4);\nsum_of_file<<<1, 1>>>(to);\ncudaDeviceSynchronize();\n*to").ok()
    assert r.text == "42"


N = 20000
DEEP = {
    "stars": ("int ", "*", "p;", None), "terms": ("1", "+1", "", str(N + 1)), "terms at run time": ("kept", "+kept", "", None),
    "signs": ("int y = ", "!", "kept;", None), "calls": ("int f(int x) { return x; }\n", "f(", "1", "bracket nesting"),
    "parentheses": ("", "(", "1" + ")" * N, "bracket nesting"), "braces": ("", "{", "1;" + "}" * N, "bracket nesting"),
    "declarators": ("int ", "(", "q" + ")" * N + ";", "bracket nesting"),
}


@pytest.mark.parametrize("magic", ["", "%%cpp\n"], ids=["C", "C++"])
@pytest.mark.parametrize("what", DEEP)
def test_a_text_is_nested_deeply(stays, magic, what):
    """It compiles, or clang says how deep it may be."""
    before, part, behind, says = DEEP[what]
    r = stays.run(magic + before + part * N + behind)
    if r.status == "ok":
        assert says in (None, r.text) and not r.stderr, r.shown[:2000]
    else:
        assert r.ename == "CompileError" and says and (says in r.evalue or "is never closed" in r.evalue), r.shown[:2000]


@pytest.mark.parametrize("magic", ["", "%%cpp\n"], ids=["C", "C++"])
def test_a_line_declares_many_variables(stays, magic):
    """The text of each is the whole line, which is kept a few times only: 16,000 times are 1.5 GB."""
    n = 16000
    stays.run(magic + "int " + ", ".join(f"of_line{i} = {i}" for i in range(n)) + ";").ok()
    assert stays.run(f"{magic}of_line{n - 1} - of_line1").ok().text == str(n - 2)


@pytest.mark.parametrize("magic", ["", "%%cpp\n"], ids=["C", "C++"])
@pytest.mark.parametrize("lines, more", [(120, "20 more warnings"), (101, "1 more warning")])
def test_there_are_many_warnings(stays, magic, lines, more):
    r = stays.run(magic + "int told;\n" + "if (told = 3) told++;\n" * lines).ok()
    assert r.stderr.count("warning: ") == 100 and r.stderr.endswith(f"\n{more}\n"), r.stderr[-500:]


@pytest.mark.parametrize("magic", ["", "%%cpp\n"], ids=["C", "C++"])
@pytest.mark.parametrize("code, severity", [("1 << 40", "warning"), ("1 = 2", "error")])
def test_an_argument_that_a_macro_has_twice(stays, magic, code, severity):
    r = stays.run(f"{magic}#define TWICE(x) do {{ (void)(x); (void)(x); }} while (0)\nTWICE({code});")
    text = r.traceback + r.stderr
    assert text.count(f"{severity}: ") == 1, text


@pytest.mark.parametrize("code", [
    "template <int N> struct t { static const int v = t<N + 1>::v; };\nt<0>::v",
    "template <int N> constexpr int f() { return f<N + 1>(); }\nf<0>()",
    "constexpr int g(int n) { return g(n + 1); }\nconstexpr int h = g(0);"])
def test_templates_and_constants_recurse(stays, code):
    r = stays.run("%%cpp\n" + code)
    assert r.ename == "CompileError" and re.search("depth|constant expression", r.evalue), r.shown[:2000]
