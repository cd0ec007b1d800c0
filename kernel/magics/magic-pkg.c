/* SPDX-License-Identifier: Apache-2.0 */
/* %pkg: uses libraries by name. */
#include <string.h>

#include "common/base/error.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/packages.h"
#include "kernel/session/session.h"

static int list(struct session *s)
{
	const struct flags *f = &s->flags;

	if (!f->n_packages)
		output_printf(&s->output, STREAM_STDOUT,
			      "No package is loaded; `%%pkg NAME` loads one, `%%pkg -s TEXT` "
			      "searches.\n");
	for (size_t i = 0; i < f->n_packages; i++)
		output_printf(&s->output, STREAM_STDOUT, "%-16s %-12s %s\n", f->packages[i].name,
			      f->packages[i].version, f->packages[i].cflags);
	return 0;
}

static int pkg(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	const char *args = call->args;

	if (!*args)
		return list(s);
	if (!strncmp(args, "-s", 2) && strchr(" \t", args[2]))
		return packages_search(s, c, args + 2 + strspn(args + 2, " \t"), err);
	if (*args == '-')
		return error_set(err, ERROR_INPUT,
				 "%%pkg has one option: -s TEXT searches the installed packages");
	return packages_use(s, c, args, err);
}

const struct magic magic_pkg = {
	.name = "pkg",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%pkg [NAME...|-s TEXT]",
	.help = "Loads libraries, such as fftw3 gsl openblas cublas, with their "
		"headers.\n\n"
		"Their functions are there from this cell on. `-s` searches the "
		"installed packages; without arguments the loaded ones are listed.",
	.run = pkg,
	.words = "-s",
	.word = MAGIC_WORD_PACKAGE,
};
