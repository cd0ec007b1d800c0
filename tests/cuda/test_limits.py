# SPDX-License-Identifier: Apache-2.0
"""Limits as parts of the device, and those that an administrator has set."""
import subprocess


def printed(session, code):
    return session.run(code).ok().printed


def test_a8_two_notebooks_with_40_percent_each(on_one_device):
    first, second = on_one_device("first.ipynb"), on_one_device("second.ipynb")
    for session in (first, second):
        assert "gpu     102 MB" in printed(session, "%limit gpu 40%")
        assert printed(session, '#include <stdio.h>\nchar *p; printf("%d", cudaMalloc(&p, 90 << 20));') == "0"
    answer = first.run("char *q; cudaMalloc(&q, 20 << 20);")
    assert answer.ename == "CudaOutOfMemory" and "the limit of device memory for this session is 102.4 MiB" in answer.traceback
    assert f"      90 MB  second.ipynb, process {second.pid}" in printed(first, "%gpu")
    assert f"      90 MB  first.ipynb, process {first.pid}" in printed(second, "%gpu")
    for session in (first, second):
        session.close()


def test_a9_the_administrator_sets_what_a_user_can_lower(start_kernel, prefix, tmp_path):
    file, own = tmp_path / "hub.conf", tmp_path / "config" / "cgpu" / "cgpu.conf"
    file.write_text("# for students\ngpu = 25%\ngpu max = 50%\nram max = 2G\noutput = 1M\n")
    own.parent.mkdir(parents=True)
    own.write_text("ram max = 1G\ngpu max = 90%\n")
    env = {"CGPU_LIMITS": str(file), "XDG_CONFIG_HOME": str(tmp_path / "config"), "CGPU_EMULATED_MEMORY": "256M"}
    session = start_kernel(**env)
    shown = printed(session, "%limit")
    assert "gpu     64 MB" in shown and "ram     1 GB" in shown and "output  1 MB" in shown
    assert session.run("char *p; cudaMalloc(&p, 80 << 20);").ename == "CudaOutOfMemory"
    assert "gpu     128 MB" in printed(session, "%limit gpu 50%")
    assert printed(session, '#include <stdio.h>\nchar *p; printf("%d", cudaMalloc(&p, 80 << 20));') == "0"
    for wanted in ("90%", "200M", "off"):
        refused = session.run(f"%limit gpu {wanted}").evalue
        assert refused == f"%limit gpu: {file} allows 128 MB (50%) at most; it can be lowered, not raised"
    assert f"{own} allows 1 GB at most" in session.run("%limit ram 1500M").evalue
    assert "gpu     26 MB" in printed(session, "%limit gpu 10%")
    session.close()
    # What nobody can read is told, and the rest counts.
    file.write_text("gpu max = lots\ncores = 5\ngpu max 3\noutput max = 3%\ngpu max = 25%\n")
    session = start_kernel(**env)
    doctor = printed(session, "%doctor")
    assert f'{file}:1: "lots" is not a size' in doctor and f'{file}:2: "cores" is no limit' in doctor
    assert f'{file}:3: "gpu max 3" is not of the shape' in doctor and f"{file}:4: output is a size" in doctor
    assert "gpu     64 MB" in printed(session, "%limit")
    session.close()
    told = subprocess.run([prefix / "bin" / "cgpu-kernel", "--version"], env=env, capture_output=True, text=True)
    assert told.returncode == 0 and f"{file}:1:" in told.stderr
