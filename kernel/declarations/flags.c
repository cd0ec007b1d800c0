/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flags are kept as the text that the user gave, one for each magic, and become one command line in
 * flags_compose(). A new value is copied before the old one is freed, so that running out of memory
 * changes nothing. The order is standard, level, packages in the order of %pkg, and last %cflags,
 * since clang lets the later flag win. Flags for the linker and for device code are not part of
 * that text.
 */
#include "kernel/declarations/flags.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/text/allowed-flags.h"

static void package_release(struct flags_package *p)
{
	free(p->name);
	free(p->version);
	free(p->cflags);
	free(p->libraries);
}

void flags_release(struct flags *f)
{
	for (int i = 0; i < FLAGS_KINDS; i++)
		free(f->text[i]);
	while (f->n_packages)
		package_release(&f->packages[--f->n_packages]);
	free(f->packages);
	*f = (struct flags){ 0 };
}

const char *flags_name(enum flags_kind kind)
{
	static const char *const names[FLAGS_KINDS] = {
		[FLAGS_C] = "cflags",     [FLAGS_LINK] = "ldflags", [FLAGS_DEVICE] = "nvflags",
		[FLAGS_STANDARD] = "std", [FLAGS_LEVEL] = "opt",
	};

	return names[kind];
}

const char *flags_get(const struct flags *f, enum flags_kind kind)
{
	return f->text[kind] ? f->text[kind] : "";
}

int flags_check(enum flags_kind kind, const char *text, struct error *err)
{
	static const enum allowed_flags_tool tools[] = {
		[FLAGS_C] = ALLOWED_FLAGS_CLANG,
		[FLAGS_LINK] = ALLOWED_FLAGS_LINK,
		[FLAGS_DEVICE] = ALLOWED_FLAGS_DEVICE,
	};

	/* A standard and a level are words of the magics' own lists. */
	if (kind > FLAGS_DEVICE || !allowed_flags_check_line(tools[kind], text, err))
		return 0;
	return error_wrap(err, "%%%s", flags_name(kind));
}

int flags_set(struct flags *f, enum flags_kind kind, const char *text, struct error *err)
{
	char *copy;

	if (flags_check(kind, text, err))
		return -1;
	copy = strdup(text);
	if (!copy)
		return error_set(err, ERROR_MEMORY, "out of memory for flags");
	free(f->text[kind]);
	f->text[kind] = copy;
	return 0;
}

static struct flags_package *place_for(struct flags *f, const char *name)
{
	struct flags_package *grown;

	for (size_t i = 0; i < f->n_packages; i++)
		if (!strcmp(f->packages[i].name, name))
			return &f->packages[i];
	grown = realloc(f->packages, (f->n_packages + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	f->packages = grown;
	grown[f->n_packages] = (struct flags_package){ 0 };
	return &grown[f->n_packages++];
}

int flags_add_package(struct flags *f, const struct flags_package *p, struct error *err)
{
	struct flags_package copy = { strdup(p->name), strdup(p->version), strdup(p->cflags),
				      strdup(p->libraries) },
			     *to = NULL;

	if (allowed_flags_check_line(ALLOWED_FLAGS_CLANG, p->cflags, err)) {
		package_release(&copy);
		return error_wrap(err, "the package %s", p->name);
	}
	if (copy.name && copy.version && copy.cflags && copy.libraries)
		to = place_for(f, p->name);
	if (!to) {
		package_release(&copy);
		return error_set(err, ERROR_MEMORY, "out of memory for the package %s", p->name);
	}
	package_release(to);
	*to = copy;
	return 0;
}

void flags_compose(const struct flags *f, struct buffer *out)
{
	if (f->text[FLAGS_STANDARD] && *f->text[FLAGS_STANDARD])
		buffer_printf(out, "-std=%s ", f->text[FLAGS_STANDARD]);
	if (f->text[FLAGS_LEVEL] && *f->text[FLAGS_LEVEL])
		buffer_printf(out, "-O%s ", f->text[FLAGS_LEVEL]);
	for (size_t i = 0; i < f->n_packages; i++)
		if (*f->packages[i].cflags)
			buffer_printf(out, "%s ", f->packages[i].cflags);
	buffer_puts(out, flags_get(f, FLAGS_C));
}
