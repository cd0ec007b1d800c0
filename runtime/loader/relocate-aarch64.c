/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AArch64 ELF ABI (IHI 0056), section 5.7. An address is mostly made by two instructions: ADRP
 * takes the 4 KiB page relative to the instruction (21 bits of pages, +-4 GiB), the next one the
 * low 12 bits; loads scale these by their size. A branch reaches +-128 MiB, which all of a unit's
 * own code does; other functions are called through a stub.
 *
 * Thread-local variables have descriptors, which compilers use unless told otherwise, or pairs for
 * __tls_get_addr().
 */
#include "runtime/loader/relocate.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "common/base/error.h"

#define PAGE_OF(a) ((a) & ~(uint64_t)0xfff)

static enum relocation_need need(uint32_t type)
{
	switch (type) {
	case R_AARCH64_ADR_GOT_PAGE:
	case R_AARCH64_LD64_GOT_LO12_NC:
	case R_AARCH64_LD64_GOTPAGE_LO15:
	case R_AARCH64_GOT_LD_PREL19:
		return RELOCATION_GOT;
	case R_AARCH64_CALL26:
	case R_AARCH64_JUMP26:
		return RELOCATION_CALL;
	case R_AARCH64_NONE:
	case R_AARCH64_ABS64:
	case R_AARCH64_ABS32:
	case R_AARCH64_ABS16:
	case R_AARCH64_PREL64:
	case R_AARCH64_PREL32:
	case R_AARCH64_PREL16:
	case R_AARCH64_LD_PREL_LO19:
	case R_AARCH64_MOVW_UABS_G0:
	case R_AARCH64_MOVW_UABS_G0_NC:
	case R_AARCH64_MOVW_UABS_G1:
	case R_AARCH64_MOVW_UABS_G1_NC:
	case R_AARCH64_MOVW_UABS_G2:
	case R_AARCH64_MOVW_UABS_G2_NC:
	case R_AARCH64_MOVW_UABS_G3:
	case R_AARCH64_ADR_PREL_PG_HI21:
	case R_AARCH64_ADR_PREL_PG_HI21_NC:
	case R_AARCH64_ADR_PREL_LO21:
	case R_AARCH64_ADD_ABS_LO12_NC:
	case R_AARCH64_LDST8_ABS_LO12_NC:
	case R_AARCH64_LDST16_ABS_LO12_NC:
	case R_AARCH64_LDST32_ABS_LO12_NC:
	case R_AARCH64_LDST64_ABS_LO12_NC:
	case R_AARCH64_LDST128_ABS_LO12_NC:
	case R_AARCH64_CONDBR19:
	case R_AARCH64_TSTBR14:
		return RELOCATION_PLAIN;
	case R_AARCH64_TLSDESC_LD_PREL19:
	case R_AARCH64_TLSDESC_ADR_PREL21:
	case R_AARCH64_TLSDESC_ADR_PAGE21:
	case R_AARCH64_TLSDESC_LD64_LO12:
	case R_AARCH64_TLSDESC_ADD_LO12:
	case R_AARCH64_TLSDESC_CALL:
		return RELOCATION_TLS_DESCRIPTOR;
	case R_AARCH64_TLSGD_ADR_PREL21:
	case R_AARCH64_TLSGD_ADR_PAGE21:
	case R_AARCH64_TLSGD_ADD_LO12_NC:
		return RELOCATION_TLS_INDEX;
	case R_AARCH64_TLSIE_MOVW_GOTTPREL_G1 ... R_AARCH64_TLSLE_LDST64_TPREL_LO12_NC:
	case R_AARCH64_TLSLE_LDST128_TPREL_LO12:
	case R_AARCH64_TLSLE_LDST128_TPREL_LO12_NC:
		return RELOCATION_TLS;
	default:
		return RELOCATION_UNKNOWN;
	}
}

static size_t width(uint32_t type)
{
	switch (type) {
	case R_AARCH64_NONE:
		return 0;
	case R_AARCH64_ABS16:
	case R_AARCH64_PREL16:
		return 2;
	case R_AARCH64_ABS64:
	case R_AARCH64_PREL64:
		return 8;
	default:
		return 4;
	}
}

static int too_far(const struct relocation *r, struct error *err)
{
	return error_set(err, ERROR_LIMIT,
			 "'%s' is out of reach of its reference; compile the object with -fPIC, "
			 "and without -mcmodel=tiny",
			 r->name);
}

/* Put `value` (already shifted) into bits [low, low + width) of the instruction. */
static void insert(unsigned char *at, uint64_t value, unsigned low, unsigned width)
{
	uint32_t mask = ((1u << width) - 1) << low, insn;

	memcpy(&insn, at, sizeof(insn));
	insn = (insn & ~mask) | ((uint32_t)(value << low) & mask);
	memcpy(at, &insn, sizeof(insn));
}

static int in_range(int64_t distance, unsigned bits)
{
	return distance >= -((int64_t)1 << (bits - 1)) && distance < (int64_t)1 << (bits - 1);
}

static int put_adr(const struct relocation *r, int64_t value, struct error *err)
{
	if (!in_range(value, 21))
		return too_far(r, err);
	insert(r->at, (uint64_t)value & 3, 29, 2);
	insert(r->at, (uint64_t)value >> 2, 5, 19);
	return 0;
}

static int put_branch(const struct relocation *r, uint64_t target, unsigned bits, unsigned low,
		      struct error *err)
{
	int64_t distance = (int64_t)(target - r->place);

	if (distance & 3 || !in_range(distance, bits + 2))
		return too_far(r, err);
	insert(r->at, (uint64_t)distance >> 2, low, bits);
	return 0;
}

static int put_low12(const struct relocation *r, uint64_t value, unsigned scale)
{
	insert(r->at, (value & 0xfff) >> scale, 10, 12 - scale);
	return 0;
}

/* A field of data: signed or unsigned, as the reader will take it. */
static int put_data(const struct relocation *r, int64_t value, unsigned bits, struct error *err)
{
	if (!in_range(value, bits) && (uint64_t)value >> bits)
		return too_far(r, err);
	memcpy(r->at, &value, bits / 8);
	return 0;
}

/* 16 bits of an address for MOVZ or MOVK; all that lies above must be 0 if these are to be the
 * last. */
static int put_movw(const struct relocation *r, uint64_t value, unsigned shift, bool last,
		    struct error *err)
{
	if (last && shift < 48 && value >> (shift + 16))
		return too_far(r, err);
	insert(r->at, value >> shift & 0xffff, 5, 16);
	return 0;
}

/* The slot's distance from the page of the GOT, in words of 8 bytes. */
static int put_got_page(const struct relocation *r, uint64_t got, struct error *err)
{
	uint64_t distance = got - PAGE_OF(r->got_base);

	if (distance >> 15 || distance & 7)
		return too_far(r, err);
	insert(r->at, distance >> 3, 10, 12);
	return 0;
}

static int apply(const struct relocation *r, struct error *err)
{
	uint64_t value = r->symbol + (uint64_t)r->addend;
	uint64_t got = r->got + (uint64_t)r->addend;

	switch (r->type) {
	case R_AARCH64_NONE:
	case R_AARCH64_TLSDESC_CALL: /* marks the call for linkers that can do without */
		return 0;
	case R_AARCH64_PREL64:
		value -= r->place;
		/* fallthrough */
	case R_AARCH64_ABS64:
		memcpy(r->at, &value, sizeof(value));
		return 0;
	case R_AARCH64_PREL32:
		return put_data(r, (int64_t)(value - r->place), 32, err);
	case R_AARCH64_PREL16:
		return put_data(r, (int64_t)(value - r->place), 16, err);
	case R_AARCH64_ABS32:
		return put_data(r, (int64_t)value, 32, err);
	case R_AARCH64_ABS16:
		return put_data(r, (int64_t)value, 16, err);
	case R_AARCH64_MOVW_UABS_G0:
	case R_AARCH64_MOVW_UABS_G0_NC:
		return put_movw(r, value, 0, r->type == R_AARCH64_MOVW_UABS_G0, err);
	case R_AARCH64_MOVW_UABS_G1:
	case R_AARCH64_MOVW_UABS_G1_NC:
		return put_movw(r, value, 16, r->type == R_AARCH64_MOVW_UABS_G1, err);
	case R_AARCH64_MOVW_UABS_G2:
	case R_AARCH64_MOVW_UABS_G2_NC:
		return put_movw(r, value, 32, r->type == R_AARCH64_MOVW_UABS_G2, err);
	case R_AARCH64_MOVW_UABS_G3:
		return put_movw(r, value, 48, true, err);
	case R_AARCH64_LD64_GOTPAGE_LO15:
		return put_got_page(r, got, err);
	case R_AARCH64_LD_PREL_LO19:
		return put_branch(r, value, 19, 5, err); /* the same field */
	case R_AARCH64_GOT_LD_PREL19:
	case R_AARCH64_TLSDESC_LD_PREL19:
		return put_branch(r, got, 19, 5, err);
	case R_AARCH64_ADR_PREL_LO21:
		return put_adr(r, (int64_t)(value - r->place), err);
	case R_AARCH64_ADR_PREL_PG_HI21:
	case R_AARCH64_ADR_PREL_PG_HI21_NC:
		return put_adr(r, (int64_t)(PAGE_OF(value) - PAGE_OF(r->place)) >> 12, err);
	case R_AARCH64_TLSDESC_ADR_PREL21:
	case R_AARCH64_TLSGD_ADR_PREL21:
		return put_adr(r, (int64_t)(got - r->place), err);
	case R_AARCH64_ADR_GOT_PAGE:
	case R_AARCH64_TLSDESC_ADR_PAGE21:
	case R_AARCH64_TLSGD_ADR_PAGE21:
		return put_adr(r, (int64_t)(PAGE_OF(got) - PAGE_OF(r->place)) >> 12, err);
	case R_AARCH64_LD64_GOT_LO12_NC:
	case R_AARCH64_TLSDESC_LD64_LO12:
		return put_low12(r, got, 3);
	case R_AARCH64_TLSDESC_ADD_LO12:
	case R_AARCH64_TLSGD_ADD_LO12_NC:
		return put_low12(r, got, 0);
	case R_AARCH64_CALL26:
	case R_AARCH64_JUMP26: /* to a weak function that is not there: the next instruction, as the
				  ABI has it */
		return put_branch(r, r->symbol ? value : r->place + 4, 26, 0, err);
	case R_AARCH64_CONDBR19:
		return put_branch(r, value, 19, 5, err);
	case R_AARCH64_TSTBR14:
		return put_branch(r, value, 14, 5, err);
	case R_AARCH64_LDST16_ABS_LO12_NC:
		return put_low12(r, value, 1);
	case R_AARCH64_LDST32_ABS_LO12_NC:
		return put_low12(r, value, 2);
	case R_AARCH64_LDST64_ABS_LO12_NC:
		return put_low12(r, value, 3);
	case R_AARCH64_LDST128_ABS_LO12_NC:
		return put_low12(r, value, 4);
	default: /* ADD_ABS_LO12_NC, LDST8 */
		return put_low12(r, value, 0);
	}
}

/* adrp x16, got; ldr x16, [x16, :lo12:got]; br x16. Returns their size. */
static size_t jump(unsigned char *at, uint64_t place, uint64_t got)
{
	const uint32_t code[3] = { 0x90000010, 0xf9400210, 0xd61f0200 };
	int64_t pages = (int64_t)(PAGE_OF(got) - PAGE_OF(place)) >> 12;

	memcpy(at, code, sizeof(code));
	insert(at, (uint64_t)pages & 3, 29, 2);
	insert(at, (uint64_t)pages >> 2, 5, 19);
	insert(at + 4, (got & 0xfff) >> 3, 10, 9);
	return sizeof(code);
}

/* The jump; nop */
static void stub(unsigned char *at, uint64_t place, uint64_t got)
{
	const uint32_t nop = 0xd503201f;

	memcpy(at + jump(at, place, got), &nop, sizeof(nop));
}

/* stp x16, x17, [sp, #-16]!; the jump. What it jumps to loads them again. */
static void descriptor_stub(unsigned char *at, uint64_t place, uint64_t got)
{
	const uint32_t push = 0xa9bf47f0;

	memcpy(at, &push, sizeof(push));
	jump(at + sizeof(push), place + sizeof(push), got);
}

const struct relocate_arch relocate_aarch64 = {
	.machine = EM_AARCH64,
	.stub_size = 16,
	.need = need,
	.width = width,
	.apply = apply,
	.stub = stub,
	.descriptor_stub = descriptor_stub,
};
