# SPDX-License-Identifier: Apache-2.0
"""Flags by which a compiler, a linker or nvcc would load or run other code, or write files: each is refused by name, where it
is set, and nothing has changed."""
import pytest

REFUSED = "is not among the flags that cells may use"
OF_CLANG = ["-fplugin={plugin}", "-fpass-plugin={plugin}", "-Xclang -load -Xclang {plugin}", "-mllvm -load={plugin}",
            "-B{folder}", "-wrapper {program}", "--config={config}", "@{config}", "-o {file}", "-MMD -MF {file}",
            "-Wp,-MD,{file}", "-dumpdir {folder}/", "-save-temps={folder}", "-specs={config}", "-ftime-trace={file}",
            "--serialize-diagnostics {file}", "-D -std=c++17 -I -fplugin={plugin}"]
OF_NVCC = ["-ccbin {program}", "--compiler-bindir={program}", "-Xcompiler -fplugin={plugin}", "-Xcompiler -Wall,-o,{file}",
           "-Xlinker -o,{file}", "-Xptxas --output-file={file}", "--options-file {config}", "-o{file}",
           "--keep --keep-dir {folder}", "-time {file}", "-MF {file}", "'-DX=$(touch {file})'", "'-DX=`touch {file}`'"]


@pytest.fixture
def traps(kernel, tmp_path):
    """A plug-in and a program that say so when they are run, and the names of files that nobody may write."""
    ran = tmp_path / "ran"
    source = tmp_path / "plugin.c"
    source.write_text('#include <fcntl.h>\n__attribute__((constructor)) static void load(void) '
                      f'{{ creat("{ran}", 0600); }}\n')
    kernel.run(f"!cc -shared -fPIC -o {tmp_path}/plugin.so {source}").ok()
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    for name in ("as", "ld", "g++", "gcc"):
        (tmp_path / name).symlink_to(program)
    config = tmp_path / "config"
    config.write_text(f"-fplugin={tmp_path}/plugin.so\n")
    names = {"plugin": tmp_path / "plugin.so", "program": program, "folder": tmp_path, "config": config,
             "file": tmp_path / "written"}
    before = sorted(p.name for p in tmp_path.iterdir())
    yield names
    assert sorted(p.name for p in tmp_path.iterdir()) == before


def first_word(flags):
    """The flag that the error names."""
    return flags.strip("'") if flags[0] == "'" else flags.split()[0]


@pytest.mark.parametrize("flags", OF_CLANG)
def test_the_magic_refuses_flags_of_clang(kernel, traps, flags):
    flags = flags.format(**traps)
    kernel.run("%cflags -DKEPT=5").ok()
    r = kernel.run(f"%cflags {flags}\nint ran_with_it;")
    assert r.status == "error" and r.ename == "UsageError", r.shown
    assert f"%cflags: {first_word(flags)} {REFUSED}" in r.evalue and "docs/libraries.md" in r.evalue
    assert kernel.run("%cflags").ok().stdout == "cflags: -DKEPT=5\n"
    assert kernel.run("KEPT").ok().text == "5"
    kernel.run("%cflags off").ok()
    cpp = kernel.run(f"%%cpp {flags}\nint ran_with_it;")
    assert cpp.ename == "CompileError" and f"%%cpp: {first_word(flags)} {REFUSED}" in cpp.evalue, cpp.shown


@pytest.mark.parametrize("magic, flags", [
    ("ldflags", "-fplugin={plugin}"), ("ldflags", "-lm -o {file}"), ("ldflags", "@{config}"),
    ("nvflags", "-Xcompiler -fplugin={plugin}"), ("nvflags", "-include-pch {file}"), ("nvflags", "-ccbin {program}"),
    ("nvflags", "-Xptxas --output-file={file}")])
def test_the_magic_refuses_other_flags(kernel, traps, magic, flags):
    before = kernel.run(f"%{magic}").ok().stdout
    r = kernel.run(f"%{magic} {flags.format(**traps)}")
    assert r.ename == "UsageError" and REFUSED in r.evalue, r.shown
    assert kernel.run(f"%{magic}").ok().stdout == before


@pytest.mark.cuda
@pytest.mark.parametrize("flags", OF_NVCC)
def test_a_program_for_nvcc_is_refused_with_its_flags(kernel, traps, flags):
    r = kernel.run(f"%%cuda {flags.format(**traps)}\nint main() {{}}\n")
    assert r.ename == "CompileError" and "%%cuda: " in r.evalue and REFUSED in r.evalue, r.shown


@pytest.mark.parametrize("line", ["Cflags: -fplugin={plugin}", "Cflags: -DX=1 -Xclang -load -Xclang {plugin}",
                                  "Libs: -fplugin={plugin}", "Libs: @{config}"])
def test_a_package_is_refused_with_its_flags(start_kernel, kernel, traps, line):
    """The folder of .pc files is what a cell may write to."""
    (traps["folder"] / "trap.pc").write_text(f"Name: trap\nDescription: tests\nVersion: 1\n{line.format(**traps)}\n")
    try:
        r = start_kernel(PKG_CONFIG_LIBDIR=str(traps["folder"])).run("%pkg trap")
        assert r.ename == "UsageError" and "trap.pc" in r.evalue and REFUSED in r.evalue, r.shown
    finally:
        (traps["folder"] / "trap.pc").unlink()


def test_what_packages_and_programs_use_is_allowed(kernel, tmp_path):
    kernel.run(f"%cflags -I{tmp_path} -isystem {tmp_path} -D_REENTRANT -pthread -O3 -march=native -mno-avx512f -std=gnu17 "
               "-Wall -Wextra -Wno-sign-compare -fno-math-errno -g -lm\n1").ok()
    kernel.run("%cflags off").ok()
