# SPDX-License-Identifier: Apache-2.0
"""Ways to read and to change files that are not a cell's own."""

# Each shows what is in the file `{path}`; {name} is a new one each time, since a symbol that is there already stays.
READS = {
    "cell": '#include <stdio.h>\n#include <string.h>\nchar text[4096] = ""; FILE *in = fopen("{path}", "r");\n'
            'if (in) fread(text, 1, sizeof(text) - 1, in), fclose(in);\nputs(text);',
    "compiler": '__asm__(".pushsection .rodata\\n.globl {name}\\n{name}: .incbin \\"{path}\\"\\n.byte 0\\n.popsection");\n'
                'extern const char {name}[];\nputs({name});',
    "command": "!cat {path}",
}
# Each is a statement that gives 0 when it has changed `{outside}`, where there is a file `file` and a folder `folder`.
WRITES = {
    "open": 'open("{outside}/file", O_WRONLY) < 0',
    "append": 'fopen("{outside}/file", "a") == NULL',
    "truncate": 'truncate("{outside}/file", 0)',
    "create": 'open("{outside}/new", O_WRONLY | O_CREAT, 0600) < 0',
    "unlink": 'unlink("{outside}/file")',
    "rmdir": 'rmdir("{outside}/folder")',
    "mkdir": 'mkdir("{outside}/new", 0700)',
    "symlink": 'symlink("file", "{outside}/new")',
    "fifo": 'mkfifo("{outside}/new", 0600)',
    "rename": 'rename("{outside}/file", "{outside}/new")',
    "rename out": 'rename("{outside}/file", "{inside}/taken")',
    "rename in": 'rename("{inside}/own", "{outside}/new")',
    "link and write": '(link("{outside}/file", "{inside}/linked"), open("{inside}/linked", O_WRONLY)) < 0',
    "by a descriptor": '({{ int fd = open("{outside}/file", O_RDONLY); char path[64];'
                       ' sprintf(path, "/proc/self/fd/%d", fd); open(path, O_WRONLY); }}) < 0',
    "by the root of another process": 'open("/proc/{process}/root{outside}/file", O_WRONLY) < 0',
    "by the folder of another process": 'chdir("/proc/{process}/cwd")',
    "bind a socket": '({{ int pair[2]; socketpair(AF_UNIX, SOCK_STREAM, 0, pair);'
                     ' struct sockaddr_un a = {{ AF_UNIX, "{outside}/new" }}; bind(pair[0], (void *)&a, sizeof(a)); }})',
}
# Landlock does not know these, so they need the mount namespace.
ATTRIBUTES = {
    "chmod": 'chmod("{outside}/file", 0)',
    "times": 'utimes("{outside}/file", NULL)',
}
INCLUDES = """#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <netinet/in.h>
#include <unistd.h>"""
# Root changes the machine by these.
MACHINE = ["/proc/sys/vm/swappiness", "/proc/sysrq-trigger", "/proc/irq/default_smp_affinity"]
COMMANDS = ["echo x >{outside}/file", "rm {outside}/file", "mv {outside}/file {outside}/new", "mkdir {outside}/new",
            "cp /bin/true {outside}/new", "sh -c 'echo x >>{outside}/file'"]


def state(folder, without):
    found = [(p, p.lstat()) for p in sorted(folder.rglob("*")) if without not in (p, *p.parents)]
    return {p: (s.st_mode, p.name == "file" and s.st_mtime_ns, p.read_bytes() if p.is_file() else b"") for p, s in found}
