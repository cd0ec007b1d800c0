/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program for aarch64, built by a cross compiler and run by qemu-aarch64: the loader as it is, in a process of its own.
 * It loads the objects that its arguments name, one unit after another, and runs the run() of each.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/arena-layout.h"
#include "common/buffer.h"
#include "common/error.h"
#include "common/unit.h"
#include "runtime/arena/allocator.h"
#include "runtime/arena/arena.h"
#include "runtime/loader/loader.h"

/* What takes the place of libraries. */
static uint64_t find(const char *name)
{
#define NAME(symbol)                      \
	if (strcmp(name, #symbol) == 0)   \
		return (uint64_t)symbol;
	NAME(printf) NAME(puts) NAME(memset) NAME(memcpy) NAME(strlen) NAME(qsort)
#undef NAME
	return 0;
}

static _Noreturn void fail(const char *what, const struct error *err)
{
	printf("%s: %s\n", what, err->text);
	exit(1);
}

static void on_misuse(const char *text, const void *block)
{
	printf("heap misuse: %s %p\n", text, block);
	exit(1);
}

static void on_out_of_memory(uint64_t asked, uint64_t used, uint64_t limit)
{
	printf("no memory: %lu asked, %lu used of %lu\n", asked, used, limit);
	exit(1);
}

static void attach(void)
{
	static const struct allocator_hooks hooks = { on_misuse, on_out_of_memory };
	int fd = memfd_create("arena", MFD_CLOEXEC);
	struct buffer missing = BUFFER_INIT;
	struct error err = ERROR_INIT;

	if (fd < 0 || ftruncate(fd, (off_t)ARENA_SIZE))
		error_errno(&err, "memfd");
	/* Without arena_reserve(): qemu keeps a record of each of its pages, which are many. */
	else if (arena_attach(fd, &err) == 0 && allocator_attach(&hooks, &err) == 0 &&
		 loader_attach(find, &missing, &err) == 0)
		return;
	fail("attach", &err);
}

static void *read_object(const char *path, size_t *ret_len)
{
	struct buffer data = BUFFER_INIT;
	FILE *f = fopen(path, "r");
	char part[4096];
	size_t n;

	while (f && (n = fread(part, 1, sizeof(part), f)) > 0)
		buffer_append(&data, part, n);
	if (f)
		fclose(f);
	*ret_len = data.len;
	return data.data;
}

static void run_unit(uint32_t cell, const char *path)
{
	struct unit_symbol symbols[] = { { .name = "f", .is_function = true, .type = "int (int)", .type_code = "" },
					 { .name = "shared", .type = "int [4]", .type_code = "", .size = 16 } };
	struct unit u = { .cell = cell, .cell_name = "In[?]", .run_symbol = "run", .symbols = symbols, .n_symbols = 2 };
	struct error err = ERROR_INIT;
	struct code_place place;
	struct loaded l;

	u.object = read_object(path, &u.object_len);
	if (loader_load(&u, 0, &l, &err))
		fail(path, &err);
	for (size_t i = 0; i < l.n_choices; i++)
		*l.choices[i].slot = l.choices[i].choose();
	for (size_t i = 0; i < l.n_constructors; i++)
		l.constructors[i]();
	l.run();
	if (loader_describe_code((uint64_t)l.run + 4, &place) || strcmp(place.function, "run") || place.cell != cell)
		printf("run() is not where it was loaded\n");
	fflush(stdout);
	loaded_release(&l);
}

int main(int argc, char **argv)
{
	attach();
	for (int i = 1; i < argc; i++)
		run_unit((uint32_t)i, argv[i]);
	return 0;
}
