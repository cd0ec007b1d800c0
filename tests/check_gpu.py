# SPDX-License-Identifier: Apache-2.0
"""The experiments for a machine with a GPU, as the bundle has them: tests/gpu/check-gpu.c."""
import json
import os
import re
import subprocess

NO_GPU = 77
WITHOUT_A_DEVICE = {"nodes"}  # what these ask has an answer where no device is


def names(root):
    """In their order."""
    return re.findall(r"^EXPERIMENT\((\w+)", (root / "tests" / "gpu" / "experiments.def").read_text(), re.M)


def bundle(root, folder, target="experiments-bundle", *words):
    """What the bundle has of them, in `folder`."""
    build = os.environ.get("CGPU_BUILD_TREE", root / "build" / "tree")
    made = subprocess.run(["make", "-C", build, target, f"BUNDLE={folder}", *words], text=True, capture_output=True)
    assert made.returncode == 0, made.stdout[-2000:] + made.stderr[-2000:]
    return folder


def whole_bundle(root, folder):
    """Not packed, since that takes a processor half a minute, and for no other Python than this one."""
    return bundle(root, folder, "check-gpu-bundle", "BUNDLE_PYTHONS=", "BUNDLE_PACK=cat", "BUNDLE_MIB=1000")


def run(bundle, folder, driver, *names, before=(), **env):
    """How the bundle's `run` ended, and the lines of its results. before: words before the command."""
    ran = subprocess.run([*before, f"{bundle}/run", folder, *names], text=True, capture_output=True,
                         env={**os.environ, "CHECK_GPU_DRIVER": str(driver), "CHECK_GPU_PATIENCE": "20", **env})
    results = folder / "results.jsonl"
    lines = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    return ran, lines


def assert_no_device(ran, lines, asked, folder):
    """Each experiment that was asked for has come to its end, soon, and says in words that the driver has no device."""
    rows, ends = [x for x in lines if "verdict" in x], [x for x in lines if "end" in x]
    assert [(x["experiment"], x["end"]) for x in ends] == [(name, "done") for name in asked], ran.stdout
    assert {x["experiment"] for x in rows} == set(asked), ran.stdout
    for x in rows:
        if x["experiment"] in WITHOUT_A_DEVICE:
            assert x["verdict"] == "-", x
        else:
            assert x["verdict"] == "NO" and x["text"].endswith("error 100 in cu.cuInit(0): the driver finds no GPU"), x
    # Before any deadline.
    assert max(x["seconds"] for x in ends) < 15 * 20, ran.stdout
    assert ran.returncode == 1 and "0 experiments did not end" in ran.stdout, ran.stdout
    table = (folder / "table.md").read_text().splitlines()
    in_table = [line.split(" | ")[1] for line in table if line.startswith(("| NO |", "| - |"))]
    assert in_table == [x["name"] for x in rows] and all(line.count("|") == 4 for line in table), "\n".join(table)
