# SPDX-License-Identifier: Apache-2.0
"""Why a program passed or did not: by what it needs, by its exit status, and by what it says of itself."""
import re
from dataclasses import dataclass

LIBRARIES = [
    ("cuBLAS", r"cublas(Lt|Xt|_v2)?(\.h|\b)"), ("cuFFT", r"cufft"), ("cuSPARSE", r"cusparse"),
    ("cuSOLVER", r"cusolver"), ("cuDNN", r"cudnn"), ("NPP", r"\bnpp[a-z]*\.h|nppi"), ("nvJPEG", r"nvjpeg"),
    ("NCCL", r"\bnccl"), ("cuRAND", r"curand(_kernel)?\.h|-lcurand"), ("MPI", r"\bmpi\.h|-lmpi"),
    ("OpenGL", r"\bGL/|GLUT|OpenGL|glew|GLES|GLFW"), ("Vulkan", r"vulkan"), ("EGL", r"\bEGL"),
    ("FreeImage", r"FreeImage"), ("OpenCV", r"opencv"), ("NvSci", r"nvsci|NVSCI"), ("NVVM", r"\bnvvm\.h|libnvvm"),
    ("CUPTI", r"cupti"), ("NVSHMEM", r"nvshmem"), ("CUTLASS", r"cutlass/"), ("Kokkos", r"Kokkos"),
    ("Boost", r"<boost/|-lboost"), ("GDAL", r"gdal"), ("GSL", r"<gsl/|-lgsl"), ("nvGRAPH", r"nvgraph"),
    ("Direct3D", r"d3d1[0-2]|d3dx"), ("METIS", r"<metis|-lmetis"), ("tinyxml", r"tinyxml"), ("HDF5", r"hdf5\.h"),
    ("cuDLA", r"cudla"), ("cuSPARSELt", r"cusparseLt"), ("Fortran", r"-lgfortran"),
    ("nvbench", r"nvbench"), ("OpenACC", r"openacc\.h"), ("NVTX", r"nvToolsExt\b"),
]
USES = {"cuBLAS": r"cublas[A-Z]\w*\s*\(", "cuRAND": r"curand(Create|Set|Generate|GetDirection)\w*\s*\("}
PASS = re.compile(r"\b(pass(ed|es)?|success(ful(ly)?)?|verified|correct(ly)?|valid(ated)?|ok|no errors?)\b",
                  re.IGNORECASE)
FAIL = re.compile(r"\bfail(ed|ure|ures|s)?\b|\bincorrect|\bmismatch|\bwrong\b|\binvalid\b|unsuccessful|"
                  r"\bnot (correct|equal|match)|\bnon-?matching\b|\bdoes not match|\bdiffers?\b|"
                  r"\bdifferent\b(?! stages)|CUDA error|"
                  r"\berror:? (at|code|found)\b|\berror in (?![\w ]*[=:] *[-+.\d])|\bNaN\b|-nan\b", re.IGNORECASE)
ZERO = re.compile(r"\b(no|0|zero|without)\s+(\w+\s+)?(errors?|fail(ures?|ed)|mismatch(es)?)\b|"
                  r"\b(errors?|fail(ures?|ed)|mismatch(es)?|incorrect)(\s+\w+)?\s*[:=]\s*0(\.0*)?\b(?!\.)|"
                  r"\bnon-?matching\b[^:\n]*:\s*0\b", re.IGNORECASE)
STRING = re.compile(r"^[ \t]*#[ \t]*include[^\n]*|//[^\n]*|/\*.*?\*/|(\"(?:[^\"\\\n]|\\.)*\")", re.MULTILINE | re.DOTALL)
CHECKS = re.compile(r"\b(pass|fail|verif|mismatch|non-?matching|correct|success|wrong|ok\b|valid)|\berrors?\b.*(%|found)",
                    re.IGNORECASE)
CALLS = re.compile(r"cuda|\bopen|alloc|memory|\bfile|\bread|argument|option|usage|driver|parse|launch|parameter|unable|missing|"
                   r"invalid|copy|\bGPU error|error:? (code|at)|%s:%d|\bkernel\b.*fail|(line|code) %d|: %s", re.IGNORECASE)
BY_STATUS = re.compile(r"\?\s*EXIT_(SUCCESS|FAILURE)")
SEVERAL = re.compile(r"(two or more|at least (two|2)|multiple|more than one|2 or more).{0,40}(GPU|device)|min_gpus|"
                     r"(GPU|device)s? (are|is) required|requires (two|2|multiple)", re.IGNORECASE)
WAIVED = 2  # of cuda-samples
# What the session and the compiler say, not the program.
OURS = re.compile(r"^=========.*|^.* nobody looked at( it)?$|^In\[\d+\]:\d.*|^ *\d+ \| .*", re.MULTILINE)
USAGE = re.compile(r"^\W*usage\b|\busage\s*:|syntax\s*:", re.IGNORECASE | re.MULTILINE)


@dataclass
class Verdict:
    """kind: passed, ran (it says nothing of its result), library, devices, data, nvcc, c++, time, waived, bug, failed."""
    kind: str
    reason: str = ""


def needs_library(program):
    """The libraries that its text or its link line asks for, "" for none."""
    text = "\n".join(re.findall(r"^[ \t]*#[ \t]*include[^\n]*", program.text, re.MULTILINE)) + "\n" + " ".join(program.libraries)
    found = []
    for name, pattern in LIBRARIES:
        if re.search(pattern, text) and (name not in USES or re.search(USES[name], program.text)):
            found.append(name)
    return ", ".join(found)


def needs_data(program):
    """A file among its arguments that is not there, "" for none; arguments of a table of sizes name those that it writes."""
    if program.sized:
        return ""
    for word in program.arguments:
        name = word.split("=", 1)[-1]
        if re.search(r"/|\.(txt|dat|bin|csv|mtx|pgm|ppm|bmp|gr|egr|in|inp|json|mat|fa|fasta|tsv|png|jpg|h5|raw|cssr)$", name) \
                and not name.startswith("-") and re.search(r"[A-Za-z]", name) and not (program.folder / name).exists() \
                and not (program.folder / "data" / name).exists():
            return name
    return ""


def is_self_checking(program):
    """It has words for a right or a wrong result, others than about calls that fail."""
    said = [m.group(1) for m in STRING.finditer(program.text) if m.group(1)]
    return any(CHECKS.search(s) and not CALLS.search(s) for s in said) or bool(BY_STATUS.search(program.text))


def _line_with(pattern, text):
    for line in text.splitlines():
        if pattern.search(ZERO.sub("", line)):
            return line.strip()[:120]
    return ""


def judge(outcome, checks=False, arguments=()):
    """What the program has said of itself; checks: it would tell by its status, too; arguments: what it was called with."""
    text = OURS.sub("", outcome.stdout + "\n" + outcome.stderr)
    if outcome.problem:
        return Verdict("failed", outcome.problem)
    if outcome.status and SEVERAL.search(text):
        return Verdict("devices", _line_with(SEVERAL, text))
    if outcome.status == WAIVED and re.search(r"waiv|not support|requires|exiting", text, re.IGNORECASE):
        return Verdict("waived", text.strip().splitlines()[-2 if len(text.strip().splitlines()) > 1 else -1][:120])
    if outcome.status and not arguments and USAGE.search(text):
        return Verdict("data", f"needs arguments: {_line_with(USAGE, text)}")
    if outcome.status:
        return Verdict("failed", f"exit status {outcome.status}: {(_line_with(FAIL, text) or last_line(text))}")
    bad = _line_with(FAIL, text)
    if bad:
        return Verdict("failed", bad)
    if checks or PASS.search(text):
        return Verdict("passed")
    return Verdict("ran")


def reports(outcome):
    """The first line of what the checks of the emulated device have said, "" for nothing."""
    told = re.search(r"^========= (?!RACECHECK)(\S.*)", outcome.stderr, re.MULTILINE)
    return told.group(1)[:160] if told else ""


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("exit status")]
    return lines[-1][:120] if lines else ""
