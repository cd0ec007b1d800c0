# SPDX-License-Identifier: Apache-2.0
"""The bundle brings cgpu along with all that it needs: it runs where the source tree, its build, clang, LLVM, gcc and all
headers are hidden. Here that is on the emulated device."""
import glob
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import check_gpu
import played_gpu
import pytest

HIDDEN = ("/usr/include", "/usr/lib/gcc", "/usr/lib/clang", *glob.glob("/usr/lib/llvm-*"))
LIBC = ("libc.so", "libm.so", "libdl.so", "libpthread.so", "libresolv.so")
SLOW = """
import time, pytest

pytestmark = pytest.mark.long
@pytest.fixture
def slow_to_end():
    yield
    time.sleep(60)
def test_sleeps():
    time.sleep(60)
def test_cleans_up(slow_to_end):
    pass
def test_is_quick():
    print("said")
def test_fails():
    assert 1 + 1 == 3
"""


@pytest.fixture(scope="module")
def build(root):
    return Path(os.environ.get("CGPU_BUILD_TREE", root / "build" / "tree"))


@pytest.fixture(scope="module")
def bundle(root, tmp_path_factory):
    return check_gpu.whole_bundle(root, tmp_path_factory.mktemp("bundle"))


def hide(root, *folders):
    """The words before a command that has empty folders in their place."""
    folders = [str(f) for f in folders if os.path.isdir(f) and root not in Path(f).resolve().parents]
    namespace = ["--mount"] if os.geteuid() == 0 else ["--user", "--map-current-user", "--keep-caps", "--mount"]
    return ["unshare", *namespace, root / "tests" / "without-toolkit", "--inside", *folders, root, "--"]


def test_it_runs_without_all_that_it_was_made_from(bundle, build, prefix, root, tmp_path):
    def run(*names):
        ran = subprocess.run(
            [*hide(root, *HIDDEN, build, prefix), sys._base_executable, bundle / "product", tmp_path / "results", *names],
            text=True, capture_output=True, cwd=tmp_path, env={**os.environ, "CGPU_DEVICE": "emulated"})
        lines = [json.loads(line) for line in (tmp_path / "results" / "product.jsonl").read_text().splitlines()]
        assert ran.returncode == 0 and {line["end"] for line in lines} == {"ok"}, ran.stdout + ran.stderr
        return lines, ran.stdout

    tour, shown = run("tour")
    assert [line["test"] for line in tour] == ["gpu/test_tour.py::test_tour"] and "cell 15" in tour[0]["text"]
    assert "| ok | gpu/test_tour.py |" in shown and "    cell  1 " in shown, shown
    # What has ended is not done again.
    lines, shown = run("tour", "test_checkpoint", "test_on_restart")
    assert lines[:1] == tour and len(lines) > 10 and len({line["test"] for line in lines}) == len(lines)
    assert "| ok | recovery/test_checkpoint.py |" in (tmp_path / "results" / "product.md").read_text()


def test_a_driver_that_cannot_be_used_ends_the_call(bundle, prefix, tmp_path):
    """It would take the nine minutes for tests that fail."""
    env = {**os.environ, **played_gpu.build(prefix, tmp_path), "CGPU_EMULATED_FAIL": "cuInit=100"}
    ran = subprocess.run([sys.executable, bundle / "product", tmp_path / "results"], text=True, capture_output=True, env=env)
    assert ran.returncode == 77 and "no CUDA-capable device is detected (100)" in ran.stdout, ran.stdout + ran.stderr
    assert ran.stdout.endswith("The device cannot be used, so nothing was run.\n"), ran.stdout
    assert not (tmp_path / "results" / "product.jsonl").exists()


def test_its_programs_need_what_it_brings_and_libc(bundle, tmp_path):
    subprocess.run(["tar", "-xf", bundle / "product.tar.xz", "-C", tmp_path, "prefix"], check=True)
    lib, programs = tmp_path / "prefix" / "lib", 0
    for program in [*tmp_path.glob("prefix/bin/*"), *tmp_path.glob("prefix/libexec/cgpu/*")]:
        if program.is_dir():
            continue
        needs = subprocess.run(["ldd", program], text=True, capture_output=True).stdout
        for name, path in re.findall(r"(\S+) => (/\S+)", needs):
            # A library looks where the program does that loads it.
            where = Path(path).resolve().parent == lib or program.suffix == ".so"
            assert name.startswith(LIBC) or (where and (lib / name).exists()), f"{program}: {name} is {path}"
        programs += 1
    assert programs >= 8


def test_nothing_else_is_in_it(bundle):
    assert sorted(path.name for path in bundle.iterdir()) == ["check-gpu", "product", "product.tar.xz", "run"]


def test_a_test_that_hangs_has_its_line(root, tmp_path):
    (tmp_path / "test_slow.py").write_text(SLOW)
    env = {**os.environ, "PYTHONPATH": str(root / "tests" / "gpu"), "RESULT_LINES": str(tmp_path / "lines"),
           "RESULT_DEADLINE": "2"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "result_lines", tmp_path]
    subprocess.run(command, env=env, cwd=tmp_path, capture_output=True)
    lines = {}
    for line in map(json.loads, (tmp_path / "lines").read_text().splitlines()):
        lines[line["test"].split("::")[1]] = line["end"], line["text"]
    assert {name: end for name, (end, _) in lines.items()} == {
        "test_sleeps": "failed", "test_cleans_up": "failed", "test_is_quick": "ok", "test_fails": "failed"}
    assert "took more than 2 s" in lines["test_sleeps"][1] and "took more than 2 s" in lines["test_cleans_up"][1]
    assert lines["test_is_quick"][1] == "said\n" and "assert (1 + 1) == 3" in lines["test_fails"][1]
    again = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True)
    assert "4 deselected" in again.stdout, again.stdout
