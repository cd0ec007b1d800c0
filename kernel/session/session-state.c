/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/session/session-state.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "common/buffer.h"
#include "common/cleanup.h"
#include "common/error.h"
#include "common/record.h"
#include "common/unit.h"
#include "kernel/session/session.h"

#define VERSION 1u

int session_state_describe(void *data, struct buffer *out, uint32_t *ret_count)
{
	struct session *s = data;

	*ret_count = s->executor.count;
	record_put_u32(out, VERSION);
	record_put_str(out, s->cflags ? s->cflags : "");
	record_put_str(out, buffer_text(&s->setup.code));
	record_put_u32(out, (uint32_t)s->declarations.n);
	declarations_encode(&s->declarations, out);
	return out->failed ? -1 : 0;
}

/* The list borrows from the record. */
static int decode(struct record *r, struct declaration **ret, uint32_t n, struct error *err)
{
	*ret = calloc(n + 1, sizeof(**ret));
	if (!*ret)
		return error_set(err, ERROR_MEMORY, "out of memory for declarations");
	for (uint32_t i = 0; i < n; i++)
		(*ret)[i] = declaration_decode(r);
	return record_check(r, "the session's part of the snapshot", err);
}

int session_state_take(struct session *s, const struct buffer *described, uint32_t count, struct error *err)
{
	struct record r = record_open(described->data, described->len);
	uint32_t version = record_u32(&r), n;
	const char *cflags = record_str(&r), *setup = record_str(&r);
	cleanup_free struct declaration *list = NULL;
	cleanup_free char *flags = strdup(cflags);
	cleanup_buffer struct buffer code = BUFFER_INIT;

	if (!r.failed && version != VERSION)
		return error_set(err, ERROR_INPUT, "the snapshot was made by another version of cgpu");
	n = record_count(&r, 8);
	buffer_puts(&code, setup);
	if (!flags || buffer_check(&code, NULL))
		return error_set(err, ERROR_MEMORY, "out of memory for a snapshot");
	if (decode(&r, &list, n, err) || declarations_fill(&s->declarations, list, n, err))
		return -1;
	free(s->cflags);
	s->cflags = steal_pointer(&flags);
	buffer_release(&s->setup.code);
	s->setup.code = code;
	code = (struct buffer)BUFFER_INIT;
	setup_again(&s->setup);
	if (s->executor.count < count)
		s->executor.count = count;
	return 0;
}

static void put_name(const char *path, char *ret, size_t size)
{
	const char *slash = strrchr(path, '/');
	size_t at = 0;

	for (const char *c = slash ? slash + 1 : path; *c && at + 1 < size && at < 40; c++, at++)
		ret[at] = isalnum((unsigned char)*c) || (*c == '.' && at) || *c == '-' ? *c : '_';
	ret[at] = '\0';
}

void session_state_folder(char *ret, size_t size)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME"), *notebook = getenv("JPY_SESSION_NAME");
	char here[4096], base[3072], name[64];

	*ret = '\0';
	if (state && *state == '/')
		snprintf(base, sizeof(base), "%s", state);
	else if (home && *home == '/')
		snprintf(base, sizeof(base), "%s/.local/state", home);
	else
		return;
	if ((!notebook || !*notebook) && !getcwd(here, sizeof(here)))
		return;
	notebook = notebook && *notebook ? notebook : here;
	put_name(notebook, name, sizeof(name));
	snprintf(ret, size, "%s/cgpu/%s-%016llx", base, name,
		 (unsigned long long)XXH3_64bits(notebook, strlen(notebook)));
}
