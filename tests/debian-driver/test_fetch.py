# SPDX-License-Identifier: Apache-2.0
"""How the package is fetched: here from a folder that is laid out as Debian's archive is, with a file in place of the library."""
import hashlib
import os
import shutil
import subprocess
import sys

import pytest

SENTENCE = "NVIDIA's driver library cannot be had from Debian here (package libcuda1): "
STANZAS = """Types: deb-src
URIs: file:{archive}
Suites: stable
Components: main
Trusted: yes

# The archive
Types: deb deb-src
URIs: file:{archive}
Suites: stable
Components: main
 contrib
Trusted: yes

Types: deb
URIs: file:/nonexistent
Suites: ./
"""
LINES = """# deb file:/nonexistent stable main
deb-src file:{archive} stable main
deb [trusted=yes] file:{archive} stable main contrib # the archive
deb file:/nonexistent ./
deb file:/nonexistent stable other
"""


def add_component(archive, name, *packages):
    folder = archive / "dists" / "stable" / name / "binary-all"
    folder.mkdir(parents=True)
    index = ""
    for path in packages:
        control = subprocess.run(["dpkg-deb", "-f", path], check=True, text=True, capture_output=True).stdout
        index += (f"{control}Filename: {path.relative_to(archive)}\nSize: {path.stat().st_size}\n"
                  f"SHA256: {hashlib.sha256(path.read_bytes()).hexdigest()}\n\n")
    (folder / "Packages").write_text(index)


@pytest.fixture
def archive(tmp_path):
    """Debian's archive with nothing but libcuda1."""
    archive, package = tmp_path / "archive", tmp_path / "package"
    (package / "DEBIAN").mkdir(parents=True)
    (package / "DEBIAN" / "control").write_text(
        "Package: libcuda1\nVersion: 1\nArchitecture: all\nMaintainer: nobody <nobody@localhost>\nDescription: none\n")
    (package / "usr" / "lib" / "triplet" / "nvidia" / "current").mkdir(parents=True)
    (package / "usr" / "lib" / "triplet" / "nvidia" / "current" / "libcuda.so.1").write_text("the library\n")
    archive.mkdir()
    subprocess.run(["dpkg-deb", "--build", package, archive / "libcuda1.deb"], check=True, capture_output=True)
    add_component(archive, "main")
    add_component(archive, "non-free", archive / "libcuda1.deb")
    write_release(archive, "main non-free")
    return archive


def write_release(archive, components):
    suite = archive / "dists" / "stable"
    sums = "".join(f" {hashlib.sha256(p.read_bytes()).hexdigest()} {p.stat().st_size} {p.relative_to(suite)}\n"
                   for p in suite.rglob("Packages"))
    (suite / "Release").write_text(f"Suite: stable\nComponents: {components}\nArchitectures: all\n"
                                   f"Date: Thu, 01 Jan 2026 00:00:00 UTC\nSHA256:\n{sums}")


@pytest.fixture
def run(fetch, archive, tmp_path):
    """run(name of a file, its text) -> the end of `fetch` on a machine whose only source of packages this is."""
    def run(name, text, **env):
        parts, hook = tmp_path / "sources.list.d", tmp_path / "hook"
        parts.mkdir(exist_ok=True)
        (parts / name).write_text(text.format(archive=archive))
        (parts / "other.list.disabled").write_text("deb file:/nonexistent stable main\n")
        (tmp_path / "apt.conf").write_text(
            f'Dir::Etc::sourcelist "{tmp_path}/none";\nDir::Etc::sourceparts "{parts}";\n'
            f'APT::Update::Post-Invoke {{ "touch {hook}"; }};\n')
        ran = subprocess.run([sys.executable, fetch, tmp_path / "fetched"], text=True, capture_output=True,
                             env={**os.environ, "APT_CONFIG": str(tmp_path / "apt.conf"), **env})
        assert not hook.exists(), "what the machine does after an update of its own lists was done"
        return ran

    return run


@pytest.mark.parametrize("name, text", [("debian.sources", STANZAS), ("debian.list", LINES)])
def test_it_comes_from_the_sources_of_the_machine(run, tmp_path, name, text):
    ran = run(name, text)
    assert ran.returncode == 0, ran.stderr
    assert "nonexistent" not in ran.stderr and "Sources" not in ran.stderr, ran.stderr
    folder = tmp_path / "fetched" / "unpacked" / "usr" / "lib" / "triplet" / "nvidia" / "current"
    assert ran.stdout == f"{folder}\n" and (folder / "libcuda.so.1").read_text() == "the library\n"
    # A second call needs neither apt nor a source.
    again = run(name, "", PATH="/nonexistent")
    assert (again.returncode, again.stdout, again.stderr) == (0, ran.stdout, "")


def fails(ran, why):
    last = ran.stderr.splitlines()[-1]
    assert ran.returncode == 69 and not ran.stdout and last.startswith(SENTENCE) and why in last, ran.stderr


def test_a_source_that_cannot_be_reached_is_named(run):
    fails(run("debian.list", "deb http://127.0.0.1:9/debian stable main\n"), "Failed to fetch http://127.0.0.1:9/debian")


def test_another_distribution_has_no_such_package(run, archive):
    """As Ubuntu, which has no such component either."""
    shutil.rmtree(archive / "dists" / "stable" / "non-free")
    write_release(archive, "main")
    fails(run("ubuntu.sources", STANZAS), "this machine's sources have no such package in the component non-free")


def test_without_a_source_of_debian(run):
    fails(run("other.list", "deb file:/nonexistent stable other\n"), "no source of packages of this machine")


def test_without_apt(run):
    fails(run("debian.list", LINES, PATH="/nonexistent"), "this is no machine with Debian's package manager")
