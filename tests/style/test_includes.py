# SPDX-License-Identifier: Apache-2.0
"""The folder rule of ARCHITECTURE.md, and where CUDA's headers come from, read from the #include lines."""
import importlib.metadata
import pathlib
import re
import shlex
import subprocess

from build_flags import build_folder, compile_flags
from test_text import tracked

ANY_INCLUDE = re.compile(r"#[ \t]*include[ \t]*<(\w[\w./+-]*)>")
# What tests write themselves, or ask for because it is not there.
MADE_UP = {"a.h", "cairo.h", "cub/a.cuh", "cub/b.cuh", "cub/nothing.cuh", "cub/x.cuh", "deep.h", "later/x.h",
           "level.h", "my.cuh", "my.h", "no_such_header", "nosuch.h", "there_is_no_such_header.h", "thrust/x.h",
           "tiny/other.h", "tiny/sum.h", "vectr"}
# Of libraries that programs use where they are: tests bring a small one of the same name, or only read the line.
BROUGHT = {"GL/glut.h", "cublas_v2.h", "cufft.h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)

# folder: our folders that it may include; below, outside libraries and the folders that may include them
MAY_USE = {
    "common": {"common"},
    "kernel": {"common", "kernel"},
    "compiler": {"common", "compiler"},
    "runtime": {"common", "runtime"},
    "emulator": {"common", "emulator"},
}
# Rooms of a folder, lowest first: a file includes headers of its own room and of lower ones.
ROOMS = {
    "common": ["base", "text", "memory", "code", "cuda", "protocol", "sandbox"],
    "compiler/clang": ["job", "tree", "expression", "cells", "code", "headers", "device"],
    "compiler": ["cache", "text", "packages", "clang", "session", "units", "device", "frontend", "inspect"],
    "kernel": ["settings", "base", "history", "launcher", "sandbox", "share", "units", "state", "faults", "views", "presenter",
               "core", "workers", "device", "disk", "cell-run", "supervisor", "protocol", "show", "comms", "declarations",
               "session", "reports", "debugger", "device-magics", "machine-magics", "magics", "requests"],
    "runtime": ["arena", "cuda", "process", "loader", "faults", "debugger", "memcheck", "interpose", "display",
                "widgets", "exports", "worker"],
    "emulator": ["ptx", "decode", "report", "warp", "memory", "syscall", "exec", "hot", "launch", "check", "profile",
                 "debug", "driver"],
    "emulator/driver": ["device", "memory", "module", "graph", "stream", "copy", "launch", "graph-run", "api"],
    "runtime/cuda": ["ptx", "driver", "session", "memory", "reports", "rollback", "code", "graphs", "cudart", "cudart-graph",
                     "libcuda", "exports"],
}
ONLY_IN = [
    (re.compile(r"zmq|zmq_.*"), "kernel"),
    (re.compile(r"openssl/.*"), "kernel"),
    (re.compile(r"jansson"), "kernel"),
    (re.compile(r"sqlite3"), "kernel/history"),
    (re.compile(r"seccomp"), "kernel"),
    (re.compile(r"utf8proc"), "kernel"),
    (re.compile(r"elfutils/.*|dwarf"), "kernel/presenter"),
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
            if path.suffix in (".c", ".h", ".cc", ".hh", ".def") and "prelude" not in path.parts:
                for mark, name in INCLUDE.findall(path.read_text()):
                    yield folder, path.relative_to(root), mark, name


def test_folders_include_only_what_they_may(root):
    broken = []
    for folder, path, mark, name in includes(root):
        if mark == '"' and name != "config.h" and name.split("/")[0] not in MAY_USE[folder]:
            broken.append(f"{path}: {name}")
    assert not broken, broken


def room(folder, name):
    """Which room of the folder a file is in; None: it is elsewhere, or stands beside the rooms."""
    inside, _, stem = name.removeprefix(folder + "/").partition("/")
    return inside if name.startswith(folder + "/") and stem else None


def test_rooms_include_lower_rooms_only(root):
    """What stands beside the rooms of a folder has main(), or is what others call, and may use them all."""
    broken, seen = [], set()
    for folder, rooms in ROOMS.items():
        for _, path, mark, name in includes(root):
            user, used = room(folder, str(path)), room(folder, name)
            if user:
                seen.add((folder, user))
            if user and mark == '"' and name.startswith(folder + "/") and (
                    user not in rooms or used not in rooms or rooms.index(used) > rooms.index(user)):
                broken.append(f"{path}: {name}")
    assert seen == {(folder, room) for folder, rooms in ROOMS.items() for room in rooms}
    assert not broken, broken


def test_the_presenter_alone_reads_what_cells_send(root):
    """The process that holds the key takes texts in place of values, traces and profiles."""
    views = {f"kernel/views/{path.name}" for path in (root / "kernel/views").glob("*.h")}
    readers = views - {"kernel/views/owner-text.h", "kernel/views/presenter-frame.h", "kernel/views/presenter-part.h",
                       "kernel/views/presenter-value.h", "kernel/views/presenter-view.h"}
    readers |= {"common/code/type-code.h", "common/protocol/device-trace.h", "common/protocol/launch-profile.h"}
    broken = [f"{path}: {name}" for folder, path, _, name in includes(root)
              if folder == "kernel" and name in readers and path.parts[1] not in ("views", "presenter")]
    assert len(readers) > 8 and not broken, broken


def test_rooms_say_what_they_are(root):
    broken = [f"{folder}/{room}" for folder, rooms in ROOMS.items() for room in rooms
              if not all(word in (root / folder / room / "README.md").read_text()
                         for word in ("Purpose: ", "Way in: ", "May use: ", "Invariants: "))]
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
            if mark == "<" and pattern.fullmatch(stem) and not any(path.is_relative_to(o) for o in owner.split()):
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


def wheels(root):
    """The distributions that tests/requirements-cuda.txt names: the parts that cuda-toolkit has under these extras."""
    name, extras = re.search(r"^([\w-]+)\[([\w,]+)\]", (root / "tests/requirements-cuda.txt").read_text(), re.M).groups()
    parts = []
    for line in importlib.metadata.requires(name):
        part, wanted = re.match(r"([\w.-]+)", line).group(1), re.search(r"extra == ['\"]([\w-]+)['\"]", line)
        if wanted and wanted.group(1) in extras.split(","):
            parts.append(part)
    assert parts, f"no part of {name} has one of the extras {extras}"
    return sorted(set(parts))


def wheel_headers(root):
    """Names as they are included."""
    found = set()
    for part in wheels(root):
        try:
            files = importlib.metadata.files(part)
        except importlib.metadata.PackageNotFoundError:
            continue  # for another system
        for path in map(str, files):
            name = re.sub(r"^nvidia/cu13/include/(cccl/)?", "", path)
            if name != path:
                found.add(name)
    return found


def system_folders():
    """Where gcc, LLVM and libraries of the distribution have their headers; /usr/local may show those of a toolkit."""
    said = subprocess.run(["g++", "-xc++", "-E", "-v", "/dev/null"], text=True, capture_output=True).stderr
    folders = [line.strip() for line in said.splitlines() if line.startswith(" /") and not line.startswith(" /usr/local")]
    flags = subprocess.run(["pkg-config", "--cflags-only-I", "libpkgconf"], text=True, capture_output=True).stdout
    return list(map(pathlib.Path, folders + [f[2:] for f in shlex.split(flags)] + list(map(str, llvm_folders()))))


def llvm_folders():
    """LLVM's headers, and those that clang itself has."""
    root = pathlib.Path("/usr/lib")
    return list(root.glob("llvm-*/include")) + list(root.glob("llvm-*/lib/clang/*/include"))


def test_cuda_headers_are_in_a_wheel_that_is_named(root):
    """Most users have no toolkit: what neither we nor the system has must be in the wheels that ./bootstrap installs."""
    there, folders = wheel_headers(root), system_folders() + [root / "compiler/prelude"]
    wanted = {}
    for name, text in tracked(root):
        if name.startswith(("common/", "compiler/", "emulator/", "kernel/", "runtime/", "tests/", "notebooks/")):
            for header in ANY_INCLUDE.findall(text):
                wanted.setdefault(header, name)
    missing = [f"{name}: <{header}>" for header, name in sorted(wanted.items())
               if header not in there | MADE_UP | BROUGHT and not any((f / header).exists() for f in folders)]
    assert sum(header in there for header in wanted) > 50
    assert not missing, missing
