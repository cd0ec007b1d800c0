/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The callee of TLS descriptors. A caller takes the call for one instruction that changes x0, x30
 * and the flags, so all that a C function may change is saved around thread_local_index_address().
 * Of SVE registers the convention keeps what is in v0 to v31.
 *
 *	sp                 x29        x29+16        x29+144    x29+160
 *	q0 .. q31          x29 x30    x1..x15 x18   x16 x17    the caller's frame
 */
#if defined(__aarch64__)
#include "runtime/exports/thread-local.h"

#define CORE_PAIRS(use)                                                                            \
	use(x1, x2, 16) use(x3, x4, 32) use(x5, x6, 48) use(x7, x8, 64) use(x9, x10, 80)           \
		use(x11, x12, 96) use(x13, x14, 112) use(x15, x18, 128)
#define VECTOR_PAIRS(use)                                                                          \
	use(q0, q1, 0) use(q2, q3, 32) use(q4, q5, 64) use(q6, q7, 96) use(q8, q9, 128)            \
		use(q10, q11, 160) use(q12, q13, 192) use(q14, q15, 224) use(q16, q17, 256)        \
			use(q18, q19, 288) use(q20, q21, 320) use(q22, q23, 352)                   \
				use(q24, q25, 384) use(q26, q27, 416) use(q28, q29, 448)           \
					use(q30, q31, 480)

#define STORE_CORE(a, b, at) "stp " #a ", " #b ", [x29, " #at "]\n"
#define LOAD_CORE(a, b, at) "ldp " #a ", " #b ", [x29, " #at "]\n"
#define STORE_VECTOR(a, b, at) "stp " #a ", " #b ", [sp, " #at "]\n"
#define LOAD_VECTOR(a, b, at) "ldp " #a ", " #b ", [sp, " #at "]\n"

__asm__(".text\n"
	".balign 16\n"
	".global thread_local_resolve\n"
	".hidden thread_local_resolve\n"
	".type thread_local_resolve, %function\n"
	"thread_local_resolve:\n"
	".cfi_startproc\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset x16, -16\n"
	".cfi_offset x17, -8\n"
	"hint 34\n" /* bti c: jumps may come here */
	"stp x29, x30, [sp, -144]!\n"
	".cfi_def_cfa_offset 160\n"
	".cfi_offset x29, -160\n"
	".cfi_offset x30, -152\n"
	"mov x29, sp\n"
	".cfi_def_cfa_register x29\n" CORE_PAIRS(STORE_CORE) "sub sp, sp, 512\n" VECTOR_PAIRS(
		STORE_VECTOR) "ldr x0, [x0, 8]\n" /* descriptor->index */
			      "bl thread_local_index_address\n"
			      "mrs x1, tpidr_el0\n"
			      "sub x0, x0, x1\n" VECTOR_PAIRS(LOAD_VECTOR)
				      CORE_PAIRS(LOAD_CORE) "mov sp, x29\n"
							    ".cfi_def_cfa_register sp\n"
							    "ldp x29, x30, [sp], 144\n"
							    ".cfi_def_cfa_offset 16\n"
							    ".cfi_restore x29\n"
							    ".cfi_restore x30\n"
							    "ldp x16, x17, [sp], 16\n"
							    ".cfi_def_cfa_offset 0\n"
							    ".cfi_restore x16\n"
							    ".cfi_restore x17\n"
							    "ret\n"
							    ".cfi_endproc\n"
							    ".size thread_local_resolve, . - "
							    "thread_local_resolve\n");
#endif
