/* SPDX-License-Identifier: Apache-2.0 */
/* A share of a device can only be compared when the device is known, so each file's ceiling is kept
 * in its written form. */
#include "kernel/settings/limits.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/regular-file.h"
#include "kernel/settings/paths.h"
#include "kernel/settings/size-text.h"
#include "kernel/settings/time-text.h"

static const char *const names[LIMIT_KINDS] = { "gpu", "ram", "output", "time", "disk" };

int limit_amount_parse(enum limit_kind kind, const char *text, struct limit_amount *ret,
		       struct error *err)
{
	struct limit_amount a = { 0 };
	char *end;
	double value = strtod(text, &end);

	if (kind == LIMIT_TIME) {
		if (time_text_parse(text, &a.bytes, err))
			return -1;
	} else if (end > text && isdigit((unsigned char)*text) && !strcmp(end, "%")) {
		if (!(value > 0 && value <= 100))
			return error_set(err, ERROR_INPUT, "\"%s\" is no part of a whole", text);
		a.percent = value;
	} else if (size_text_parse(text, &a.bytes, err)) {
		return -1;
	} else if (!a.bytes) {
		return error_set(err, ERROR_INPUT,
				 "a limit of nothing leaves nothing to work with");
	}
	*ret = a;
	return 0;
}

uint64_t limit_amount_bytes(const struct limit_amount *a, uint64_t whole)
{
	return a->percent > 0 ? (uint64_t)((double)whole * a->percent / 100) : a->bytes;
}

static char *trim(char *text)
{
	char *end;

	text += strspn(text, " \t\r\n");
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return text;
}

int limit_kind_find(const char *word, size_t len, enum limit_kind *ret)
{
	for (int i = 0; i < LIMIT_KINDS; i++) {
		if (strlen(names[i]) != len || strncmp(names[i], word, len))
			continue;
		*ret = (enum limit_kind)i;
		return 0;
	}
	return -1;
}

/* Parses "gpu" or "gpu max". */
static int find_name(char *name, enum limit_kind *ret, bool *ret_most)
{
	size_t len = strcspn(name, " \t");
	char *rest = trim(name + len);

	*ret_most = !strcmp(rest, "max");
	return limit_kind_find(name, len, ret) || (*rest && !*ret_most) ? -1 : 0;
}

static int take_profile(struct limits *l, const char *name, const char *value, struct error *err)
{
	bool least = !strcmp(name, "profile min");
	enum profile p;

	if (profile_find(value, &p, err))
		return -1;
	if (least && p > l->least_profile)
		l->least_profile = p;
	else if (!least)
		l->profile = p;
	return 0;
}

static int take_line(struct limits *l, int file, char *line, struct error *err)
{
	struct limit_amount amount;
	enum limit_kind kind;
	bool most;
	char *value;

	line[strcspn(line, "#")] = '\0';
	line = trim(line);
	if (!*line)
		return 0;
	value = strchr(line, '=');
	if (!value)
		return error_set(err, ERROR_INPUT, "\"%s\" is not of the shape `gpu max = 40%%`",
				 line);
	*value++ = '\0';
	line = trim(line);
	if (!strcmp(line, "profile") || !strcmp(line, "profile min"))
		return take_profile(l, line, trim(value), err);
	if (find_name(line, &kind, &most))
		return error_set(err, ERROR_INPUT,
				 "\"%s\" is no limit; gpu, ram, output, time and disk are, with "
				 "`max` behind "
				 "them for what nobody may pass, and profile, with `min` behind it",
				 line);
	if (limit_amount_parse(kind, trim(value), &amount, err))
		return -1;
	if (kind == LIMIT_OUTPUT && amount.percent > 0)
		return error_set(err, ERROR_INPUT, "output is a size, not a part of something");
	if (most)
		l->most[kind][file] = amount;
	else
		l->normal[kind] = amount;
	return 0;
}

static void read_file(struct limits *l, int file, const char *path)
{
	struct error why = ERROR_INIT;
	cleanup_file FILE *f = regular_file_read(path, &why);
	char line[512];

	if (!f) {
		if (why.code != ERROR_NOT_FOUND)
			buffer_printf(&l->problems, "%s: %s\n", path, why.text);
		return;
	}
	l->files[file] = strdup(path);
	for (int n = 1; fgets(line, sizeof(line), f); n++) {
		struct error err = ERROR_INIT;

		if (take_line(l, file, line, &err))
			buffer_printf(&l->problems, "%s:%d: %s\n", path, n, err.text);
	}
}

/* Reads these files; NULL for none. */
static void limits_read_files(struct limits *l, const char *const files[LIMITS_FILES])
{
	*l = (struct limits){ 0 };
	for (int i = 0; i < LIMITS_FILES; i++)
		if (files[i] && *files[i])
			read_file(l, i, files[i]);
}

void limits_read(struct limits *l)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char own[4096] = "";

	if (config && *config)
		snprintf(own, sizeof(own), "%s/cgpu/cgpu.conf", config);
	else if (home && *home)
		snprintf(own, sizeof(own), "%s/.config/cgpu/cgpu.conf", home);
	limits_read_files(l, (const char *const[LIMITS_FILES]){ PATHS_SYSCONF "/cgpu/cgpu.conf",
								getenv("CGPU_LIMITS"), own });
}

void limits_release(struct limits *l)
{
	for (int i = 0; i < LIMITS_FILES; i++)
		free(l->files[i]);
	buffer_release(&l->problems);
	*l = (struct limits){ 0 };
}

/* Finds the lowest ceiling; -1: there is none. */
static int find_most(const struct limits *l, enum limit_kind kind, uint64_t whole, uint64_t *ret)
{
	int found = -1;

	for (int i = 0; l && i < LIMITS_FILES; i++) {
		uint64_t bytes = limit_amount_bytes(&l->most[kind][i], whole);

		if (!bytes || (found >= 0 && bytes >= *ret))
			continue;
		*ret = bytes;
		found = i;
	}
	return found;
}

enum profile limits_profile(const struct limits *l, enum profile wanted)
{
	enum profile p = wanted != PROFILE_UNSET       ? wanted
			 : l->profile != PROFILE_UNSET ? l->profile
						       : PROFILE_OPEN;

	return p < l->least_profile ? l->least_profile : p;
}

uint64_t limits_apply(const struct limits *l, enum limit_kind kind, uint64_t wanted,
		      uint64_t otherwise, uint64_t whole)
{
	uint64_t normal = l ? limit_amount_bytes(&l->normal[kind], whole) : 0, most;
	uint64_t value = wanted ? wanted : normal ? normal : otherwise;

	return find_most(l, kind, whole, &most) >= 0 && (!value || value > most) ? most : value;
}

int limits_check(const struct limits *l, enum limit_kind kind, uint64_t wanted, uint64_t whole,
		 struct error *err)
{
	char text[SIZE_TEXT_MAX > TIME_TEXT_MAX ? SIZE_TEXT_MAX : TIME_TEXT_MAX], part[32] = "";
	uint64_t most;
	int file = find_most(l, kind, whole, &most);

	if (file < 0 || wanted <= most)
		return 0;
	if (l->most[kind][file].percent > 0)
		snprintf(part, sizeof(part), " (%g%%)", l->most[kind][file].percent);
	return error_set(err, ERROR_LIMIT, "%s allows %s%s at most; it can be lowered, not raised",
			 l->files[file],
			 kind == LIMIT_TIME ? time_text(most, text) : size_text(most, text), part);
}
