# SPDX-License-Identifier: Apache-2.0
"""What the compiler keeps for later is run by other notebooks of the user: cells and commands do not get at it."""
import pytest
from machine import stopped_by
from session import wait_until

CELL = r"""#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
DIR *d = opendir("{units}");
for (struct dirent *e; d && (e = readdir(d));) {{
  int fd = openat(dirfd(d), e->d_name, O_WRONLY);
  if (fd >= 0 && pwrite(fd, "forged", 6, 0) == 6) printf("wrote %s\n", e->d_name);
}}
FILE *f = fopen("{units}/made", "w");
if (f) fputs("forged", f), fclose(f);"""
COMMAND = "!for f in {units}/*; do printf forged >$f; done; mkdir -p {units}; printf forged >{units}/made"


@pytest.mark.parametrize("attack", [CELL, COMMAND], ids=["cell", "command"])
def test_units_that_are_kept(start_kernel, tmp_path, attack):
    session = start_kernel(XDG_CACHE_HOME=str(tmp_path))
    stopped_by(session, "hide-file")
    units = tmp_path / "cgpu" / "units"
    session.run("int kept_in_the_cache(int a) { return a + 1; }").ok()
    assert wait_until(lambda: units.exists() and any(units.iterdir()))
    before = {path.name: path.read_bytes() for path in units.iterdir() if path.is_file()}
    session.run(attack.format(units=units)).ok()
    after = {path.name: path.read_bytes() for path in units.iterdir() if path.is_file()}
    assert {name: after.get(name) for name in before} == before
    assert "made" not in after and b"forged" not in b"".join(data[:6] for data in after.values())
    # The compiler still reads and writes it.
    session.run("int another_in_the_cache(int b) { return b + 2; }").ok()
    assert wait_until(lambda: len(list(units.iterdir())) > len(after))
