# SPDX-License-Identifier: Apache-2.0
"""Programs in directories of CUDA sources: which files, flags and arguments each has.

A folder with a Makefile is one program, or each that it links of other files: `make -n run` says how it is compiled
and called. One with a CMakeLists.txt that has add_executable() is a program for each of those. Elsewhere every file
with a main() is one, with the files beside it that have none if it is the only one. A table of sizes says how those
made for a large GPU are called.
"""
import functools
import json
import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

SOURCES = {".cu", ".cpp", ".cc", ".cxx", ".c"}
HEADERS = {".h", ".hpp", ".cuh", ".hxx", ".inl", ".inc"}
NUMBER = r"[(]?[0-9][\w.+*<>() -]*?"
MAIN = re.compile(r"^[ \t]*(?:extern\s+\"C\"\s+)?(?:int|void|auto)\s+(?:__cdecl\s+)?main\s*\(", re.MULTILINE)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
ANY_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
TOOLS = {"nvcc", "g++", "gcc", "c++", "cc", "clang++", "clang", "mpicc", "mpicxx", "mpic++"}
VALUES = {"-o", "-I", "-include", "-Xcompiler", "-Xptxas", "-Xlinker", "-x", "-ccbin", "-gencode", "-arch", "-code",
          "-L", "-l", "--maxrregcount", "-maxrregcount", "-D", "-MF", "-MT", "-t", "-Xcudafe", "-diag-suppress",
          "--default-stream", "-default-stream", "-rdc", "--relocatable-device-code"}
LEFT_OUT = {"-c", "-dc", "-g", "-G", "-dw", "-o", "-x", "-MF", "-MT", "-L", "-ccbin", "-gencode", "-arch", "-code", "-Xptxas",
            "-Xlinker"}


@dataclass
class Program:
    """One program; paths are absolute."""
    name: str
    folder: Path
    sources: list
    flags: list = field(default_factory=list)
    libraries: list = field(default_factory=list)  # "-lm"
    arguments: list = field(default_factory=list)
    problem: str = ""
    sized: bool = False     # a table of sizes has its arguments
    constants: dict = field(default_factory=dict)   # of the table: what its text defines otherwise
    images: list = field(default_factory=list)      # files of device code that it loads: (file, "-ptx" or "-fatbin", source)

    def source(self, path):
        """What is compiled of a file: constants of the table have the value that they have there."""
        text = read(path)
        for name, value in self.constants.items():
            if not name.isidentifier():
                text = text.replace(name, value)
                continue
            text = re.sub(rf"^([ \t]*#[ \t]*define[ \t]+{name}[ \t]+)[^\n/]+", rf"\g<1>{value} ", text, flags=re.MULTILINE)
            text = re.sub(rf"\b({name}[ \t]*=[ \t]*){NUMBER}(?=[ \t]*[;,)])", rf"\g<1>{value}", text)
        return text

    def changed_headers(self):
        """Headers beside the sources, if the table changes one of them: they include each other."""
        headers = [p for p in sorted(self.folder.iterdir()) if p.suffix in HEADERS] if self.constants else []
        return headers if any(self.source(p) != read(p) for p in headers) else []

    def resize(self, arguments, more):
        """Calls it with these arguments, "=" for its own; more: flags, NAME=VALUE for a constant, 1<<9=8 for a text."""
        if arguments != "=":
            self.arguments, self.problem, self.sized = shlex.split(arguments), "", True
        for word in shlex.split(more):
            if word.startswith("-"):
                self.flags.append(word)
            else:
                name, value = word.split("=", 1)
                self.constants[name] = value
                self.flags = [f"-D{word}" if f.startswith(f"-D{name}=") else f for f in self.flags]

    @functools.cached_property
    def text(self):
        """All of its text, with the headers beside it and those of other folders that it includes by their path."""
        todo = self.sources + [p for p in sorted(self.folder.iterdir()) if p.suffix in HEADERS]
        seen, texts = set(), []
        while todo:
            path = todo.pop(0).resolve()
            if path in seen or not path.is_file():
                continue
            seen.add(path)
            texts.append(read(path))
            todo += [path.parent / name for name in INCLUDE.findall(texts[-1])]
        return "\n".join(texts)


def read(path):
    return path.read_text(errors="replace")


def has_main(path):
    return bool(MAIN.search(COMMENT.sub("", read(path))))


def _joined(first, second):
    return list(dict.fromkeys(first + second))


class _Commands:
    """What the lines of `make -n` come to."""

    def __init__(self, folder):
        self.folder, self.where = folder, [folder]
        self.sources, self.arguments = [], None
        self.flags, self.libraries = [], []     # of all programs; a flag is a word, or two
        self.of_object, self.flags_of_object = {}, {}   # sources, and flags and libraries
        self.linked = {}    # of each program: its sources, flags and libraries

    def line(self, line):
        entered = re.search(r"Entering directory '(.*)'", line)
        if entered:
            self.where.append(Path(entered.group(1)))
        elif "Leaving directory" in line and len(self.where) > 1:
            self.where.pop()
        try:
            words = shlex.split(line, comments=True)
        except ValueError:
            return
        if not words:
            return
        if Path(words[0]).name in TOOLS:
            before, self.flags, self.libraries = (self.flags, self.libraries), [], []
            self._compile(words[1:], Path(words[0]).name in ("gcc", "cc", "clang", "mpicc"))
            self._note_output(words[1:], (self.flags, self.libraries))
            self.flags, self.libraries = (_joined(*both) for both in zip(before, (self.flags, self.libraries)))
        elif words[0].startswith("./") and self.arguments is None and (self.sources or self.libraries):
            self.arguments = [w for w in words[1:] if w not in ("2>&1", "|", ">", "tee")]

    def _compile(self, words, is_c):
        at = 0
        if "-dc" in words:
            self.flags.append(("-rdc=true",))
        while at < len(words):
            word, at = words[at], at + 1
            value = None
            if word in VALUES and at < len(words):
                value, at = words[at], at + 1
            if not (is_c and word.startswith("-std=")):
                self._word(word, value)

    def _note_output(self, words, flags):
        """What the line makes of which sources, its own and those of its objects, and with which flags and libraries."""
        to = words[words.index("-o") + 1] if "-o" in words[:-1] else ""
        paths = [(self.where[-1] / w).resolve() for w in words if not w.startswith("-") and w != to]
        sources = [s for p in paths for s in ([p] if p.suffix in SOURCES else self.of_object.get(p, []))]
        for path in paths:
            flags = tuple(_joined(*both) for both in zip(flags, self.flags_of_object.get(path, ([], []))))
        if {"-c", "-dc"} & set(words):
            to = (self.where[-1] / to).resolve()
            self.of_object[to], self.flags_of_object[to] = sources, flags
        elif any(p.exists() and has_main(p) for p in sources):
            self.linked[Path(to).name or "a.out"] = (_joined(sources, []), *flags)

    def _word(self, word, value):
        if not word.startswith("-"):
            path = (self.where[-1] / word).resolve()
            if path.suffix in SOURCES and path not in self.sources:
                self.sources.append(path)
        elif word in ("-rdc", "--relocatable-device-code"):
            self._word(f"-rdc={value}", None)
        elif word.startswith("-l"):
            self.libraries.append(f"-l{value}" if value else word)
        elif word not in LEFT_OUT and not word.startswith(("-arch=", "--gpu-architecture", "-O", "-L", "-M")):
            if word.startswith("-I"):
                word, value = f"-I{(self.where[-1] / (value or word[2:])).resolve()}", None
            self.flags.append((word,) if value is None else (word, value))


def _make(folder, *targets):
    out = subprocess.run(["make", "-n", "-B", "-k", *targets, "CC=nvcc", "NVCC=nvcc", "ARCH=sm_75", "LAUNCHER="], cwd=folder,
                         capture_output=True, stdin=subprocess.DEVNULL, check=False, timeout=180)
    commands = _Commands(folder)
    for line in out.stdout.decode(errors="replace").replace("\\\n", " ").splitlines():
        commands.line(line)
    return commands, out.stderr.decode(errors="replace")


def _from_makefile(folder, name):
    commands, complaints = _make(folder, "run")
    if "'run'" in complaints and not commands.sources:
        commands, complaints = _make(folder)
        if len(commands.linked) < 2 or any(p.parent != folder for p in commands.sources):
            return []
    made = Program(name, folder, [p for p in commands.sources if p.exists()], list(chain(*commands.flags)),
                   commands.libraries, commands.arguments or [])
    lacks = re.search(r"No rule to make target '([^']+)'", complaints)
    if lacks and (lacks.group(1) == "run" or lacks.group(1).endswith(".o")):
        lacks = None
    if lacks:
        made.problem = f"{lacks.group(1)} is missing"
    if len({tuple(s) for s, _, _ in commands.linked.values()}) > 1 and not made.arguments:
        each = [Program(f"{name}/{to}", folder, [p for p in sources if p.exists()], list(chain(*flags)), libraries,
                        problem=made.problem)
                for to, (sources, flags, libraries) in commands.linked.items()]
        return [p for p in each if any(s.suffix == ".cu" for s in p.sources)]
    return [made] if any(p.suffix == ".cu" for p in made.sources) or "-x cu" in " ".join(made.flags) else []


def _runs(root_arguments, name):
    entry = root_arguments.get(name, {})
    return entry["runs"][0].get("args", []) if "runs" in entry else entry.get("args", [])


def _arguments_above(folder):
    """test_args.json of cuda-samples."""
    for above in folder.parents:
        if (above / "test_args.json").exists():
            return json.loads(read(above / "test_args.json"))
    return {}


def _images(text, folder):
    """What custom commands make of device code, for programs that load it themselves."""
    known = {"CMAKE_CURRENT_BINARY_DIR": str(folder), "CMAKE_CURRENT_SOURCE_DIR": str(folder)}

    def resolved(value):
        return re.sub(r"\$\{(\w+)\}", lambda m: known.get(m.group(1), m.group(0)), value)

    for name, value in re.findall(r'\bset\s*\(\s*(\w+)\s+"([^"]*)"\s*\)', text):
        known[name] = resolved(value)
    commands = re.findall(r"-o\s+([^\s)]+)\s+(-fatbin|-ptx)\s+([^\s)]+)", text)
    return [(Path(resolved(to)), kind, Path(resolved(source))) for to, kind, source in commands]


def _from_cmake(folder, prefix):
    text = re.sub(r"#[^\n]*", "", read(folder / "CMakeLists.txt"))
    includes = " ".join(re.findall(r"include_directories\s*\(([^)]*)\)", text)).split()
    flags = [f"-I{(folder / i).resolve()}" for i in includes if "$" not in i and (folder / i).is_dir()]
    flags += ["--extended-lambda"] if "--extended-lambda" in text else []
    standard = re.search(r"cuda_std_(\d+)", text)
    flags += [f"-std=c++{standard.group(1)}"] if standard else []
    flags += ["-Xcompiler", "-fopenmp"] if "OpenMP" in text else []
    libraries = [f"-l{n}" for n in re.findall(r"CUDA::(\w+)", text) + re.findall(r"find_package\s*\(\s*(\w+)", text)
                 if n not in ("CUDAToolkit", "cudart", "OpenMP", "cudadevrt")]
    arguments, found = _arguments_above(folder), {}
    for target, rest in re.findall(r"add_executable\s*\(\s*(\S+)([^)]*)\)", text):
        sources = [(folder / w).resolve() for w in rest.split() if Path(w).suffix in SOURCES]
        sources = [p for p in dict.fromkeys(sources) if p.exists()]
        if sources:
            name = prefix if target == folder.name else f"{prefix}/{target}"
            found[target] = Program(name, folder, sources, list(flags), list(libraries), _runs(arguments, target),
                                    images=_images(text, folder))
    return list(found.values())


def _from_files(folder, prefix):
    sources = sorted(p for p in folder.iterdir() if p.suffix in SOURCES)
    included = {folder / name for p in sources for name in INCLUDE.findall(COMMENT.sub("", read(p)))}
    sources = [p for p in sources if p not in included]
    mains = [p for p in sources if has_main(p)]
    programs = []
    for path in mains:
        together = sources if len(mains) == 1 else [path]
        openmp = any(re.search(r"#\s*include\s*<omp\.h>", read(p)) for p in together)
        programs.append(Program(f"{prefix}/{path.stem}", folder, together, ["-Xcompiler", "-fopenmp"] if openmp else []))
    return [p for p in programs if any(s.suffix == ".cu" for s in p.sources)]


@functools.cache
def _system_folders():
    """Where the compilers look for headers by themselves."""
    said = subprocess.run(["c++", "-x", "c++", "-E", "-v", "/dev/null"], capture_output=True, text=True, check=False).stderr
    nvcc = shutil.which("nvcc") or os.environ.get("CUDA_HOME", "/usr/local/cuda") + "/bin/nvcc"
    own = [Path(line.strip()) for line in said.splitlines() if line.startswith(" /")]
    return own + [Path(nvcc).resolve().parents[1] / "include"]


def _add_folders(program, headers):
    """Headers that the sources name, and that only another folder of the collection has: the nearest one that does."""
    known = [p.parent for p in program.sources] + [Path(f[2:]) for f in program.flags if f.startswith("-I")]
    known += _system_folders()
    for name in sorted({n for p in program.sources for n in ANY_INCLUDE.findall(read(p))}):
        if any((folder / name).exists() for folder in known):
            continue
        near = sorted((p for p in headers.get(Path(name).name, []) if str(p).endswith("/" + name)),
                      key=lambda p: -len(os.path.commonpath([p, program.folder])))
        if near:
            known.append(Path(str(near[0])[:-len(name) - 1]))
            program.flags.append(f"-I{known[-1]}")


def find(directory, named=False):
    """Programs of the directory and of the folders below it; below one with a Makefile or the like there are no others.

    named: the name of the directory is the first part of their names.
    """
    directory = directory.resolve()
    found, todo = [], [directory]
    while todo:
        folder = todo.pop(0)
        prefix = str(folder.relative_to(directory.parent if named or folder == directory else directory))
        programs = []
        if (folder / "Makefile").exists() and not re.search(r"SUBDIRS|for .* in", read(folder / "Makefile")):
            programs = _from_makefile(folder, prefix)
        if not programs and (folder / "CMakeLists.txt").exists():
            programs = _from_cmake(folder, prefix)
        found += programs
        if not programs:
            found += _from_files(folder, prefix)
            todo += sorted(p for p in folder.iterdir() if p.is_dir() and not p.name.startswith("."))
    headers = {}
    for path in sorted(directory.rglob("*")):
        if path.suffix in HEADERS:
            headers.setdefault(path.name, []).append(path)
    for program in found:
        _add_folders(program, headers)
    return found


def row_of(program, rows):
    """What a table says of the program, None for nothing; it is meant by the end of its name, "folder/program"."""
    parts = program.name.split("/")
    return next((rows[key] for key in ("/".join(parts[at:]) for at in range(len(parts))) if key in rows), None)


class Sizes:
    """Rows of program, arguments, and what else is other."""

    def __init__(self, path):
        self.rows = {}
        for line in read(path).splitlines():
            if line and not line.startswith("#"):
                name, arguments, *more = line.split("\t")
                self.rows[name] = arguments, " ".join(more)

    def apply(self, program):
        row = row_of(program, self.rows)
        if row:
            program.resize(*row)
