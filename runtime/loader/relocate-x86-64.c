/* SPDX-License-Identifier: Apache-2.0 */
/*
 * x86-64 psABI, chapter 4.4. S symbol, A addend, P place, G GOT slot:
 *
 *	8, 16, 32, 32S, 64 S+A   PC32, PC64, PLT32 S+A-P   SIZE32, 64 Z+A
 *	GOTPCREL[X], GOTPCREL64 G+A-P   GOT32, 64 G+A-GOT
 *	GOTOFF64, PLTOFF64 S+A-GOT   GOTPC32, 64 GOT+A-P
 *	TLSGD, TLSLD G+A-P, G a pair for __tls_get_addr()   DTPOFF32, 64 S+A, S an offset
 *
 * CODE and DATA lie within 2 GiB of each other and far above 4 GiB, so PC-relative fields reach
 * everything of a unit and 32-bit absolute ones reach nothing.
 */
#include "runtime/loader/relocate.h"

#include <elf.h>
#include <string.h>

#include "common/base/error.h"

static enum relocation_need need(uint32_t type)
{
	switch (type) {
	case R_X86_64_GOTPCREL:
	case R_X86_64_GOTPCRELX:
	case R_X86_64_REX_GOTPCRELX:
	case R_X86_64_GOTPCREL64:
	case R_X86_64_GOT32:
	case R_X86_64_GOT64:
	case R_X86_64_GOTPLT64:
		return RELOCATION_GOT;
	case R_X86_64_PLT32:
	case R_X86_64_PLTOFF64:
		return RELOCATION_CALL;
	case R_X86_64_NONE:
	case R_X86_64_64:
	case R_X86_64_PC32:
	case R_X86_64_PC64:
	case R_X86_64_32:
	case R_X86_64_32S:
	case R_X86_64_16:
	case R_X86_64_8:
	case R_X86_64_SIZE32:
	case R_X86_64_SIZE64:
	case R_X86_64_GOTOFF64:
	case R_X86_64_GOTPC32:
	case R_X86_64_GOTPC64:
		return RELOCATION_PLAIN;
	case R_X86_64_TLSGD:
		return RELOCATION_TLS_INDEX;
	case R_X86_64_TLSLD:
		return RELOCATION_TLS_MODULE;
	case R_X86_64_DTPOFF32:
	case R_X86_64_DTPOFF64:
		return RELOCATION_TLS_OFFSET;
	case R_X86_64_TPOFF32:
	case R_X86_64_TPOFF64:
	case R_X86_64_GOTTPOFF:
	case R_X86_64_GOTPC32_TLSDESC:
	case R_X86_64_TLSDESC_CALL:
	case R_X86_64_TLSDESC:
		return RELOCATION_TLS;
	default:
		return RELOCATION_UNKNOWN;
	}
}

static size_t width(uint32_t type)
{
	switch (type) {
	case R_X86_64_NONE:
		return 0;
	case R_X86_64_8:
		return 1;
	case R_X86_64_16:
		return 2;
	case R_X86_64_64:
	case R_X86_64_PC64:
	case R_X86_64_GOTOFF64:
	case R_X86_64_PLTOFF64:
	case R_X86_64_GOT64:
	case R_X86_64_GOTPLT64:
	case R_X86_64_GOTPC64:
	case R_X86_64_GOTPCREL64:
	case R_X86_64_DTPOFF64:
	case R_X86_64_SIZE64:
		return 8;
	default:
		return 4;
	}
}

static int put32(const struct relocation *r, uint64_t value, struct error *err)
{
	int32_t field = (int32_t)value;

	if ((uint64_t)(int64_t)field != value)
		return error_set(
			err, ERROR_LIMIT,
			"'%s' is out of reach of a 32-bit reference; compile the object with -fPIC",
			r->name);
	memcpy(r->at, &field, sizeof(field));
	return 0;
}

static int put64(const struct relocation *r, uint64_t value)
{
	memcpy(r->at, &value, sizeof(value));
	return 0;
}

static int put_small(const struct relocation *r, uint64_t value, struct error *err)
{
	size_t bytes = r->type == R_X86_64_8 ? 1 : 2;

	if (value >> 8 * bytes && ~value >> (8 * bytes - 1))
		return error_set(err, ERROR_LIMIT, "'%s' is out of reach of a %zu-bit reference",
				 r->name, 8 * bytes);
	memcpy(r->at, &value, bytes);
	return 0;
}

static int apply(const struct relocation *r, struct error *err)
{
	uint64_t value = r->symbol + (uint64_t)r->addend;

	switch (r->type) {
	case R_X86_64_NONE:
		return 0;
	case R_X86_64_64:
	case R_X86_64_DTPOFF64:
		return put64(r, value);
	case R_X86_64_16:
	case R_X86_64_8:
		return put_small(r, value, err);
	case R_X86_64_SIZE32:
		return put32(r, r->size + (uint64_t)r->addend, err);
	case R_X86_64_SIZE64:
		return put64(r, r->size + (uint64_t)r->addend);
	case R_X86_64_PC64:
		return put64(r, value - r->place);
	case R_X86_64_GOTOFF64:
	case R_X86_64_PLTOFF64:
		return put64(r, value - r->got_base);
	case R_X86_64_GOT64:
	case R_X86_64_GOTPLT64:
		return put64(r, r->got + (uint64_t)r->addend - r->got_base);
	case R_X86_64_GOT32:
		return put32(r, r->got + (uint64_t)r->addend - r->got_base, err);
	case R_X86_64_GOTPC64:
		return put64(r, r->got_base + (uint64_t)r->addend - r->place);
	case R_X86_64_GOTPCREL64:
		return put64(r, r->got + (uint64_t)r->addend - r->place);
	case R_X86_64_PLT32: /* code asks first whether a weak function is there, and does not call
				one that is not */
		return put32(r, r->symbol ? value - r->place : 0, err);
	case R_X86_64_PC32:
		return put32(r, value - r->place, err);
	case R_X86_64_GOTPC32:
		return put32(r, r->got_base + (uint64_t)r->addend - r->place, err);
	case R_X86_64_GOTPCREL:
	case R_X86_64_GOTPCRELX:
	case R_X86_64_REX_GOTPCRELX:
	case R_X86_64_TLSGD:
	case R_X86_64_TLSLD:
		return put32(r, r->got + (uint64_t)r->addend - r->place, err);
	default: /* R_X86_64_32, 32S, DTPOFF32: of the first two only small absolute symbols fit */
		return put32(r, value, err);
	}
}

/* jmp *got(%rip) */
static void stub(unsigned char *at, uint64_t place, uint64_t got)
{
	int32_t distance = (int32_t)(got - (place + 6));

	at[0] = 0xff;
	at[1] = 0x25;
	memcpy(at + 2, &distance, sizeof(distance));
	at[6] = at[7] = 0x90;
}

const struct relocate_arch relocate_x86_64 = {
	.machine = EM_X86_64,
	.stub_size = 8,
	.need = need,
	.width = width,
	.apply = apply,
	.stub = stub,
};
