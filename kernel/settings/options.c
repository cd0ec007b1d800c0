/* SPDX-License-Identifier: Apache-2.0 */
/* The table is walked once for the environment and once for the command line. */
#include "kernel/settings/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/settings/language.h"
#include "kernel/settings/size-text.h"
#include "kernel/settings/time-text.h"

enum option_type { TEXT, SIZE, TIME, FLAGS, LANGUAGE, PROFILE };

static const struct option {
	const char *flag, *env, *otherwise, *help;
	enum option_type type;
	size_t offset;
} table[] = {
#define OPTION(field, type, flag, env, otherwise, help)                                            \
	{ flag, env, otherwise, help, type, offsetof(struct options, field) },
#include "kernel/settings/options.def"
#undef OPTION
};

#define N_OPTIONS (sizeof(table) / sizeof(table[0]))

static const struct {
	const char *name;
	unsigned flag;
} sandbox_steps[] = {
	{ "hide-file", SANDBOX_HIDE_FILE },
	{ "landlock", SANDBOX_LANDLOCK },
	{ "seccomp", SANDBOX_SECCOMP },
	{ "limits", SANDBOX_LIMITS },
};

static int set_flags(unsigned *ret, const char *text, struct error *err)
{
	unsigned flags = 0;

	while (*text) {
		size_t len = strcspn(text, ","), i,
		       n = sizeof(sandbox_steps) / sizeof(sandbox_steps[0]);

		for (i = 0; i < n; i++)
			if (strlen(sandbox_steps[i].name) == len &&
			    !strncmp(sandbox_steps[i].name, text, len))
				break;
		if (i == n)
			return error_set(err, ERROR_INPUT, "there is no containment step \"%.*s\"",
					 (int)len, text);
		flags |= sandbox_steps[i].flag;
		text += len + (text[len] == ',');
	}
	*ret = flags;
	return 0;
}

static int set(struct options *o, const struct option *option, const char *text, struct error *err)
{
	void *field = (char *)o + option->offset;

	switch (option->type) {
	case SIZE:
		return size_text_parse(text, field, err);
	case TIME:
		return time_text_parse(text, field, err);
	case FLAGS:
		return set_flags(field, text, err);
	case LANGUAGE:
		*(const struct language **)field = language_find(text, err);
		return *(const struct language **)field ? 0 : -1;
	case PROFILE:
		return profile_find(text, field, err);
	default:
		*(const char **)field = text;
		return 0;
	}
}

static int read_environment(struct options *o, struct error *err)
{
	for (size_t i = 0; i < N_OPTIONS; i++) {
		const char *value = *table[i].env ? getenv(table[i].env) : NULL;

		set(o, &table[i], table[i].otherwise, NULL);
		if (value && *value && set(o, &table[i], value, err))
			return error_wrap(err, "%s in the environment", table[i].env);
	}
	return 0;
}

static const struct option *find(const char *flag, size_t len)
{
	for (size_t i = 0; i < N_OPTIONS; i++)
		if (len && strlen(table[i].flag) == len && !strncmp(table[i].flag, flag, len))
			return &table[i];
	return NULL;
}

/* Reads a flag that is no setting; true when it was one. */
static bool read_action(struct options *o, const char *arg)
{
	static const struct {
		const char *name;
		enum action action;
	} actions[] = {
		{ "--install", ACTION_INSTALL }, { "--doctor", ACTION_DOCTOR },
		{ "--version", ACTION_VERSION }, { "--help", ACTION_HELP },
		{ "-h", ACTION_HELP },
	};

	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (!strcmp(actions[i].name, arg)) {
			o->action = actions[i].action;
			return true;
		}
	if (!strcmp(arg, "--user")) {
		o->prefix = "";
		return true;
	}
	return false;
}

/* Finds the folder that jupyter calls sys.prefix, as far as it can be known without Python: that of
 * the active environment. */
static int sys_prefix(const char **ret, struct error *err)
{
	const char *prefix = getenv("VIRTUAL_ENV");

	if (!prefix)
		prefix = getenv("CONDA_PREFIX");
	if (!prefix)
		return error_set(err, ERROR_INPUT,
				 "--sys-prefix needs an active virtual or conda environment; "
				 "without one use --user, or --prefix with the folder that "
				 "`python3 -c 'import sys; print(sys.prefix)'` prints");
	*ret = prefix;
	return 0;
}

/* Reads "--name value", "--name=value" or "-f value". Returns the number of arguments used, -1 on
 * error. */
static int read_setting(struct options *o, int left, char **argv, struct error *err)
{
	const char *arg = argv[0];
	size_t len = strcspn(arg, "=");
	const char *value = arg[len] ? arg + len + 1 : left > 1 ? argv[1] : NULL;
	const struct option *option = NULL;
	bool prefix = len == 8 && !strncmp(arg, "--prefix", len);

	if (!strcmp(arg, "--sys-prefix"))
		return sys_prefix(&o->prefix, err) ? -1 : 1;
	if (!strcmp(arg, "-f"))
		option = find("connection-file", strlen("connection-file"));
	else if (len > 2 && !strncmp(arg, "--", 2))
		option = find(arg + 2, len - 2);
	if (!option && !prefix)
		return error_set(err, ERROR_INPUT, "%s is not an option; --help lists them", arg);
	if (!value)
		return error_set(err, ERROR_INPUT, "%s needs a value", arg);
	if (prefix)
		o->prefix = value;
	else if (set(o, option, value, err))
		return error_wrap(err, "%s", arg);
	return arg[len] ? 1 : 2;
}

int options_read(struct options *ret, int argc, char **argv, struct error *err)
{
	struct options o = { .action = ACTION_RUN, .prefix = "" };
	const char *word = NULL;
	int took;

	if (read_environment(&o, err))
		return -1;
	for (int i = 1; i < argc; i += took) {
		took = 1;
		if (*argv[i] != '-')
			word = argv[i];
		else if (!read_action(&o, argv[i]))
			took = read_setting(&o, argc - i, argv + i, err);
		if (took < 0)
			return -1;
	}
	/* `jupyter run FILE` gives its own arguments to the kernel, too. */
	if (word && (o.action != ACTION_RUN || !*o.connection_file))
		return error_set(err, ERROR_INPUT, "%s is not an option; --help lists them", word);
	if (o.action == ACTION_RUN && !*o.connection_file)
		return error_set(
			err, ERROR_INPUT,
			"no connection file: front ends start this program with -f FILE. "
			"`cgpu-kernel --install` makes it known to Jupyter; --help says more");
	*ret = o;
	return 0;
}

void options_help(FILE *out)
{
	fputs("usage: cgpu-kernel -f CONNECTION_FILE [OPTION]...    run, as a front end does it\n"
	      "       cgpu-kernel --install [--user | --sys-prefix | --prefix FOLDER]\n"
	      "                                                     make the kernel known to "
	      "Jupyter\n"
	      "       cgpu-kernel --doctor                          what is in force, and what "
	      "mends the rest\n"
	      "       cgpu-kernel --version | --help\n\noptions, and the variables that set them "
	      "too:\n",
	      out);
	for (size_t i = 0; i < N_OPTIONS; i++) {
		if (*table[i].flag)
			fprintf(out, "  --%s VALUE", table[i].flag);
		if (*table[i].env)
			fprintf(out, "  %s%s", *table[i].flag ? "or " : "", table[i].env);
		fprintf(out, "\n        %s%s%s%s\n", table[i].help,
			*table[i].otherwise ? " (default " : "", table[i].otherwise,
			*table[i].otherwise ? ")" : "");
	}
}
