# SPDX-License-Identifier: Apache-2.0
"""A19: after a crash the reader is told what is as it was and what could not be brought back, by name."""

MAKE = """#include <dlfcn.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>
int kept = 42;
double *array = malloc(1000 * sizeof(double));
array[999] = 0.5;
FILE *notes = fopen("notes.txt", "w");
FILE *numbers = popen("sleep 1000", "r");
void *library = dlopen("libm.so.6", RTLD_NOW);
void *forever(void *p) { for (;;) pause(); }
pthread_t t;
pthread_create(&t, NULL, forever, NULL);"""


def test_what_is_lost_is_named_and_the_rest_is_back(start_kernel, tmp_path):
    kernel = start_kernel(cwd=tmp_path)
    kernel.run(MAKE).ok()
    address = kernel.run("array").ok().text
    failed = kernel.run("kept = 0; array[999] = 0; *(volatile int *)0 = 1;")
    for words in ("rolled back: variables, heap and device memory are as they were", "the open file notes.txt of cell 1",
                  "sleep 1000", "thread `forever`", "the library libm.so.6"):
        assert words in failed.traceback, f"{words!r} is not in:\n{failed.traceback}"
    # Nothing that is fine is called lost.
    assert "kept" not in failed.traceback.split("rolled back")[1]
    assert kernel.run("kept").ok().text == "42"
    assert kernel.run("array[999]").ok().text == "0.5"
    assert kernel.run("array").ok().text == address
    # Said once.
    assert "notes.txt" not in kernel.run("*(volatile int *)0 = 1;").traceback
    kernel.close()
