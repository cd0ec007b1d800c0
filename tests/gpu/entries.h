/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entries that check-gpu launches, as PTX text: the driver compiles it, so no nvcc is needed.
 * Each fault entry does exactly one wrong thing.
 */
#ifndef CGPU_TESTS_GPU_ENTRIES_H
#define CGPU_TESTS_GPU_ENTRIES_H

/* Declares p, n, c from the parameters and begins a grid-stride loop over the words of p; `word` is
 * p[i], `want` is the pattern at i. The loop's body follows, then WORDS_END. */
#define WORDS_BEGIN                                                                                \
	"{ .reg .pred %q; .reg .u32 %t, %b, %d, %g;\n"                                             \
	"  .reg .u64 %p, %n, %c, %i, %s, %a, %word, %want;\n"                                      \
	"  ld.param.u64 %p, [p]; ld.param.u64 %n, [n]; ld.param.u64 %c, [c];\n"                    \
	"  mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %d, %ntid.x; mov.u32 %g, "            \
	"%nctaid.x;\n"                                                                             \
	"  mad.lo.u32 %t, %b, %d, %t; cvt.u64.u32 %i, %t; mul.wide.u32 %s, %d, %g;\n"              \
	"loop: setp.ge.u64 %q, %i, %n; @%q bra done;\n"                                            \
	"  mad.lo.u64 %a, %i, 8, %p; ld.global.u64 %word, [%a];\n"                                 \
	"  mad.lo.u64 %want, %i, 0x1E3779B97F4A7C15, 0x1234567;\n"

#define WORDS_END                                                                                  \
	"  add.u64 %i, %i, %s; bra loop;\n"                                                        \
	"done: ret; }\n"

#define WORDS_PARAMETERS "(.param .u64 p, .param .u64 n, .param .u64 c)\n"

/* One thread of one block stores to nowhere, in line 3. */
static const char dump_ptx[] =
	".version 6.4\n.target sm_75\n.address_size 64\n.file 1 \"In[1]\"\n"
	".visible .entry store_one(.param .u64 p)\n"
	"{ .reg .pred %q; .reg .u64 %p; .reg .u32 %t, %b;\n"
	".loc 1 1 0\n"
	"  ld.param.u64 %p, [p]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x;\n"
	".loc 1 2 1\n"
	"  mad.lo.u32 %t, %b, 1000, %t; setp.ne.u32 %q, %t, 1037; @%q bra done;\n"
	".loc 1 3 1\n"
	"  st.global.u32 [%p], 1;\n"
	".loc 1 4 1\n"
	"done: ret; }\n";

static const char entries_ptx[] =
	".version 6.4\n.target sm_75\n.address_size 64\n"
	".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 e, "
	".param .b64 s);\n"
	".global .align 1 .b8 text[5] = {116, 101, 120, 116, 0};\n"

	".visible .entry fill" WORDS_PARAMETERS WORDS_BEGIN
	"  st.global.u64 [%a], %want;\n" WORDS_END

	".visible .entry count_changed" WORDS_PARAMETERS WORDS_BEGIN
	"  setp.ne.u64 %q, %word, %want; @%q red.global.add.u64 [%c], 1;\n" WORDS_END

	".visible .entry count_nonzero" WORDS_PARAMETERS WORDS_BEGIN
	"  setp.ne.u64 %q, %word, 0; @%q red.global.add.u64 [%c], 1;\n" WORDS_END

	".visible .entry nothing() { ret; }\n"

	".visible .entry spin(.param .u64 p)\n"
	"{ .reg .u64 %p; .reg .u32 %v; ld.param.u64 %p, [p];\n"
	"again: ld.volatile.global.u32 %v, [%p]; add.u32 %v, %v, 1; st.volatile.global.u32 [%p], "
	"%v; bra again; }\n"

	".visible .entry store(.param .u64 p)\n"
	"{ .reg .u64 %p; ld.param.u64 %p, [p]; st.global.u32 [%p], 1; ret; }\n"

	".visible .entry store_shared(.param .u64 p)\n"
	"{ .reg .u64 %p; .reg .u32 %o; .shared .b32 s[32]; ld.param.u64 %p, [p]; cvt.u32.u64 %o, "
	"%p;\n"
	"  st.shared.u32 [s], 1; st.shared.u32 [%o], 1; ret; }\n"

	".visible .entry store_local(.param .u64 p)\n"
	"{ .reg .u64 %p; .reg .u32 %o, %v; .local .b32 l[32]; ld.param.u64 %p, [p]; cvt.u32.u64 "
	"%o, %p;\n"
	"  st.local.u32 [%o], 1; ld.local.u32 %v, [l]; ret; }\n"

	".visible .entry trap_(.param .u64 p) { trap; ret; }\n"

	".visible .entry assert_(.param .u64 p)\n"
	"{ .reg .u64 %t; .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 e; .param .b64 "
	"s;\n"
	"  mov.u64 %t, text; cvta.global.u64 %t, %t;\n"
	"  st.param.b64 [m], %t; st.param.b64 [f], %t; st.param.b32 [l], 7; st.param.b64 [e], %t; "
	"st.param.b64 [s], 1;\n"
	"  call __assertfail, (m, f, l, e, s); ret; }\n";

#endif
