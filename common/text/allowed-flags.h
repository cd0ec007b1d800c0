/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flags that cells and .pc files may give to clang, to the linker's rules and to nvcc: those of
 * allowed-flags.def. A flag that is not there could make a program load a plug-in, run another
 * program or write a file, so each of them is refused by name.
 */
#ifndef CGPU_COMMON_TEXT_ALLOWED_FLAGS_H
#define CGPU_COMMON_TEXT_ALLOWED_FLAGS_H

#include <stddef.h>

struct error;

enum allowed_flags_tool {
	ALLOWED_FLAGS_CLANG,  /* %cflags, %%cpp, Cflags of .pc files */
	ALLOWED_FLAGS_LINK,   /* %ldflags, Libs of .pc files; also files */
	ALLOWED_FLAGS_DEVICE, /* %nvflags */
	ALLOWED_FLAGS_NVCC,   /* %%cuda */
	ALLOWED_FLAGS_PTXAS,  /* within -Xptxas */
	ALLOWED_FLAGS_FRONT,  /* within -Xcudafe */
};

/* Checks words as a program would get them. ERROR_INPUT names the first one that is refused. */
int allowed_flags_check(enum allowed_flags_tool tool, const char *const *words, size_t n,
			struct error *err);
/* Checks the words of a line, see flag-words.h. */
int allowed_flags_check_line(enum allowed_flags_tool tool, const char *line, struct error *err);

#endif
