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


MANY = r"""#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
void *forever(void *unused)
{
	for (;;)
		pause();
}
for (int i = 0; i < 300; i++) {
	pthread_t t;
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 1 << 16);
	pthread_create(&t, &small, forever, NULL);
}
for (int i = 0; i < 1000; i++) {
	char name[32];
	snprintf(name, sizeof(name), "notes%d.txt", i);
	fopen(name, "w");
}
for (int i = 0; i < 200; i++)
	fopen("again.txt", "w");
"""


def test_many_that_are_lost_are_a_few_lines(start_kernel, tmp_path):
    kernel = start_kernel(cwd=tmp_path)
    kernel.run(MANY).ok()
    failed = kernel.run("*(volatile int *)0 = 1;")
    lines = failed.traceback.split("rolled back")[1].splitlines()
    assert len(lines) < 20, len(lines)
    for words in ("thread `forever` started in cell 1 ended (300 of them)", "the open file again.txt of cell 1 (200 of them)",
                  "the open file notes999.txt of cell 1", "993 more open files"):
        assert any(line.endswith(words) for line in lines), lines
    kernel.close()
