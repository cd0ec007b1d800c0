# SPDX-License-Identifier: Apache-2.0
"""A text that is small, and that nobody can compile in any memory."""
import re

# Each level squares what the one before makes of its argument: 2 to the power of 64 copies.
MACROS = ("#define F0(x) x x\n" + "".join(f"#define F{n + 1}(x) F{n}(F{n}(x))\n" for n in range(6)) + "int sum = 0 F6(+1);")


def test_a_text_that_multiplies_itself(start_kernel):
    """The compiler has a limit of memory, as the session has, and not less than 2 GB."""
    session = start_kernel(CGPU_RAM="1G")
    session.run("int kept = 7;").ok()
    result = session.run(MACROS)
    assert result.ename == "CompileError", result.shown
    assert re.search(r"needed more than 2(\.0)? G\w* of memory for this cell", result.evalue), result.shown
    assert session.run("kept").ok().text == "7"


def test_a_larger_limit_is_the_compilers_too(start_kernel, capfd):
    """It is another process then, and that is no trouble that the log would tell of."""
    session = start_kernel(CGPU_RAM="1G")
    before = session.compiler_pid()
    capfd.readouterr()
    session.run("%limit ram 3G\n1").ok()
    session.run("2").ok()
    assert "the compiler" not in capfd.readouterr().err
    assert session.compiler_pid() != before
    with open(f"/proc/{session.compiler_pid()}/limits") as f:
        assert re.search(rf"^Max data size +{(3 + 4) << 30} ", f.read(), re.M)
