/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages between cgpu-kernel and cgpu-compiler over common/protocol/ipc.h. The kernel asks, the
 * compiler answers each request with one message that carries the same request id, in the order of
 * asking. The compiler is stateless but for caches: after a restart the next request works.
 *
 * Session declarations travel with COMPILER_DECLARATIONS before the first request that needs them
 * and after each change; the compiler keeps the last set.
 *
 * All payloads are records (common/base/record.h); "str" is a string, "[x]" a u32 count and so many
 * x.
 */
#ifndef CGPU_COMMON_PROTOCOL_COMPILER_PROTOCOL_H
#define CGPU_COMMON_PROTOCOL_COMPILER_PROTOCOL_H

#define COMPILER_PROTOCOL_VERSION 11

/* The descriptor of cgpu-compiler's socket; 0 to 2 are inherited from the kernel. */
#define COMPILER_SOCKET_FD 3

/* The argument of cgpu-compiler that makes C++ the language of cells that do not say it; any other,
 * or none: C. */
#define COMPILER_CPP "cpp"

/* The exit status of cgpu-compiler when it may have no more memory. */
#define COMPILER_EXIT_MEMORY 77

enum compiler_message {
	/* compiler -> kernel, once, the answer to COMPILER_CONFINE: u32 COMPILER_PROTOCOL_VERSION,
	 * str clang version, [str step, str why it was not applied] */
	COMPILER_HELLO = 1,

	/* kernel -> compiler */
	/* u32 flags (enum sandbox_flag), bytes struct sock_filter[], [str path]: the steps of
	 * containment, and files that are hidden. Once, first: nothing is compiled before it */
	COMPILER_CONFINE = 8,
	/* u32 number of declarations from here on, [u32 index, declaration]: these replace
	 * the ones at their indices, which leave no gap. */
	COMPILER_DECLARATIONS = 10,
	/*
	 * u32 id, u32 cell, str cell name, str text, str that text without what commands put into
	 * its lines, which messages are about, "": the same, str cflags, str nvflags, u32 device sm
	 * (75), [u32 index] of declarations that the text replaces, so that it must not use
	 * them, u8 debugged: the code is not optimised, so that it stops at each line and its
	 * variables are in memory, u8 checked (%%memcheck), [u32 cell, str cell name, str text]:
	 * earlier cells whose functions must be checked, too.
	 */
	COMPILER_COMPILE = 11,
	COMPILER_COMPLETE = 12, /* u32 id, str text, u32 cursor (bytes) */
	/* u32 id, u8 enum compiler_word, str what is typed of the word. The answer is
	 * COMPILER_COMPLETED, with places in that. */
	COMPILER_WORDS = 9,
	COMPILER_INSPECT = 13,     /* u32 id, str text, u32 cursor (bytes) */
	COMPILER_IS_COMPLETE = 14, /* u32 id, str text */
	COMPILER_PACKAGE = 15,     /* u32 id, u8 enum package_question, str text */
	/* str folder: %cd has gone there. There is no answer; a compiler that is started later
	 * inherits it from the kernel process. */
	COMPILER_FOLDER = 16,
	/* str NAME=VALUE: %env has set it. There is no answer; to each compiler, behind
	 * COMPILER_CONFINE. */
	COMPILER_VARIABLE = 19,
	/*
	 * u32 id, u8 enum look_kind, str name or "" for all, u32 sm, u32 threads per block, 0: not
	 * given, u32 bytes of dynamic shared memory, [str cell name, bytes ptx, bytes object with
	 * more device code], the newest first, [str cell name, str text]: the texts for source
	 * lines.
	 */
	COMPILER_LOOK = 17,
	COMPILER_DEVICE = 18, /* u32 sm: the target of device code to come. No answer */
	/* u32 id, str text, u32 line, str expression: what it means there */
	COMPILER_EXPRESS = 27,

	/* compiler -> kernel */
	/* u32 id, bytes unit (common/code/unit.h), [bytes unit]: checked functions of earlier
	 * cells, [str name of an earlier cell whose functions could not be compiled again] */
	COMPILER_COMPILED = 20,
	COMPILER_REFUSED =
		21, /* u32 id, str first line of the first error, str all diagnostics, u32 line */
	COMPILER_COMPLETED = 22, /* u32 id, u32 start, u32 end (bytes), [str text, str type, str
				  * signature]; type is one of function, variable, type, macro,
				  * keyword, member, file, folder, program, package */
	/* u32 id, u8 found, u8 declared by a cell that has run, str declaration, u32 begin and u32
	 * end of the parameter at the cursor in it, str what it is and where, str comment as
	 * Markdown, str source */
	COMPILER_INSPECTED = 23,
	COMPILER_COMPLETENESS = 24, /* u32 id, str complete|incomplete|invalid, str indent */
	/* u32 id, str error or "", str version, str cflags, [str path of a library, in the order of
	 * loading], str lines of the result of PACKAGE_SEARCH or PACKAGE_WHO_HAS */
	COMPILER_PACKAGED = 25,
	COMPILER_LOOKED = 26,    /* u32 id, str error or "", str plain text, str HTML */
	COMPILER_EXPRESSED = 28, /* u32 id, str error or "", bytes (common/code/expression.h) */
};

/* The form in which device code is shown. */
enum look_kind {
	LOOK_NOTHING,
	LOOK_PTX,
	LOOK_SASS,      /* machine code */
	LOOK_REGISTERS, /* registers and other resources of entries, and the resulting occupancy */
};

/* What a word can be that is no code. */
enum compiler_word {
	COMPILER_WORD_FILE, /* or a folder, on the way to one */
	COMPILER_WORD_FOLDER,
	COMPILER_WORD_PROGRAM, /* in a folder of PATH; a word with a slash: a file */
	COMPILER_WORD_PACKAGE,
};

enum package_question {
	PACKAGE_FIND,    /* text: the name of a package */
	PACKAGE_LINK,    /* text: flags for a linker */
	PACKAGE_SEARCH,  /* text: part of a name or description */
	PACKAGE_WHO_HAS, /* text: functions that a cell lacks, with blanks between */
};

/* In the text of a %%cuda cell made of several files, a line with this prefix names the file that
 * follows. */
#define COMPILER_CUDA_FILE "//cgpu-file: "

#endif
