# SPDX-License-Identifier: Apache-2.0
"""What the text of a cell may not do by way of the compiler, which reads it, and of the tools that it starts."""
import re
import subprocess

import pytest
from machine import stopped_by

# Each would show the file, in the cell's output or in the compiler's messages.
READERS = {
    "incbin": '__asm__(".pushsection .rodata\\n.globl stolen\\nstolen: .incbin \\"{path}\\"\\n.byte 0\\n.popsection");\n'
              'extern const char stolen[];\nputs(stolen);',
    "include": 'const char *stolen =\n#include "{path}"\n;\nputs(stolen);',
    "include in C++": '%%cpp\nconst char *stolen =\n#include "{path}"\n;\nputs(stolen);',
    "embed": 'const char stolen[] = {{\n#embed "{path}"\n, 0}};\nputs(stolen);',
    "flags": '%cflags -include {path}\n1',
    "flags of nvcc": '%%cuda -include {path}\nint main() {{ return 0; }}',
    "nvcc": '%%cuda\n#include <stdio.h>\n#include "{path}"\nint main() {{ return 0; }}',
}


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    """A folder that is not above the connection file, with a file."""
    folder = tmp_path_factory.mktemp("notebook")
    (folder / "file.txt").write_text('"in the open"')
    return folder


@pytest.fixture(scope="module", params=["", "landlock", "hide-file"], ids=["all", "no-landlock", "no-hide-file"])
def confined(request, start_kernel, notebook):
    """A session with all of the containment, or with steps taken away as on a Linux that lacks them."""
    session = start_kernel(CGPU_WITHOUT=request.param)
    session.run(f"%cd {notebook}").ok()
    session.kill(session.compiler_pid())
    session.run("1").ok()
    return session


@pytest.mark.parametrize("reader", READERS)
def test_no_text_of_a_cell_reads_the_key(confined, reader):
    key = confined.manager.session.key.decode()
    assert len(key) > 20
    stopped_by(confined, "hide-file", "landlock")
    result = confined.run(READERS[reader].format(path=confined.manager.connection_file))
    confined.run("%cflags off").ok()
    assert key not in result.shown and key[:20] not in result.shown, result.shown


PRELOADED = """#include <stdio.h>
static void __attribute__((constructor)) steal(void) {{
  char text[4096]; size_t n; FILE *in = fopen("{key}", "r"), *out = fopen("{stolen}", "a");
  if (in && out && (n = fread(text, 1, sizeof(text), in)) > 0) fwrite(text, 1, n, out);
  if (out) fputs("\\nwas here\\n", out), fclose(out);
}}"""


@pytest.mark.parametrize("ended", ["compiler", "zygote"])
def test_a_variable_of_the_environment_reaches_no_process_before_its_containment(confined, ended, tmp_path):
    """%env LD_PRELOAD: the code of that library would run in the next compiler or zygote, first of all."""
    key, stolen = confined.manager.session.key.decode(), tmp_path / "stolen"
    source = tmp_path / "steal.c"
    source.write_text(PRELOADED.format(key=confined.manager.connection_file, stolen=stolen))
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", tmp_path / "steal.so", source], check=True)
    confined.run(f"%env LD_PRELOAD={tmp_path}/steal.so").ok()
    confined.kill(confined.compiler_pid() if ended == "compiler" else confined.zygote_pid())
    confined.kill(confined.worker_pid())
    assert confined.run("1 + 1").ok().text == "2"
    assert not stolen.exists()
    # What a command starts has the variable, and so have tools of the compiler.
    confined.run("!true").ok()
    assert "was here" in stolen.read_text()
    confined.run("%env LD_PRELOAD=").ok()


@pytest.mark.parametrize("reader", ["incbin", "include", "include in C++"])
def test_a_reader_shows_another_file(confined, notebook, reader):
    """In the output or in a message of the compiler: so each of these attacks works where it may."""
    text = READERS[reader].format(path=notebook / "file.txt").replace("stolen", f"shown_{len(reader)}")
    assert "in the open" in confined.run(text).shown
    confined.run("%reset -f").ok()


@pytest.mark.parametrize("helper", ["compiler", "launcher", "history", "presenter"])
def test_a_helper_has_no_privileges_and_a_filter(confined, helper):
    """And is not taken for what a cell has left behind, when its worker ends."""
    confined.run("!true\n1").ok()
    assert confined.run("*(volatile int *)0 = 1;").ename == "SegmentationFault"
    pid = getattr(confined, f"{helper}_pid")()
    confined.kill(confined.worker_pid())
    confined.run("1").ok()
    assert getattr(confined, f"{helper}_pid")() == pid
    with open(f"/proc/{pid}/status") as f:
        value = dict(re.findall(r"^(\w+):\s+(\S+)", f.read(), re.M))
    assert value["NoNewPrivs"] == "1" and value["Seccomp"] == "2", value
    assert not int(value["CapEff"], 16) & 1 << 21, value  # CAP_SYS_ADMIN
