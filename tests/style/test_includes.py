# SPDX-License-Identifier: Apache-2.0
"""The folder rule of ARCHITECTURE.md, read from the #include lines."""
import re

from build_flags import build_folder, compile_flags

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)

# folder: our folders that it may include; below, outside libraries and the folders that may include them
MAY_USE = {
    "common": {"common"},
    "kernel": {"common", "kernel"},
    "compiler": {"common", "compiler"},
    "runtime": {"common", "runtime"},
    "emulator": {"common", "emulator"},
}
ONLY_IN = [
    (re.compile(r"zmq|zmq_.*"), "kernel"),
    (re.compile(r"openssl/.*"), "kernel"),
    (re.compile(r"jansson"), "kernel"),
    (re.compile(r"sqlite3"), "kernel"),
    (re.compile(r"seccomp"), "kernel"),
    (re.compile(r"utf8proc"), "kernel"),
    (re.compile(r"elfutils/.*|dwarf"), "kernel"),
    (re.compile(r"zstd"), "kernel emulator"),
    (re.compile(r"lz4"), "emulator"),
    (re.compile(r"uuid/uuid"), "kernel"),
    (re.compile(r"clang-c/.*|clang/.*|llvm/.*"), "compiler"),
    (re.compile(r"llvm-c/.*"), "compiler emulator"),
    (re.compile(r"nvrtc"), "compiler"),
]
CUDA = re.compile(r"(cuda|cuda_runtime.*|cudaTypedefs|driver_types|vector_types)$")


def includes(root):
    for folder in MAY_USE:
        for path in sorted((root / folder).rglob("*")):
            # Headers for cells are installed together and include each other by name.
            if path.suffix in (".c", ".h", ".cc", ".def") and "prelude" not in path.parts:
                for mark, name in INCLUDE.findall(path.read_text()):
                    yield folder, path.relative_to(root), mark, name


def test_folders_include_only_what_they_may(root):
    broken = []
    for folder, path, mark, name in includes(root):
        if mark == '"' and name != "config.h" and name.split("/")[0] not in MAY_USE[folder]:
            broken.append(f"{path}: {name}")
    assert not broken, broken


def test_own_headers_are_included_by_path_from_the_root(root):
    broken = [f"{path}: {name}" for _, path, mark, name in includes(root)
              if mark == '"' and name != "config.h" and not (root / name).exists() and "/" not in name]
    assert not broken, broken


def test_each_library_has_one_folder(root):
    broken = []
    for folder, path, mark, name in includes(root):
        stem = re.sub(r"\.h$", "", name)
        for pattern, owner in ONLY_IN:
            if mark == "<" and pattern.fullmatch(stem) and folder not in owner.split():
                broken.append(f"{path}: {name} is for {owner} only")
        if mark == "<" and CUDA.fullmatch(stem) and folder not in ("runtime", "emulator", "compiler"):
            broken.append(f"{path}: {name}")
    assert not broken, broken


def test_what_includes_cuda_is_compiled_with_its_folder(root):
    """A compiler may find CUDA's headers by itself here, and on no other machine."""
    included = {}
    for _, path, _, name in includes(root):
        included.setdefault(str(path), set()).add(name)

    def uses_cuda(path, seen):
        seen.add(path)
        return any(CUDA.fullmatch(re.sub(r"\.h$", "", name)) or (name not in seen and uses_cuda(name, seen))
                   for name in included.get(path, ()))

    users = {path: flags for path, flags in compile_flags(root).items() if uses_cuda(path, set())}
    assert len(users) > 20
    folder = re.search(r"^CUDA_CPPFLAGS = -isystem (\S+)", (build_folder(root) / "Makefile").read_text(), re.M).group(1)
    broken = sorted(path for path, flags in users.items() if folder not in flags)
    assert not broken, broken
