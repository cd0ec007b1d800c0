# SPDX-License-Identifier: Apache-2.0
"""A driver that is taken for a GPU's: tests/recovery/played-gpu.c, which says in what it is like hardware."""
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def build(prefix, folder):
    """Compiles it into `folder`; returns the environment of a kernel that uses it."""
    emulator = prefix / "libexec" / "cgpu"
    subprocess.run(["gcc", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-Wno-cast-function-type", "-I", ROOT,
                    "-o", folder / "libcuda.so.1", ROOT / "tests" / "recovery" / "played-gpu.c",
                    "-Wl,--defsym=cgpu_emulator_extension=0", "-Wl,--no-as-needed", f"-L{emulator}", f"-Wl,-rpath,{emulator}",
                    "-l:libcgpu-emulator.so"], check=True)
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("LD_LIBRARY_PATH")]))
    return {"CGPU_DEVICE": "native", "LD_LIBRARY_PATH": path}
