/* SPDX-License-Identifier: Apache-2.0 */
/* The profiles of containment (kernel/settings/profile.def). */
#ifndef CGPU_KERNEL_SETTINGS_PROFILE_H
#define CGPU_KERNEL_SETTINGS_PROFILE_H

struct error;

enum profile {
	PROFILE_UNSET,
#define PROFILE(symbol, word, meaning) PROFILE_##symbol,
#include "kernel/settings/profile.def"
#undef PROFILE
};

/* Finds a profile by its word; "" is PROFILE_UNSET. ERROR_INPUT: there is none; the error text
 * lists all. */
int profile_find(const char *word, enum profile *ret, struct error *err);
const char *profile_word(enum profile p);
/* Returns what it means, as a clause. */
const char *profile_meaning(enum profile p);

#endif
