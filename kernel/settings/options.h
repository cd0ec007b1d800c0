/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of cgpu-kernel, from defaults, environment and command line
 * (kernel/settings/options.def). */
#ifndef CGPU_KERNEL_SETTINGS_OPTIONS_H
#define CGPU_KERNEL_SETTINGS_OPTIONS_H

#include <stdint.h>
#include <stdio.h>

#include "kernel/settings/profile.h"

struct error;
struct language;

typedef const char *option_TEXT; /* borrowed from argv or the environment */
typedef uint64_t option_SIZE;
typedef uint64_t option_TIME;  /* ms */
typedef unsigned option_FLAGS; /* enum sandbox_flag */
typedef const struct language *option_LANGUAGE;
typedef enum profile option_PROFILE;

enum action { ACTION_RUN, ACTION_INSTALL, ACTION_DOCTOR, ACTION_VERSION, ACTION_HELP };

struct options {
	enum action action;
	/* For ACTION_INSTALL; "" installs for the user. */
	const char *prefix;
#define OPTION(field, type, flag, env, otherwise, help) option_##type field;
#include "kernel/settings/options.def"
#undef OPTION
};

int options_read(struct options *ret, int argc, char **argv, struct error *err);
/* Prints the text of --help. */
void options_help(FILE *out);

#endif
