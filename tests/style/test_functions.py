# SPDX-License-Identifier: Apache-2.0
"""What a header declares somebody else uses: a function of one file is static there, and one that nobody calls is not there."""
import collections
import re

from test_text import tracked

ROOMS = ("kernel/", "compiler/", "runtime/", "emulator/", "common/")
PROTOTYPE = re.compile(r"^(?!typedef|static|return|else)[A-Za-z_][\w \t*]*?[ *](\w+)\([^;{}]*\)[^;{}]*;", re.M)
DEFINITION = re.compile(r"^[A-Za-z_][\w \t*:&<>,]*?[ *](\w+)\([^;{}]*\)\s*\{", re.M)
NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
# Their callers have them by a table (##), or by dlsym().
BY_NAME = re.compile(r"cu_older_\w+|memcheck_\w+|hot_compile")
# What only tests ask of a part as a whole, or print.
FOR_TESTS = {"allocator_check", "commit_cell", "commit_step_name", "device_stop", "error_code_name", "gpu_fault_name",
             "ptx_module_keep_plain", "ptx_module_target", "ptx_module_version"}


class Uses:
    """Where each word stands, and which file defines each function."""

    def __init__(self, root):
        self.files, self.defined, self.code = collections.defaultdict(dict), collections.defaultdict(set), {}
        for name, text in tracked(root):
            if not name.endswith((".c", ".h", ".cc", ".hh", ".def")):
                continue
            self.code[name] = NO_CODE.sub(" ", text)
            for word, n in collections.Counter(re.findall(r"\w+", self.code[name])).items():
                self.files[word][name] = n
            for function in DEFINITION.findall(self.code[name]):
                self.defined[function].add(name)

    def complaint(self, header, function):
        """Why the header need not declare it; None: it must."""
        files = {name: n for name, n in self.files[function].items() if name != header}
        others = [name for name in files if name not in self.defined[function]]
        if self.files[function][header] > 1 or any(name.startswith(ROOMS) for name in others):
            return None
        by_its_own = any(files[name] > 1 for name in files if name not in others)
        if others and (by_its_own or function in FOR_TESTS):
            return None
        return "used by tests alone" if others else "used in one file: static there" if by_its_own else "not used"


def test_each_function_of_a_header_is_used_elsewhere(root):
    uses = Uses(root)
    headers = [h for h in uses.code if h.endswith(".h") and h.startswith(ROOMS) and "/prelude/" not in h]
    bad = [f"{header}: {function}: {why}" for header in headers
           for function in PROTOTYPE.findall(uses.code[header]) if not BY_NAME.fullmatch(function)
           for why in [uses.complaint(header, function)] if why]
    assert not bad, "\n".join(bad)
