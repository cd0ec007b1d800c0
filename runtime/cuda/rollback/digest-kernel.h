/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device code of digest.c: the digest of a buffer is the sum, mod 2^64, of mix(word + place *
 * ODD) over its words of 8 bytes and the bytes behind the last one. mix() takes different words to
 * different numbers, so a change of one word always shows, others but for one in 2^64; what only
 * changes its place has another summand. A sum needs no order, so threads come as they like, each
 * 16 bytes at a time: as fast as memory.
 *
 *	.visible .entry digest(.param .u64 address, .param .u64 size, .param .u64 slot)
 *
 * adds to the number in that slot of `digests`. The address is a multiple of 16, a block has 256
 * threads in one dimension.
 */
#ifndef CGPU_RUNTIME_CUDA_ROLLBACK_DIGEST_KERNEL_H
#define CGPU_RUNTIME_CUDA_ROLLBACK_DIGEST_KERNEL_H

#define DIGEST_SLOTS 1024
#define DIGEST_THREADS 256

#define DIGEST_MIX(x)                                                                              \
	"shr.u64 %t, " x ", 32;\n xor.b64 " x ", " x ", %t;\n mul.lo.u64 " x ", " x                \
	", 0xd6e8feb86659fd93;\n"                                                                  \
	"shr.u64 %t, " x ", 29;\n xor.b64 " x ", " x ", %t;\n add.u64 %sum, %sum, " x ";\n"
#define DIGEST_LANES(distance)                                                                     \
	"mov.b64 {%low, %high}, %sum;\n shfl.sync.bfly.b32 %low, %low, " distance                  \
	", 0x1f, 0xffffffff;\n"                                                                    \
	"shfl.sync.bfly.b32 %high, %high, " distance ", 0x1f, 0xffffffff;\n"                       \
	"mov.b64 %t, {%low, %high};\n add.u64 %sum, %sum, %t;\n"

static const char digest_kernel[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .global .align 8 .b64 digests[1024];\n"
	".visible .entry digest(.param .u64 address, .param .u64 size, .param .u64 slot)\n"
	"{\n"
	".reg .pred %p;\n .reg .b32 %low, %high, %n, %m, %k;\n"
	".reg .b64 %at, %end, %size, %first, %step, %x, %y, %t, %sum, %place, %stride, %out;\n"
	"ld.param.u64 %at, [address];\n ld.param.u64 %size, [size];\n ld.param.u64 %out, [slot];\n"
	"cvta.to.global.u64 %at, %at;\n"
	"mov.u64 %sum, 0;\n"
	"mov.u32 %n, %ctaid.x;\n mov.u32 %m, %ntid.x;\n mov.u32 %k, %tid.x;\n mad.lo.u32 %k, %n, "
	"%m, %k;\n"
	"cvt.u64.u32 %first, %k;\n"
	"mov.u32 %n, %nctaid.x;\n mul.lo.u32 %n, %n, %m;\n cvt.u64.u32 %step, %n;\n"
	/* Words 2 i and 2 i + 1, i from `first` in steps of the grid. */
	"and.b64 %end, %size, 0xfffffffffffffff0;\n add.u64 %end, %at, %end;\n"
	"mul.lo.u64 %place, %first, 0x3c6ef372fe94f82a;\n mul.lo.u64 %stride, %step, "
	"0x3c6ef372fe94f82a;\n"
	"shl.b64 %step, %step, 4;\n shl.b64 %t, %first, 4;\n add.u64 %at, %at, %t;\n"
	"next:\n"
	"setp.ge.u64 %p, %at, %end;\n @%p bra words_done;\n"
	"ld.global.v2.u64 {%x, %y}, [%at];\n"
	"add.u64 %x, %x, %place;\n add.u64 %y, %y, %place;\n add.u64 %y, %y, "
	"0x9e3779b97f4a7c15;\n" DIGEST_MIX("%x") DIGEST_MIX(
		"%y") "add.u64 %at, %at, %step;\n add.u64 %place, %place, %stride;\n bra next;\n"
		      "words_done:\n"
		      /* Up to 15 bytes are left, a thread each. Their places are those of words
			 that the address space has no room for. */
		      "and.b64 %t, %size, 15;\n setp.ge.u64 %p, %first, %t;\n @%p bra bytes_done;\n"
		      "add.u64 %at, %end, %first;\n ld.global.u8 %x, [%at];\n"
		      "add.u64 %t, %first, 0x4000000000000000;\n mul.lo.u64 %t, %t, "
		      "0x9e3779b97f4a7c15;\n add.u64 %x, %x, %t;\n" DIGEST_MIX(
			      "%x") "bytes_done:\n" DIGEST_LANES("16") DIGEST_LANES("8")
			      DIGEST_LANES("4") DIGEST_LANES("2")
				      DIGEST_LANES("1") "and.b32 %n, %k, 31;\n setp.ne.u32 %p, %n, "
							"0;\n @%p bra done;\n"
							"shl.b64 %out, %out, 3;\n mov.u64 %t, "
							"digests;\n add.u64 %out, %out, %t;\n "
							"red.global.add.u64 [%out], %sum;\n"
							"done:\n"
							"ret;\n"
							"}\n";

#endif
