# SPDX-License-Identifier: Apache-2.0
"""What JupyterLab's extension knows of the kernel is what the kernel has: its magics, and the name of its editors' mode."""
import json
import re

MAGIC = re.compile(r"const struct magic magic_\w+ = \{(.*?)\n\s*\}", re.S)
SIGNS = {"!", "?"}  # these stand in the extension's patterns


def field(text, name):
    found = re.search(rf"\.{name} = ([^,]+),", text)
    return found[1].strip().strip('"') if found else ""


def row(forms):
    """As `has_code_behind()` and `takes_body()` of kernel/magics/magic-script.c decide it."""
    if "CODE" in forms and "OPTIONS" not in forms:
        return "cell" if "WORDS" in forms else "all"
    return "lines" if forms & {"CODE", "COMPILER"} else "none"


def magics_of_the_kernel(root):
    rows = {}
    for source in sorted(root.glob("kernel/*magics/magic-*.c")):
        text = source.read_text().replace("\\\n", "\n")
        for struct in MAGIC.findall(text.replace("magic_##symbol", "magic_symbol")):
            forms = row(set(re.findall(r"MAGIC_(\w+)", field(struct, "forms"))))
            made = re.findall(r"^DISPLAY\((\w+),", text, re.M) if field(struct, "name") == "#symbol" else [field(struct, "name")]
            rows |= dict.fromkeys([*made, *field(struct, "alias").split()], forms)
    return {name: forms for name, forms in rows.items() if name not in SIGNS}


def magics_of_the_extension(script):
    table = re.search(r"const MAGICS = \{(.*?)\n\t\};", script, re.S)[1]
    return {name: forms for forms, names in re.findall(r"(\w+): [`\"]([^`\"]*)[`\"]", table) for name in names.split()}


def test_the_extension_knows_all_magics(root):
    kernel = magics_of_the_kernel(root)
    listed = len(re.findall(r"^MAGIC\(", (root / "kernel" / "magics" / "magics.def").read_text(), re.M)) - len(SIGNS)
    aliases = len(re.findall(r"\.alias = \"\w", "".join(p.read_text() for p in root.glob("kernel/*magics/*.c"))))
    assert len(kernel) == listed + aliases
    assert magics_of_the_extension((root / "labextension" / "static" / "cgpu.js").read_text()) == kernel


def test_the_mode_of_cells_is_a_name_of_the_language(root):
    script = (root / "labextension" / "static" / "cgpu.js").read_text()
    mode = re.search(r'const MODE = "([^"]+)"', script)[1]
    assert f'"name", "{mode}"' in re.sub(r"\s+", " ", (root / "kernel" / "requests" / "info.c").read_text())


def test_install_copies_what_the_package_names(root):
    package = json.loads((root / "labextension" / "package.json.in").read_text())
    load = package["jupyterlab"]["_build"]["load"]
    assert (root / "labextension" / load).exists() and f'"{load}"' in (root / "kernel" / "install.c").read_text()
