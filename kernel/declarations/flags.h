/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What %cflags, %ldflags, %nvflags, %std, %opt and %pkg have set, from the cell on in which they
 * stand. A failed cell does not take them back, nor does %reset.
 */
#ifndef CGPU_KERNEL_DECLARATIONS_FLAGS_H
#define CGPU_KERNEL_DECLARATIONS_FLAGS_H

#include <stddef.h>

struct buffer;
struct error;

enum flags_kind {
	FLAGS_C,        /* for clang */
	FLAGS_LINK,     /* -L -l, files */
	FLAGS_DEVICE,   /* for device code, as nvcc has them */
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

/* A zeroed struct is the beginning. */
void flags_release(struct flags *f);
/* The magic of this kind: "cflags". */
const char *flags_name(enum flags_kind kind);
/* "" for none. */
const char *flags_get(const struct flags *f, enum flags_kind kind);
int flags_set(struct flags *f, enum flags_kind kind, const char *text, struct error *err);
/* Copies; a package of this name is replaced. */
int flags_add_package(struct flags *f, const struct flags_package *p, struct error *err);
/* All that the C compiler is given: later flags win, so those of %cflags stand last. */
void flags_compose(const struct flags *f, struct buffer *out);

#endif
