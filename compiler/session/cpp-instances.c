/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KEY-instances.pch is chained to KEY.pch, which is in its list of files, so that it is valid as
 * long as that one is unchanged; KEY-instances.use has the keys of its instances, a line each, with
 * `!` in front of those that clang has refused, which are not tried again. All notebooks of a user
 * share it: a new one is fast from its first cell on.
 *
 * The child that makes it may be ended at any time, which says nothing about its keys. If clang
 * crashes in it, all new keys are refused: a list that says so is written before, and renamed into
 * place by the signal handler.
 */
#define _GNU_SOURCE
#include "compiler/session/cpp-instances.h"

#include <limits.h>
#include <search.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/mem-pool.h"
#include "compiler/cache/sealed-file.h"
#include "compiler/clang/job/clang-shim.h"
#include "compiler/session/cpp-header.h"
#include "compiler/session/header-ahead.h"

#define SUFFIX "-instances."
#define REFUSED '!'
/* Bytes of keys, some 3,000, which take 2 s; beyond that the list starts again with those
 * of the last cells. */
#define BYTES_MAX (2u << 20)
/* Each try refuses the outermost of instances that call each other. */
#define TRIES 12

struct making {
	const struct cpp_instances *wanted;
	const struct clang_options *clang;
};

enum key_state { KEY_NEW, KEY_MADE, KEY_REFUSED };

struct key {
	const char *text;
	enum key_state state;
};

/* Keys in the order of their arrival, each once. */
struct key_list {
	struct mem_pool pool;
	void *tree;
	struct key **at;
	uint32_t n, cap;
	bool no_memory;
};

void cpp_instances_release(struct cpp_instances *i)
{
	buffer_release(&i->base);
	buffer_release(&i->keys);
}

void cpp_instances_want(struct cpp_instances *i, const char *base, const char *key)
{
	if (!i->base.len || strcmp(buffer_text(&i->base), base)) {
		buffer_clear(&i->base);
		buffer_clear(&i->keys);
		buffer_puts(&i->base, base);
	}
	buffer_printf(&i->keys, "%s\n", key);
}

static void path_of(const char *base, const char *kind, struct buffer *ret)
{
	buffer_printf(ret, "%.*s" SUFFIX "%s", (int)(strlen(base) - strlen(".pch")), base, kind);
}

void cpp_instances_header(const char *base, struct buffer *ret)
{
	cleanup_buffer struct buffer path = BUFFER_INIT;

	if (!*base)
		return;
	path_of(base, "pch", &path);
	if (buffer_check(&path, NULL) || !cpp_header_holds(buffer_text(&path))) {
		buffer_puts(ret, base);
		return;
	}
	buffer_puts(ret, buffer_text(&path));
	cpp_header_note_use(buffer_text(&path));
}

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct key *)a)->text, ((const struct key *)b)->text);
}

static void leave(void *key)
{
	(void)key; /* the pool owns the key */
}

static void key_list_release(struct key_list *l)
{
	tdestroy(l->tree, leave);
	mem_pool_release(&l->pool);
}

/* Finds the key of this text, or adds it; NULL: memory is out. */
static struct key *key_list_get(struct key_list *l, const char *text, size_t len)
{
	struct key *key = mem_pool_alloc(&l->pool, sizeof(*key));
	struct key **found = NULL;

	if (key)
		key->text = mem_pool_strndup(&l->pool, text, len);
	if (key && key->text && MEM_POOL_ROOM(&l->pool, l->at, l->n, &l->cap))
		found = tsearch(key, &l->tree, by_text);
	if (!found) {
		l->no_memory = true;
		return NULL;
	}
	if (*found == key)
		l->at[l->n++] = key;
	return *found;
}

/* Adds each line of the text; known keys keep their state, unless they are refused. */
static void key_list_add(struct key_list *l, const char *text, enum key_state state)
{
	for (size_t len; *text; text += len + (text[len] != '\0')) {
		bool refused = *text == REFUSED;
		uint32_t n = l->n;

		len = strcspn(text, "\n");
		struct key *key = key_list_get(l, text + refused, len - refused);

		if (key && (l->n > n || refused || state == KEY_REFUSED))
			key->state = refused ? KEY_REFUSED : state;
	}
}

static bool key_list_has(const struct key_list *l, enum key_state state)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->at[i]->state == state)
			return true;
	return false;
}

/* Appends the keys that may be tried, a line each. */
static void key_list_put(const struct key_list *l, struct buffer *ret)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->at[i]->state != KEY_REFUSED)
			buffer_printf(ret, "%s\n", l->at[i]->text);
}

static void key_list_read(struct key_list *l, const char *path)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	if (sealed_file_read(path, &text) && text.len <= BYTES_MAX)
		key_list_add(l, buffer_text(&text), KEY_MADE);
}

/* Makes the name of a file before it is renamed. */
static int path_before(const char *path, char ret[static PATH_MAX])
{
	return snprintf(ret, PATH_MAX, "%s.%d", path, (int)getpid()) >= PATH_MAX ? -1 : 0;
}

/* Writes the list; new_mark is put in front of keys that have not been made. */
static int key_list_write(const struct key_list *l, const char *new_mark, const char *path)
{
	static const char refused[] = { REFUSED, '\0' };
	cleanup_buffer struct buffer text = BUFFER_INIT;

	for (uint32_t i = 0; i < l->n; i++)
		buffer_printf(&text, "%s%s\n",
			      l->at[i]->state == KEY_REFUSED ? refused
			      : l->at[i]->state == KEY_NEW   ? new_mark
							     : "",
			      l->at[i]->text);
	return buffer_check(&text, NULL) ? -1 : sealed_file_write(path, text.data, text.len, NULL);
}

/* Tries to precompile the keys. 1: some were refused, the others may succeed. */
static int try_to_make(const struct making *m, struct key_list *keys, const char *path)
{
	cleanup_buffer struct buffer good = BUFFER_INIT, refused = BUFFER_INIT;
	struct clang_job job = { .options = m->clang,
				 .header = buffer_text(&m->wanted->base),
				 .name = "instances" };

	key_list_put(keys, &good);
	if (buffer_check(&good, NULL))
		return -1;
	job.text = buffer_text(&good);
	job.len = good.len;
	if (!cpp_header_write(&job, clang_shim_build_instances, path, &refused, NULL))
		return 0;
	key_list_add(keys, buffer_text(&refused), KEY_REFUSED);
	return refused.len && !buffer_check(&refused, NULL) ? 1 : -1;
}

/* Refuses all new keys, since it is not known which one is to blame. */
static void refuse_new(struct key_list *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->at[i]->state != KEY_MADE)
			l->at[i]->state = KEY_REFUSED;
}

static struct {
	char from[PATH_MAX], to[PATH_MAX];
} when_it_crashes;

static void on_crash(int signal)
{
	(void)signal;
	rename(when_it_crashes.from, when_it_crashes.to);
	_exit(EXIT_FAILURE);
}

/* Writes what a crash of this process says of the keys, and has handlers for crashes put it in the
 * list's place: on a stack of their own, since the stack may be full. Who sees the file knows that
 * the handlers are there. */
static int watch_for_crashes(const struct key_list *keys, const char *path_of_keys)
{
	static const int crashes[] = { SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP };
	static char stack[1 << 16];
	struct sigaction action = { .sa_handler = on_crash, .sa_flags = SA_ONSTACK };

	if (path_before(path_of_keys, when_it_crashes.from) ||
	    snprintf(when_it_crashes.to, PATH_MAX, "%s", path_of_keys) >= PATH_MAX)
		return -1;
	sigaltstack(&(stack_t){ .ss_sp = stack, .ss_size = sizeof(stack) }, NULL);
	for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
		sigaction(crashes[i], &action, NULL);
	return key_list_write(keys, (const char[]){ REFUSED, '\0' }, when_it_crashes.from);
}

static void make_of(const struct making *m, struct key_list *keys, const char *path,
		    const char *path_of_keys)
{
	int r = watch_for_crashes(keys, path_of_keys) ? -1 : 1;

	for (int i = 0; i < TRIES && r == 1; i++)
		r = try_to_make(m, keys, path);
	if (r)
		refuse_new(keys);
	if ((!r || !try_to_make(m, keys, path)) && !key_list_write(keys, "", when_it_crashes.from))
		rename(when_it_crashes.from, path_of_keys);
	else
		unlink(when_it_crashes.from);
}

static void make(void *context)
{
	const struct making *m = context;
	const char *base = buffer_text(&m->wanted->base);
	cleanup_buffer struct buffer path = BUFFER_INIT, path_of_keys = BUFFER_INIT;
	struct key_list keys = { .tree = NULL };

	mem_pool_init(&keys.pool);
	path_of(base, "pch", &path);
	path_of(base, "use", &path_of_keys);
	if (!buffer_check(&path_of_keys, NULL))
		key_list_read(&keys, buffer_text(&path_of_keys));
	key_list_add(&keys, buffer_text(&m->wanted->keys), KEY_NEW);
	if (!keys.no_memory && !buffer_check(&path, NULL) && cpp_header_holds(base) &&
	    (key_list_has(&keys, KEY_NEW) || !cpp_header_holds(buffer_text(&path))))
		make_of(m, &keys, buffer_text(&path), buffer_text(&path_of_keys));
	key_list_release(&keys);
}

void cpp_instances_rest(struct cpp_instances *i, const struct clang_options *clang)
{
	cleanup_buffer struct buffer path = BUFFER_INIT;
	struct making m = { i, clang };

	if (!i->keys.len || !clang)
		return;
	path_of(buffer_text(&i->base), "pch", &path);
	if (!buffer_check(&i->keys, NULL) && !buffer_check(&path, NULL) &&
	    header_ahead_begin((const char *[]){ buffer_text(&path) }, 1, make, &m))
		buffer_clear(&i->keys);
}
