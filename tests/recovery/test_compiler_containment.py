# SPDX-License-Identifier: Apache-2.0
"""What the text of a cell may not do by way of the compiler, which reads it, and of the tools that it starts."""
import re

import pytest

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
    result = confined.run(READERS[reader].format(path=confined.manager.connection_file))
    confined.run("%cflags off").ok()
    assert key not in result.shown and key[:20] not in result.shown, result.shown


@pytest.mark.parametrize("reader", ["incbin", "include", "include in C++"])
def test_a_reader_shows_another_file(confined, notebook, reader):
    """In the output or in a message of the compiler: so each of these attacks works where it may."""
    text = READERS[reader].format(path=notebook / "file.txt").replace("stolen", f"shown_{len(reader)}")
    assert "in the open" in confined.run(text).shown
    confined.run("%reset -f").ok()


def test_the_compiler_has_no_privileges_and_a_filter(confined):
    confined.run("1").ok()
    with open(f"/proc/{confined.compiler_pid()}/status") as f:
        value = dict(re.findall(r"^(\w+):\s+(\S+)", f.read(), re.M))
    assert value["NoNewPrivs"] == "1" and value["Seccomp"] == "2", value
    assert not int(value["CapEff"], 16) & 1 << 21, value  # CAP_SYS_ADMIN


def test_a_plugin_in_the_compiler_cannot_trace_the_kernel(confined, notebook):
    """A plug-in runs in the compiler process with what that may do, and that is not to reach the kernel process."""
    source, library = notebook / "plugin.c", notebook / "plugin.so"
    source.write_text(f"""
#include <stdio.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/ptrace.h>
__attribute__((constructor)) static void load(void)
{{
    FILE *f = fopen("{notebook}/said", "w");
    errno = 0;
    fprintf(f, "ptrace %ld ", ptrace(PTRACE_ATTACH, {confined.pid}, 0, 0));
    fprintf(f, "mem %d\\n", open("/proc/{confined.pid}/mem", O_RDONLY));
    fclose(f);
}}
""")
    confined.run(f"!cc -shared -fPIC -o {library} {source}").ok()
    confined.run(f"%cflags -fpass-plugin={library}")
    confined.run("int made_with_a_plugin = 1;")
    confined.run("%cflags off").ok()
    said = notebook / "said"
    if said.exists():  # it was loaded
        assert said.read_text() == "ptrace -1 mem -1\n"
        said.unlink()
