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

#define COMPILER_PROTOCOL_VERSION 6

/* cgpu-compiler finds its socket at this descriptor; 0 to 2 are as the kernel's. */
#define COMPILER_SOCKET_FD 3

/* Its argument where cells are C++ without a word for it; any other, or none: C. */
#define COMPILER_CPP "cpp"

enum compiler_message {
	/* compiler -> kernel, once, first: u32 COMPILER_PROTOCOL_VERSION, str clang version */
	COMPILER_HELLO = 1,

	/* kernel -> compiler */
	COMPILER_DECLARATIONS =
		10, /* u32 how many there are from here on, [u32 index, declaration]: these replace
		     * what stands at their indices, which do not leave a gap */
	COMPILER_COMPILE =
		11, /* u32 id, u32 cell, str cell name, str text, str cflags, str nvflags,
		     * u32 device sm (75), [u32 index] of declarations that the text replaces: it
		     * must not use them, u8 checked (%%memcheck), [u32 cell, str cell name,
		     * str text]: earlier cells whose functions are to be checked too */
	COMPILER_COMPLETE = 12,    /* u32 id, str text, u32 cursor (bytes) */
	COMPILER_INSPECT = 13,     /* u32 id, str text, u32 cursor (bytes), u32 detail */
	COMPILER_IS_COMPLETE = 14, /* u32 id, str text */
	COMPILER_PACKAGE = 15,     /* u32 id, u8 enum package_question, str text */
	/* str folder or "", str variable or "", str value: what %cd and %env have changed. No
	 * answer; a compiler that is started later has it from the kernel process */
	COMPILER_SURROUNDINGS = 16,
	/* u32 id, u8 enum look_kind, str name or "" for all, u32 sm, u32 threads a block, 0: not
	 * said, u32 bytes of dynamic shared memory, [str cell name, bytes ptx, bytes object with
	 * more of it]: the newest first, [str cell name, str text]: what lines of source are taken
	 * from */
	COMPILER_LOOK = 17,
	COMPILER_DEVICE = 18, /* u32 sm: what device code will be compiled for. No answer */

	/* compiler -> kernel */
	/* u32 id, bytes unit (common/code/unit.h), [bytes unit]: the functions of earlier cells,
	 * checked, [str name of an earlier cell whose functions could not be compiled again] */
	COMPILER_COMPILED = 20,
	COMPILER_REFUSED =
		21, /* u32 id, str first line of the first error, str all diagnostics, u32 line */
	COMPILER_COMPLETED =
		22, /* u32 id, u32 start, u32 end (bytes), [str text, str type, str signature];
		     * type is one of function, variable, type, macro, keyword, member, magic */
	COMPILER_INSPECTED = 23,    /* u32 id, u8 found, str plain text (declaration, where it comes
				       from, comment) */
	COMPILER_COMPLETENESS = 24, /* u32 id, str complete|incomplete|invalid, str indent */
	/* u32 id, str why it failed or "", str version, str cflags, [str path of a library, in the
	 * order of loading], str lines that PACKAGE_SEARCH or PACKAGE_WHO_HAS has found */
	COMPILER_PACKAGED = 25,
	COMPILER_LOOKED = 26, /* u32 id, str why it failed or "", str plain text, str HTML */
};

/* What of device code is looked at. */
enum look_kind {
	LOOK_NOTHING,
	LOOK_PTX,
	LOOK_SASS,      /* machine code */
	LOOK_REGISTERS, /* and what else entries need, with the occupancy that follows */
};

enum package_question {
	PACKAGE_FIND,    /* text: the name of a package */
	PACKAGE_LINK,    /* text: flags for a linker */
	PACKAGE_SEARCH,  /* text: part of a name or description */
	PACKAGE_WHO_HAS, /* text: functions that a cell lacks, with blanks between */
};

/* In the text of a %%cuda cell made of several files: a line that begins so names the file that
 * follows. */
#define COMPILER_CUDA_FILE "//cgpu-file: "

#endif
