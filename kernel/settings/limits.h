/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits that the administrator of a machine sets, and a user may lower: defaults, and ceilings
 * that nobody may exceed. Read from, in this order, $sysconfdir/cgpu/cgpu.conf, the file that
 * CGPU_LIMITS names (for a spawner), and $XDG_CONFIG_HOME/cgpu/cgpu.conf:
 *
 *	# comment
 *	gpu = 25%           default, of what the device has; or a size: 4G
 *	gpu max = 40%
 *	ram max = 8G
 *	output = 1M
 *	time = 10min              how long a cell may take
 *	disk = 1G                 what cells of the profile `locked` may write to files
 *	profile = workspace       default; see kernel/settings/profile.def
 *	profile min = workspace   the least strict that anybody may have
 *
 * The last default counts, and the lowest ceiling, the strictest least profile. A malformed line
 * is reported and ignored.
 */
#ifndef CGPU_KERNEL_SETTINGS_LIMITS_H
#define CGPU_KERNEL_SETTINGS_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "kernel/settings/profile.h"

struct error;

enum limit_kind { LIMIT_GPU, LIMIT_RAM, LIMIT_OUTPUT, LIMIT_TIME, LIMIT_DISK, LIMIT_KINDS };

/* An amount in bytes, of LIMIT_TIME in milliseconds, or as a share of the whole; all 0: not set. */
struct limit_amount {
	uint64_t bytes;
	double percent;
};

#define LIMITS_FILES 3

struct limits {
	struct limit_amount normal[LIMIT_KINDS];
	struct limit_amount most[LIMIT_KINDS][LIMITS_FILES]; /* by file */
	enum profile profile, least_profile;
	char *files[LIMITS_FILES]; /* NULL: there is none */
	struct buffer problems;    /* lines, each with file and number */
};

void limits_read(struct limits *l);
void limits_release(struct limits *l);

/* Finds a limit by its word of len bytes; -1: there is none. */
int limit_kind_find(const char *word, size_t len, enum limit_kind *ret);
/* Parses an amount such as "40%", "2G" or, of time, "10min". */
int limit_amount_parse(enum limit_kind kind, const char *text, struct limit_amount *ret,
		       struct error *err);
uint64_t limit_amount_bytes(const struct limit_amount *a, uint64_t whole);

/* Returns the effective limit when `wanted` (0: not chosen) is asked for. l: NULL for no limits. */
uint64_t limits_apply(const struct limits *l, enum limit_kind kind, uint64_t wanted,
		      uint64_t otherwise, uint64_t whole);
/* Returns the effective profile when this one is asked for. */
enum profile limits_profile(const struct limits *l, enum profile wanted);
/* Fails with ERROR_LIMIT, naming the file, when more is wanted than is allowed. */
int limits_check(const struct limits *l, enum limit_kind kind, uint64_t wanted, uint64_t whole,
		 struct error *err);

#endif
