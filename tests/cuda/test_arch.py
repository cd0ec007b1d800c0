# SPDX-License-Identifier: Apache-2.0
"""%arch: what device code is compiled for, as that code says itself; what a target has, which is what ptxas takes."""
import pathlib
import re
import subprocess

import pytest

ENTRY = "__global__ void arch_of(int *p) {\n#ifdef __CUDA_ARCH__\n  *p = __CUDA_ARCH__;\n#endif\n}\n"
ASK = "int *arch_at;\ncudaMallocManaged(&arch_at, 4);\narch_of<<<1, 1>>>(arch_at);\ncudaDeviceSynchronize();\n*arch_at"
NEED = ('.shared .align 16 .b8 s[64];', '.reg .b32 r<9>; .reg .f32 f<9>; .reg .b64 d<9>; .reg .b16 h<9>; .reg .pred p;')
CLANG_PTX = 78
USES = {
    "whole grids": "atom.global.add.f64 d1, [d2], d3;",
    "tensor cores": "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r1}, [s];\n"
                    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {f1,f2,f3,f4}, {r1,r2}, {r3}, {f1,f2,f3,f4};",
    "tensor cores, more types": "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {f1,f2,f3,f4}, {r1,r2}, {r3}, {f1,f2,f3,f4};",
    "bf16 arithmetic": "fma.rn.bf16 h1, h2, h3, h4;",
    "cp.async": "cp.async.ca.shared.global [s], [d1], 4;",
    "mbarrier": "mbarrier.init.shared.b64 [s], 1;",
    "redux.sync": "redux.sync.add.s32 r1, r2, 0xffffffff;",
    "8-bit floats": "cvt.rn.satfinite.e4m3x2.f32 h1, f1, f2;",
    "clusters": "barrier.cluster.arrive;",
    "bulk copies": "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [d1], 16, [s];",
    "vector atomics": "red.global.add.v4.f32 [d1], {f1, f2, f3, f4};",
    "wgmma": "wgmma.fence.sync.aligned;",
}


def features(root):
    text = (root / "kernel" / "device-magics" / "device-features.def").read_text()
    return {name: (int(target), specific == "true", int(version))
            for target, specific, version, name in re.findall(r'^FEATURE\((\d+), (true|false), (\d+), "([^"]+)"', text, re.M)}


def rows(shown):
    """{first column: the other two, with two blanks between them}"""
    cells = [re.split(r" {2,}", line.strip(), maxsplit=1) for line in shown.splitlines() if re.match(r"\S.*  ", line)]
    return {first: re.sub(r" {2,}", "  ", rest) for first, rest in cells}


@pytest.fixture(scope="module")
def ptxas(nvcc):
    return pathlib.Path(nvcc).resolve().parent / "ptxas"


def assembles(ptxas, tmp_path, use, target, version):
    """Whether there is machine code of the PTX for this target, and what is said of it."""
    (tmp_path / "f.ptx").write_text(f".version {version / 10}\n.target sm_{target}\n.address_size 64\n{NEED[0]}\n"
                                    f".visible .entry f() {{\n{NEED[1]}\n{use}\nret;\n}}\n")
    ran = subprocess.run([ptxas, f"-arch=sm_{target}", "-o", tmp_path / "f.cubin", tmp_path / "f.ptx"], text=True,
                         capture_output=True)
    return ran.returncode == 0, ran.stdout + ran.stderr


def test_the_table_is_what_ptxas_takes(root, ptxas, tmp_path):
    known = features(root)
    assert set(known) == set(USES)
    for name, (target, specific, version) in known.items():
        # Of the versions before that of cells of C and C++ the first one does not matter.
        works, said = assembles(ptxas, tmp_path, USES[name], f"{target}a" if specific else target, max(version, CLANG_PTX))
        assert works, f"{name}: {said}"
        below = target if specific else max((t for t in (75, 80, 86, 89) if t < target), default=None)
        if below:
            works, said = assembles(ptxas, tmp_path, USES[name], below, max(version, CLANG_PTX))
            assert not works and re.search(r"\.target '?sm_\d+", said), f"{name}: {said}"
        if version > CLANG_PTX and not specific:
            works, said = assembles(ptxas, tmp_path, USES[name], 90, CLANG_PTX)
            assert not works and f"requires PTX ISA .version {version / 10} or later" in said, f"{name}: {said}"


@pytest.mark.parametrize("capability", ["7.5", "8.6", "9.0"])
def test_it_is_what_cells_are_compiled_for(start_kernel, capability):
    session = start_kernel(CGPU_EMULATED_CAPABILITY=capability)
    sm = capability.replace(".", "")
    shown = session.run("%arch").ok().printed
    told = rows(shown)
    assert told["compute capability"].startswith(f"{capability}  ") and "CGPU_EMULATED_CAPABILITY" in shown
    ptx = session.run(f"%%ptx\n{ENTRY}").ok().printed
    version, = re.findall(r"^.*\.version (\S+)", ptx, re.M)
    assert f".target sm_{sm}" in ptx
    assert told["cells of C and C++"].startswith(f"sm_{sm}, PTX {version}  by clang")
    assert told["%%cuda cells"].startswith(f"compute_{sm}  ")
    session.run(ENTRY).ok()
    assert session.run(ASK).ok().text == told["__CUDA_ARCH__"].split()[0]
    whole = session.run("%%cuda\n#include <cstdio>\n" + ENTRY + "int main() { int *p; cudaMallocManaged(&p, 4);\n"
                        'arch_of<<<1, 1>>>(p); cudaDeviceSynchronize(); printf("%d", *p); }').ok()
    assert whole.stdout == told["__CUDA_ARCH__"].split()[0]
    assert told["cp.async"].startswith("yes" if capability > "7.5" else "no: sm_80 has it")
    assert told["vector atomics"].startswith("in %%cuda cells, PTX 8.1" if capability == "9.0" else "no: sm_90 has it")
    assert told["clusters"].startswith("yes" if capability == "9.0" else "no: sm_90 has it")
    assert told["wgmma"].startswith("no: sm_90a only")
    session.close()


def test_another_target(kernel):
    shown = kernel.run("%arch sm_90").ok().printed
    told = rows(shown)
    assert told["compute capability"].startswith("9.0  as asked for; cells are compiled for sm_75")
    ptx = kernel.run(f"%%ptx --arch sm_90\n{ENTRY}").ok().printed
    assert ".target sm_90" in ptx and told["cells of C and C++"].startswith("sm_90, PTX ")
    assert re.fullmatch(r"yes  .*; emulated: done at once", told["cp.async"]) and told["wgmma"].startswith("no: sm_90a only")
    for same in ("compute_90", "90"):
        assert kernel.run(f"%arch {same}").ok().printed == shown
    newer = rows(kernel.run("%arch sm_120").ok().printed)
    assert newer["cells of C and C++"].startswith("sm_90, PTX ") and newer["%%cuda cells"].startswith("compute_120")
    assert newer["__CUDA_ARCH__"].split() == "900 in %%cuda cells 1200".split()
    assert kernel.run(f"%%ptx --arch sm_120\n{ENTRY}").ok().printed.count(".target sm_90")


def test_flags_are_named_and_change_no_target(kernel):
    kernel.run("%nvflags -use_fast_math -arch=sm_90").ok()
    told = rows(kernel.run("%arch").ok().printed)
    assert told["%nvflags"].startswith("-use_fast_math -arch=sm_90  ") and told["%%cuda cells"].startswith("compute_75")
    assert ".target sm_75" in kernel.run(f"%%ptx\n{ENTRY}").ok().printed
    kernel.run("%nvflags").ok()


@pytest.mark.parametrize("word,why", [
    ("9.0", '%arch: "9.0" is no compute capability; write %arch sm_90, or %arch for the device\'s'),
    ("sm_90 sm_80", '%arch: "sm_90 sm_80" is no compute capability; write %arch sm_90, or %arch for the device\'s'),
    ("sm_70", "%arch: CUDA 13 compiles for no GPU as old as sm_70; the oldest is sm_75"),
])
def test_what_is_no_target_is_told(kernel, word, why):
    assert kernel.run(f"%arch {word}").evalue == why


def test_it_is_a_table_in_pages_too(kernel):
    shown = kernel.run("%arch").ok().displays[0]
    assert "<table" in shown["text/html"] and "cp.async" in shown["text/html"]
