# SPDX-License-Identifier: Apache-2.0
"""The experiments for a machine with a GPU are right where it can be checked: on the emulated driver, and on one that
hangs."""
import re
import subprocess

import check_gpu
import played_gpu
import pytest
from check_gpu import run

pytestmark = [pytest.mark.long, pytest.mark.cuda]


@pytest.fixture(scope="module")
def bundle(root, tmp_path_factory):
    return check_gpu.bundle(root, tmp_path_factory.mktemp("bundle"))


def test_every_answer_is_ok_on_the_emulated_driver(bundle, prefix, tmp_path):
    emulator = prefix / "libexec" / "cgpu" / "libcgpu-emulator.so"
    ran, lines = run(bundle, tmp_path, emulator, VIRTUAL_ENV=str(prefix))
    rows, ends = [x for x in lines if "verdict" in x], [x for x in lines if "end" in x]
    assert ran.returncode == 0 and not [x for x in rows if x["verdict"] == "NO"], ran.stdout
    assert len(rows) == 61 and len(ends) == 24 and {x["end"] for x in ends} == {"done"}, ran.stdout
    linked = [x["text"] for x in rows if "linked with libcudadevrt.a" in x["name"]]
    assert [text.partition(",")[0] for text in linked] == ["error 0"]
    table = (tmp_path / "table.md").read_text().splitlines()
    assert len(table) == len(rows) + 2 and all(line.count("|") == 4 for line in table)
    # Of small pieces several share what can be mapped.
    scattered = [(x["name"], *re.findall(r"error (\d); (\d+) %", x["text"])[0]) for x in rows if "cuMemAlloc, " in x["name"]]
    assert [(error, int(part) > 5) for _, error, part in scattered] == [("2", False), ("2", False), ("0", True)]
    # What has ended is not done again.
    again, more = run(bundle, tmp_path, emulator)
    assert again.returncode == 0 and len(more) == len(lines)


def test_a_driver_that_hangs_is_left(bundle, prefix, tmp_path):
    """cuMemUnmap of this one does not return: the experiment is killed, and the next one runs."""
    played = played_gpu.build(prefix, tmp_path)
    stuck = tmp_path / "stuck"
    stuck.touch()
    names = ("zeroed", "newer_ptx")
    ran, lines = run(bundle, tmp_path, tmp_path / "libcuda.so.1", *names, CGPU_PLAYED_GPU=f"stuck={stuck},ptx=90",
                     CHECK_GPU_PATIENCE="1", **played)
    ends = {x["experiment"]: x["end"] for x in lines if "end" in x}
    assert ran.returncode == 1 and ends == {"zeroed": "its time is up", "newer_ptx": "done"}, ran.stdout
    stuck.unlink()
    ran, lines = run(bundle, tmp_path, tmp_path / "libcuda.so.1", *names, CGPU_PLAYED_GPU="ptx=90", **played)
    ends = [(x["experiment"], x["end"]) for x in lines if "end" in x]
    assert ran.returncode == 0 and ends[-1] == ("zeroed", "done") and len(ends) == 3, ran.stdout


def test_an_answer_that_is_wrong_says_what_is_at_stake(bundle, prefix, tmp_path):
    played_gpu.build(prefix, tmp_path)
    ran, lines = run(bundle, tmp_path, tmp_path / "libcuda.so.1", "card", "window",
                     CGPU_PLAYED_GPU="window=1024,descriptors=attribute")
    wrong = [x["name"] for x in lines if x.get("verdict") == "NO"]
    assert ran.returncode == 1 and wrong == ["memory by file descriptors", "window of 6 GiB"], ran.stdout
    assert "addresses of session memory are the same in each worker" in (tmp_path / "table.md").read_text()


@pytest.mark.parametrize("code, words", [(100, "the driver finds no GPU"), (803, "the driver's library and its kernel module")])
def test_a_driver_that_does_not_start_is_told_in_words(bundle, prefix, tmp_path, code, words):
    """Error 100 is what NVIDIA's own library answers on a machine without a card."""
    emulator = prefix / "libexec" / "cgpu" / "libcgpu-emulator.so"
    ran, lines = run(bundle, tmp_path, emulator, "card", CGPU_EMULATED_FAIL=f"cuInit={code}")
    texts = [x["text"] for x in lines if x.get("verdict") == "NO" and x["name"] == "card"]
    assert ran.returncode == 77 and len(texts) == 1, ran.stdout
    assert texts[0].startswith(f"error {code} in cu.cuInit(0): {words}"), texts
    assert "see what nvidia-smi says here" in ran.stdout, ran.stdout


def test_each_experiment_says_at_once_that_there_is_no_device(bundle, prefix, root, tmp_path):
    """Also one of several processes, of which one fails and another waits for it. The first experiment would end the call."""
    emulator, names = prefix / "libexec" / "cgpu" / "libcgpu-emulator.so", check_gpu.names(root)[1:]
    ran, lines = run(bundle, tmp_path, emulator, *names, CGPU_EMULATED_FAIL="cuInit=100")
    check_gpu.assert_no_device(ran, lines, names, tmp_path)


def test_without_a_driver_nothing_is_claimed(bundle, tmp_path):
    ran, lines = run(bundle, tmp_path, "/nonexistent/libcuda.so.1")
    assert ran.returncode == 77 and ran.stdout.startswith("No CUDA driver here, so nothing was measured") and not lines


def test_the_bundle_needs_a_libc_only(bundle):
    needs = subprocess.run(["ldd", f"{bundle}/check-gpu"], check=True, capture_output=True, text=True).stdout
    assert {line.split()[0].split("/")[-1] for line in needs.splitlines()} <= {
        "linux-vdso.so.1", "libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libm.so.6", "libdl.so.2"}, needs
