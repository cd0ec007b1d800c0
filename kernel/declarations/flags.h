/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flags that %cflags, %ldflags, %nvflags, %std, %opt and %pkg set, from their cell on. Neither
 * a failed cell nor %reset takes them back.
 */
#ifndef CGPU_KERNEL_DECLARATIONS_FLAGS_H
#define CGPU_KERNEL_DECLARATIONS_FLAGS_H

#include <stddef.h>

struct buffer;
struct error;

enum flags_kind {
	FLAGS_C,        /* for clang */
	FLAGS_LINK,     /* -L -l, files */
	FLAGS_DEVICE,   /* for device code, in the syntax of nvcc */
	FLAGS_STANDARD, /* "gnu17" */
	FLAGS_LEVEL,    /* "3" */
	FLAGS_KINDS
};

struct flags_package {
	char *name, *version, *cflags;
	char *libraries; /* paths, one a line */
};

struct flags {
	char *text[FLAGS_KINDS];        /* as given; owned, NULL for none */
	struct flags_package *packages; /* owned, in the order of %pkg */
	size_t n_packages;
};

/* Releases the flags. A zeroed struct has none. */
void flags_release(struct flags *f);
/* Returns the name of the magic of this kind, such as "cflags". */
const char *flags_name(enum flags_kind kind);
/* Returns the flags of this kind; "" for none. */
const char *flags_get(const struct flags *f, enum flags_kind kind);
/* Checks that cells may use these flags (common/text/allowed-flags.h). flags_set() does so, too. */
int flags_check(enum flags_kind kind, const char *text, struct error *err);
int flags_set(struct flags *f, enum flags_kind kind, const char *text, struct error *err);
/* Adds a copy of the package and replaces one of the same name. */
int flags_add_package(struct flags *f, const struct flags_package *p, struct error *err);
/* Appends all flags for the C compiler: later flags win, so those of %cflags stand last. */
void flags_compose(const struct flags *f, struct buffer *out);

#endif
