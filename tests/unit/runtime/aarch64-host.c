/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program for aarch64, built by a cross compiler and run by qemu-aarch64: the loader as it is, in
 * a process of its own. It loads the objects that its arguments name, one unit after another, and
 * runs the run() of each. Before each the loader is attached anew, as a worker that replaces
 * another does it.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/code/unit.h"
#include "common/memory/arena-layout.h"
#include "runtime/arena/allocator.h"
#include "runtime/arena/arena.h"
#include "runtime/exports/thread-local.h"
#include "runtime/faults/host-fault.h"
#include "runtime/loader/loader.h"
#include "runtime/process/cell-mode.h"

__thread struct cell_mode cell_mode;

_Noreturn void host_fault_raise(enum fault_kind kind, const char *fmt, ...)
{
	va_list args;

	printf("fault %d: ", kind);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	exit(1);
}

void *__real_thread_local_index_address(const struct thread_local_index *i);
void *__wrap_thread_local_index_address(const struct thread_local_index *i);

/* The linker puts this before ours (--wrap): it changes whatever a C function may change. */
void *__wrap_thread_local_index_address(const struct thread_local_index *i)
{
	void *address = __real_thread_local_index_address(i);

	__asm__ volatile(".irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18\n"
			 "mov x\\n, 0xdead\n"
			 ".endr\n"
			 ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, "
			 "26, 27, 28, 29, 30, 31\n"
			 "movi v\\n\\().16b, 0xee\n"
			 ".endr\n"
			 ".irp n, 8, 9, 10, 11, 12, 13, 14, 15\n"
			 "mov v\\n\\().d[1], xzr\n" /* the other half is to be kept */
			 ".endr\n"
			 : "+r"(address)
			 :
			 : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11",
			   "x12", "x13", "x14", "x15", "x16", "x17", "x18", "v0", "v1", "v2", "v3",
			   "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21", "v22",
			   "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
	return address;
}

struct thread {
	void *(*fn)(void *arg);
	void *arg;
};

static void *run_thread(void *data)
{
	struct thread t = *(struct thread *)data;
	void *result;

	free(data);
	thread_local_begin();
	result = t.fn(t.arg);
	thread_local_end();
	return result;
}

static int start_thread(pthread_t *ret, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	struct thread *t = malloc(sizeof(*t));

	*t = (struct thread){ fn, arg };
	return pthread_create(ret, attr, run_thread, t);
}

static void *resolve; /* jumps to thread_local_resolve() */

/* As in another worker, where the runtime's functions lie elsewhere. */
static void move(void)
{
	const uint32_t code[] = { 0x58000050, 0xd61f0200 }; /* ldr x16, .+8; br x16 */
	void (*to)(void) = thread_local_resolve, *before = resolve;

	resolve = mmap(NULL, ARENA_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(resolve, code, sizeof(code));
	memcpy((char *)resolve + sizeof(code), &to, sizeof(to));
	__builtin___clear_cache(resolve, (char *)resolve + ARENA_PAGE);
	if (before)
		munmap(before, ARENA_PAGE);
}

/* What takes the place of libraries. */
static uint64_t find(const char *name)
{
#define NAMED(function) { #function, (uint64_t)function }
	const struct {
		const char *name;
		uint64_t address;
	} known[] = {
		NAMED(printf),
		NAMED(puts),
		NAMED(memset),
		NAMED(memcpy),
		NAMED(memcmp),
		NAMED(strlen),
		NAMED(qsort),
		NAMED(pthread_join),
		{ "pthread_create", (uint64_t)start_thread },
		{ "__emutls_get_address", (uint64_t)thread_local_address },
		{ "__tls_get_addr", (uint64_t)thread_local_index_address },
		{ THREAD_LOCAL_RESOLVE, (uint64_t)resolve },
	};
#undef NAMED

	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(name, known[i].name) == 0)
			return known[i].address;
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
	int fd = memfd_create("arena", MFD_CLOEXEC), live = memfd_create("live", MFD_CLOEXEC);
	struct error err = ERROR_INIT;

	if (fd < 0 || live < 0 || ftruncate(fd, (off_t)ARENA_SIZE) ||
	    ftruncate(live, (off_t)ARENA_SIZE))
		error_errno(&err, "memfd");
	/* Without arena_reserve(): qemu keeps a record of each of its pages, which are many. */
	else if (arena_attach(fd, live, &err) == 0 && allocator_attach(&hooks, &err) == 0)
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
	struct unit_symbol symbols[] = {
		{ .name = "f", .is_function = true, .type = "int (int)", .type_code = "" },
		{ .name = "shared", .type = "int [4]", .type_code = "", .size = 16 }
	};
	struct unit u = { .cell = cell,
			  .cell_name = "In[?]",
			  .run_symbol = "run",
			  .symbols = symbols,
			  .n_symbols = 2 };
	struct buffer missing = BUFFER_INIT;
	struct error err = ERROR_INIT;
	struct code_place place;
	struct loaded l;

	move();
	if (loader_attach(find, &missing, &err) || missing.len)
		fail("attach", &err);
	u.object = read_object(path, &u.object_len);
	if (loader_load(&u, 0, &l, &err))
		fail(path, &err);
	for (size_t i = 0; i < l.n_choices; i++)
		*l.choices[i].slot = l.choices[i].choose();
	for (size_t i = 0; i < l.n_constructors; i++)
		l.constructors[i]();
	l.run();
	if (loader_describe_code((uint64_t)l.run + 4, &place) || strcmp(place.function, "run") ||
	    place.cell != cell)
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
