# SPDX-License-Identifier: Apache-2.0
"""What Tab offers: names and statements of C, C++ and CUDA, headers, and the arguments of magics, each in its place only."""
import shutil

import pytest


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """The notebook's folder."""
    return tmp_path_factory.mktemp("notebook")


@pytest.fixture(scope="module")
def known(start_kernel, home):
    session = start_kernel(cwd=home)
    session.run("int counter = 1, count2; float waves[8];").ok()
    return session


def complete(session, code, at=None):
    """Returns the words, and the text that they replace."""
    at = len(code) if at is None else at
    reply = session.ask("complete", code, at)
    assert reply["status"] == "ok"
    types = reply["metadata"]["_jupyter_types_experimental"]
    assert [t["text"] for t in types] == reply["matches"]
    assert all(t["start"] == reply["cursor_start"] and t["end"] == reply["cursor_end"] for t in types)
    assert reply["cursor_end"] == at
    return reply["matches"], code[reply["cursor_start"]:at]


def kinds(session, code):
    reply = session.ask("complete", code, len(code))
    return {t["text"]: (t["type"], t["signature"]) for t in reply["metadata"]["_jupyter_types_experimental"]}


# ---- code ----

@pytest.mark.parametrize("code, word, signature", [
    ("whil", "while", "while (expression) { statements }"),
    ("int f(void) { ret", "return", "return expression;"),
    ("int f(int x) { if (x) ; els", "else", "else statement;"),
    ("switch (counter) { cas", "case", "case expression:"),
    ("%%cpp\nint f() { thro", "throw", "void throw expression"),
    ("%%cpp\nauto x = static_ca", "static_cast", "static_cast<type>(expression)"),
])
def test_statements(known, code, word, signature):
    assert kinds(known, code)[word] == ("keyword", signature)


def test_nothing_is_offered_in_comments_strings_and_numbers(known):
    for code in ("// coun", "/* coun", '"coun', "12", "#define coun"):
        assert complete(known, code)[0] == [], code
    assert "" not in complete(known, "")[0]


@pytest.mark.cuda
@pytest.mark.parametrize("code, word", [
    ("%%cuda\n#include <vector>\nint main() { std::vector<int> v; v.push_", "push_back"),
    ("%%cuda\n__global__ void k(float *p) { p[threadIdx.", "x"),
    ("%%cuda\n__global__ void k(float *p) { __syncth", "__syncthreads"),
    ("%%cu\n__global__ void kernel_of_mine(int a) {}\nint main() { kernel_of", "kernel_of_mine"),
    ("%%cpp\n__global__ void k(float *p) { __syncth", "__syncthreads"),
    ("__global__ void k(float *p) { p[threadIdx.", "x"),
])
def test_device_code_of_each_kind_of_cell(known, code, word):
    pid = known.compiler_pid()
    assert word in complete(known, code)[0]
    assert known.compiler_pid() == pid


# ---- headers ----

@pytest.mark.parametrize("code, header, replaced", [
    ("#include <stdi", "stdio.h>", "stdi"),
    ("  #  include <sys/sock", "socket.h>", "sock"),
    ("int a;\n#include <sy", "sys/", "sy"),
    ("#include <vecto", "vector>", "vecto"),
    ("#include <linux/if_et", "if_ether.h>", "if_et"),
    ("%%cpp\n#include <unordered_", "unordered_map>", "unordered_"),
    ('#include "own', 'own_header.h"', "own"),
    ('#include "below/th', 'this.hpp"', "th"),
])
def test_headers(known, home, code, header, replaced):
    (home / "below").mkdir(exist_ok=True)
    (home / "own_header.h").touch()
    (home / "below" / "this.hpp").touch()
    words, text = complete(known, code)
    assert text == replaced
    assert header in words


@pytest.mark.cuda
def test_headers_of_cuda(known, home):
    assert "cub.cuh>" in complete(known, "#include <cub/cu")[0]
    assert "device_vector.h>" in complete(known, "%%cuda\n#include <thrust/device_v")[0]
    (home / "mine.cuh").touch()
    assert 'mine.cuh"' in complete(known, '#include "min')[0]


def test_a_bracket_that_is_there_is_not_offered_again(known):
    assert complete(known, "#include <stdio.h>", 17)[0] == ["stdio.h"]
    assert complete(known, "#include <stdio.h>")[0] == []


# ---- arguments of magics ----

@pytest.mark.parametrize("code, words", [
    ("%std gnu1", ["gnu11", "gnu17"]),
    ("%opt ", ["0", "1", "2", "3", "g", "s", "z", "off"]),
    ("%limit ", ["gpu", "ram", "output", "time", "wait"]),
    ("%limit gpu ", ["off"]),
    ("%limit wait ", []),
    ("%gpu use ", ["native", "emulated"]),
    ("%gpu rollback w", ["whole"]),
    ("%gpu -l ", ["off"]),
    ("%park wanted ", ["on", "off"]),
    ("%interrupt ", ["keep", "back"]),
    ("%interrupt keep ", []),
    ("%trace o", ["on", "off"]),
    ("%on_restart l", ["list"]),
    ("%who coun", ["counter", "count2"]),
    ("%reset -", ["-f"]),
    ("%reset -f wav", ["waves"]),
    ("%help timei", ["timeit"]),
    ("%snapshot lo", ["load"]),
    ("%undo ", []),
    ("%redo ", []),
    ("%mem ", []),
    ("%%html\n<b>coun", []),
    ("%%writefile x.c\nint coun", []),
    ("?wave", ["waves"]),
    ("??wave", ["waves"]),
    ("int a;\n//%std c9", ["c99"]),
    ("%time wave", ["waves"]),
    ("%%time\nwave", ["waves"]),
])
def test_arguments(known, code, words):
    assert complete(known, code)[0] == words


def test_names_of_magics_behind_a_percent_sign(known):
    assert complete(known, "%who") == (["who", "whos"], "who")
    assert complete(known, "%limi") == (["limit"], "limi")


def test_packages(known):
    assert kinds(known, "%pkg cubla")["cublas"][0] == "package"
    assert complete(known, "%pkg -")[0] == ["-s"]


def test_variables_of_the_environment(known):
    known.run("%env MY_OWN_THING=1").ok()
    assert complete(known, "%env MY_OWN_T")[0] == ["MY_OWN_THING"]


@pytest.fixture
def folder(known, home):
    """A folder with files of each kind; cells are in it."""
    top = home / "of-names"
    top.mkdir()
    (top / "one.txt").touch()
    (top / "one more.txt").touch()
    (top / "onward").mkdir()
    (top / ".once").touch()
    (top / "caf\u00e9.c").touch()
    (top / "tool").touch(mode=0o755)
    with open(bytes(top) + b"/on\xff", "w"):
        pass
    known.run(f"%cd {top}").ok()
    yield top
    known.run(f"%cd {home}").ok()
    shutil.rmtree(top)


@pytest.mark.parametrize("code", ["%load ", "%run ", "%%writefile ", "!cat ", "!cat x | sort -u ", "%%bash\necho a\ncat ",
                                  "%%sh\ncat "])
def test_files(known, folder, code):
    assert complete(known, code + "on") == (["one.txt", "onward/"], "on")
    assert complete(known, code + "./on") == (["./one.txt", "./onward/"], "./on")
    assert complete(known, code + ".o") == ([".once"], ".o")
    assert complete(known, code + "caf\u00e9") == (["caf\u00e9.c"], "caf\u00e9")
    assert complete(known, code + f"{folder}/onw")[0] == [f"{folder}/onward/"]
    assert complete(known, code + "nowhere/on")[0] == []


def test_folders(known, folder):
    assert complete(known, "%cd on") == (["onward/"], "on")
    assert complete(known, "%cd ../of-")[0] == ["../of-names/"]
    assert kinds(known, "%cd on")["onward/"][0] == "folder"


def test_files_of_the_home(known, folder):
    known.run(f"%env HOME={folder}").ok()
    assert complete(known, "!ls ~/on") == (["~/one.txt", "~/onward/"], "~/on")


def test_programs(known, folder):
    assert "grep" in complete(known, "!gre")[0]
    assert "grep" in complete(known, "! ls | gre")[0]
    assert "grep" in complete(known, "%%bash\nls\ngre")[0]
    assert complete(known, "!ls gre")[0] == []
    assert complete(known, "!./too")[0] == ["./tool"]
    assert kinds(known, "!gre")["grep"][0] == "program"
