/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of both machines against values worked out by hand from the ABI documents; malformed
 * objects. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "runtime/loader/object.h"
#include "runtime/loader/relocate.h"
#include "tests/unit/runtime/worker-harness.h"

#define PLACE 0x200100001000ull

struct vector {
	uint32_t type;
	uint64_t symbol;
	int64_t addend;
	uint64_t got;
	uint64_t before;
	uint64_t after;
};

static void check(const struct relocate_arch *arch, const struct vector *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t field = v[i].before;
		struct error err = ERROR_INIT;
		struct relocation r = {
			v[i].type, (unsigned char *)&field, PLACE, v[i].symbol, v[i].addend,
			v[i].got,  0x200110000000,          "s",   24
		};

		if (arch->apply(&r, &err))
			fail_msg("vector %zu: %s", i, err.text);
		if (field != v[i].after)
			fail_msg("vector %zu: %lx, not %lx", i, field, v[i].after);
	}
}

static void test_x86_64(void **state)
{
	static const struct vector v[] = {
		{ R_X86_64_64, 0x200110000040, 8, 0, 0, 0x200110000048 },
		{ R_X86_64_PC32, 0x200110000040, -4, 0, 0, 0x0ffff03c },
		{ R_X86_64_PLT32, PLACE - 0x100, -4, 0, 0xaaaaaaaa00000000, 0xaaaaaaaafffffefc },
		{ R_X86_64_PC64, PLACE + 0x300000000, 0, 0, 0, 0x300000000 },
		{ R_X86_64_GOTPCREL, 1, -4, 0x200110000000, 0, 0x0fffeffc },
		{ R_X86_64_REX_GOTPCRELX, 1, -4, 0x200110000000, 0, 0x0fffeffc },
		{ R_X86_64_GOTOFF64, 0x200110000010, 1, 0, 0, 0x11 },
		{ R_X86_64_32, 77, 1, 0, 0, 78 },
		{ R_X86_64_16, 77, 1, 0, 0xaaaa0000, 0xaaaa004e },
		{ R_X86_64_8, (uint64_t)-1, 0, 0, 0xaa00, 0xaaff },
		{ R_X86_64_PLTOFF64, 0x200100000010, 0, 0, 0, (uint64_t)-0xffffff0 },
		{ R_X86_64_GOT64, 1, 8, 0x200110000100, 0, 0x108 },
		{ R_X86_64_SIZE64, 1, 2, 0, 0, 26 },
		{ R_X86_64_TLSGD, 1, -4, 0x200110000000, 0, 0x0fffeffc },
		{ R_X86_64_DTPOFF32, 0x40, 4, 0, 0, 0x44 },
	};
	struct relocation far = {
		R_X86_64_PC32, (unsigned char[8]){ 0 }, PLACE, 0x7ffff7000000, -4, 0, 0, "puts", 0
	};
	struct error err = ERROR_INIT;
	unsigned char stub[8];

	(void)state;
	check(&relocate_x86_64, v, sizeof(v) / sizeof(v[0]));
	assert_int_equal(relocate_x86_64.apply(&far, &err), -1);
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_non_null(strstr(err.text, "-fPIC"));
	relocate_x86_64.stub(stub, PLACE, PLACE + 6 + 0x1234);
	assert_memory_equal(stub, "\xff\x25\x34\x12\x00\x00", 6);
	assert_int_equal(relocate_x86_64.need(R_X86_64_TLSGD), RELOCATION_TLS_INDEX);
	assert_int_equal(relocate_x86_64.need(R_X86_64_TPOFF32), RELOCATION_TLS);
	assert_int_equal(relocate_x86_64.width(R_X86_64_64), 8);
	assert_int_equal(relocate_x86_64.width(R_X86_64_PC32), 4);
	assert_int_equal(relocate_x86_64.need(R_X86_64_GOTPCRELX), RELOCATION_GOT);
	assert_int_equal(relocate_x86_64.need(R_X86_64_COPY), RELOCATION_UNKNOWN);
}

static void test_aarch64(void **state)
{
	static const struct vector v[] = {
		{ R_AARCH64_ABS64, 0x200110000040, 8, 0, 0, 0x200110000048 },
		{ R_AARCH64_PREL32, PLACE + 0x100, 0, 0, 0, 0x100 },
		{ R_AARCH64_CALL26, PLACE + 0x100, 0, 0, 0x94000000, 0x94000040 },
		{ R_AARCH64_JUMP26, PLACE - 4, 0, 0, 0x14000000, 0x17ffffff },
		{ R_AARCH64_ADR_PREL_PG_HI21, PLACE + 0x5123, 0, 0, 0x90000000, 0xb0000020 },
		{ R_AARCH64_ADD_ABS_LO12_NC, PLACE + 0x123, 0, 0, 0x91000000, 0x91048c00 },
		{ R_AARCH64_LDST64_ABS_LO12_NC, PLACE + 0x128, 0, 0, 0xf9400000, 0xf9409400 },
		{ R_AARCH64_LDST32_ABS_LO12_NC, PLACE + 0x124, 0, 0, 0xb9400000, 0xb9412400 },
		{ R_AARCH64_ADR_GOT_PAGE, 1, 0, PLACE + 0x3008, 0x90000000, 0xf0000000 },
		{ R_AARCH64_LD64_GOT_LO12_NC, 1, 0, PLACE + 0x3008, 0xf9400000, 0xf9400400 },
		{ R_AARCH64_CONDBR19, PLACE + 8, 0, 0, 0x54000000, 0x54000040 },
		{ R_AARCH64_LD_PREL_LO19, PLACE + 8, 0, 0, 0x58000000, 0x58000040 },
		{ R_AARCH64_MOVW_UABS_G0_NC, 0x123456789abc, 0, 0, 0xf2800000, 0xf2935780 },
		{ R_AARCH64_MOVW_UABS_G2, 0x123456789abc, 0, 0, 0xd2c00000, 0xd2c24680 },
		{ R_AARCH64_ABS32, 0xfffffff0, 0, 0, 0xaaaaaaaa00000000, 0xaaaaaaaafffffff0 },
		{ R_AARCH64_PREL16, PLACE - 2, 0, 0, 0xaaaa0000, 0xaaaafffe },
		{ R_AARCH64_TLSDESC_ADR_PAGE21, 1, 0, PLACE + 0x3008, 0x90000000, 0xf0000000 },
		{ R_AARCH64_TLSDESC_LD64_LO12, 1, 0, PLACE + 0x3008, 0xf9400001, 0xf9400401 },
		{ R_AARCH64_TLSDESC_ADD_LO12, 1, 0, PLACE + 0x3008, 0x91000000, 0x91002000 },
		{ R_AARCH64_TLSDESC_CALL, 1, 0, PLACE + 0x3008, 0xd63f0020, 0xd63f0020 },
		{ R_AARCH64_TLSGD_ADR_PAGE21, 1, 0, PLACE + 0x3010, 0x90000000, 0xf0000000 },
		{ R_AARCH64_TLSGD_ADD_LO12_NC, 1, 0, PLACE + 0x3010, 0x91000000, 0x91004000 },
		{ R_AARCH64_LD64_GOTPAGE_LO15, 1, 0, 0x200110000108, 0xf9400000, 0xf9408400 },
	};
	struct relocation far = {
		R_AARCH64_CALL26, (unsigned char[8]){ 0 }, PLACE, 0x7ffff7000000, 0, 0, 0, "puts", 0
	};
	struct error err = ERROR_INIT;
	uint32_t stub[4];

	(void)state;
	check(&relocate_aarch64, v, sizeof(v) / sizeof(v[0]));
	assert_int_equal(relocate_aarch64.apply(&far, &err), -1);
	assert_int_equal(relocate_aarch64.need(R_AARCH64_CALL26), RELOCATION_CALL);
	assert_int_equal(relocate_aarch64.need(R_AARCH64_TLSDESC_CALL), RELOCATION_TLS_DESCRIPTOR);
	assert_int_equal(relocate_aarch64.need(R_AARCH64_TLSGD_ADD_LO12_NC), RELOCATION_TLS_INDEX);
	assert_int_equal(relocate_aarch64.need(R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21),
			 RELOCATION_TLS);
	assert_int_equal(relocate_aarch64.need(R_AARCH64_TLSLE_LDST128_TPREL_LO12_NC),
			 RELOCATION_TLS);
	assert_int_equal(relocate_aarch64.need(R_AARCH64_TLSDESC_LDR), RELOCATION_UNKNOWN);
	/* x16 and x17 are pushed; the rest is the jump of other stubs. */
	relocate_aarch64.descriptor_stub((unsigned char *)stub, PLACE, PLACE + 0x3008);
	assert_memory_equal(stub, ((uint32_t[]){ 0xa9bf47f0, 0xf0000010, 0xf9400610, 0xd61f0200 }),
			    sizeof(stub));
}

static void walk(const struct object *o)
{
	for (uint32_t i = 0; i < o->n_symbols; i++)
		assert_true(strlen(object_symbol_name(o, i)) < o->len);
	for (uint32_t i = 0; i < o->n_sections; i++)
		assert_true(strlen(object_section_name(o, i)) < o->len);
}

/* Any byte of the headers and tables may be wrong: object_open() refuses, or what it lets pass can
 * be walked. */
static void test_malformed_objects(void **state)
{
	size_t len;
	unsigned char *good = harness_compile(
		"#include <stdio.h>\nint x = 4, *p = &x; int f(void) { return puts(\"t\") + x; }",
		&len);
	struct error err = ERROR_INIT;
	struct object o;
	unsigned refused = 0;

	(void)state;
	assert_int_equal(object_open(good, len, EM_X86_64, &o, &err), 0);
	assert_int_equal(object_open(good, len, EM_AARCH64, &o, &err), -1);
	for (size_t cut = 0; cut < len; cut += 7)
		assert_int_equal(object_open(good, cut, EM_X86_64, &o, &err), -1);
	for (size_t i = 0; i < len; i++) {
		unsigned char saved = good[i];

		good[i] ^= 0xff;
		if (object_open(good, len, EM_X86_64, &o, &err))
			refused++;
		else
			walk(&o);
		good[i] = saved;
	}
	assert_true(refused > 100);
	free(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86_64),
		cmocka_unit_test(test_aarch64),
		cmocka_unit_test(test_malformed_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
