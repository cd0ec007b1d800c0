/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record is a version, the flags, the setup and the declarations, in this order; a snapshot
 * with another version is refused. %undo keeps flags and setup only. Flags and setup are decoded
 * into new structs and exchanged for the session's when all of the record was read, so that an
 * error leaves those as they were; declarations are decoded in place. A notebook's folder is its
 * name with unusual characters replaced, and a hash of its whole path, so that notebooks of the
 * same name do not share one.
 */
#include "kernel/session/session-state.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "kernel/declarations/declarations.h"
#include "kernel/declarations/flags.h"
#include "kernel/declarations/setup.h"
#include "kernel/session/session.h"

#define VERSION 1u

static void put_flags(const struct flags *f, struct buffer *out)
{
	for (int kind = 0; kind < FLAGS_KINDS; kind++)
		record_put_str(out, flags_get(f, (enum flags_kind)kind));
	record_put_u32(out, (uint32_t)f->n_packages);
	for (size_t i = 0; i < f->n_packages; i++) {
		record_put_str(out, f->packages[i].name);
		record_put_str(out, f->packages[i].version);
		record_put_str(out, f->packages[i].cflags);
		record_put_str(out, f->packages[i].libraries);
	}
}

/* Goes on without flags that cells may not use: what is in a file may be anybody's. */
static int leave_out(int failed, struct error *err)
{
	if (!failed || err->code != ERROR_INPUT)
		return failed;
	log_warning("flags of the saved session are left out: %s", err->text);
	*err = (struct error)ERROR_INIT;
	return 0;
}

static int take_flags(struct record *r, struct flags *f, struct error *err)
{
	uint32_t n;

	for (int kind = 0; kind < FLAGS_KINDS; kind++)
		if (leave_out(flags_set(f, (enum flags_kind)kind, record_str(r), err), err))
			return -1;
	n = record_count(r, 20);
	for (uint32_t i = 0; i < n; i++) {
		struct flags_package p = { .name = (char *)record_str(r) };

		p.version = (char *)record_str(r);
		p.cflags = (char *)record_str(r);
		p.libraries = (char *)record_str(r);
		if (leave_out(flags_add_package(f, &p, err), err))
			return -1;
	}
	return 0;
}

int session_state_describe(void *data, struct buffer *out, uint32_t *ret_count)
{
	struct session *s = data;

	*ret_count = s->executor.count;
	record_put_u32(out, VERSION);
	session_state_keep(s, out);
	declarations_encode(&s->declarations, out);
	return out->failed ? -1 : 0;
}

void session_state_keep(const struct session *s, struct buffer *out)
{
	put_flags(&s->flags, out);
	setup_encode(&s->setup, out);
}

static void exchange(struct session *s, const struct flags *flags, const struct setup *setup)
{
	flags_release(&s->flags);
	s->flags = *flags;
	setup_release(&s->setup);
	s->setup = *setup;
}

void session_state_return(struct session *s, const struct buffer *kept)
{
	struct record r = record_open(kept->data, kept->len);
	struct flags flags = { 0 };
	struct setup setup = { .worker = s->setup.worker };

	if (!kept->failed && !take_flags(&r, &flags, NULL) && !setup_decode(&setup, &r, NULL)) {
		exchange(s, &flags, &setup);
		return;
	}
	log_warning("flags and cells that run again are not as before: out of memory");
	flags_release(&flags);
	setup_release(&setup);
}

static int take(struct session *s, struct record *r, struct flags *flags, struct setup *setup,
		struct error *err)
{
	uint32_t version = record_u32(r);

	if (!r->failed && version != VERSION)
		return error_set(err, ERROR_INPUT,
				 "the snapshot was made by another version of cgpu");
	if (take_flags(r, flags, err))
		return -1;
	if (setup_decode(setup, r, err) || declarations_decode(&s->declarations, r, err))
		return -1;
	return record_check(r, "the session's part of the snapshot", err);
}

int session_state_take(struct session *s, const struct buffer *described, uint32_t count,
		       struct error *err)
{
	struct record r = record_open(described->data, described->len);
	struct flags flags = { 0 };
	struct setup setup = { .worker = s->setup.worker };

	if (take(s, &r, &flags, &setup, err)) {
		flags_release(&flags);
		setup_release(&setup);
		return -1;
	}
	exchange(s, &flags, &setup);
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
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME"),
		   *notebook = getenv("JPY_SESSION_NAME");
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
