/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GPU core dumps: one that the built emulated driver writes is read, whole and damaged, and so are
 * dumps made here, with the line table of a real cubin and with what other drivers and other faults
 * have in them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "emulator/report/elf-writer.h"
#include "runtime/cuda/reports/core-dump.h"
#include "tests/unit/emulator.h"
#include "tests/unit/runtime/core-dump-lines.h"

/* ---- dumps of the emulated driver ---- */

/*
 *	1	__device__ __noinline__ void put(int *p, int i) { p[i] = 7; }  (the store is line 2)
 *	4	__global__ void spread(int *p)
 *	6		if (threadIdx.x + 8 * threadIdx.y >= 11) via(p, threadIdx.x);  (inlined)
 */
#define SPREAD                                                                                     \
	".version 8.0\n.target sm_75\n.address_size 64\n.file 1 \"In[5]\"\n"                       \
	".func _Z3putPii(.param .b64 p, .param .b32 i)\n{\n.reg .b32 %r<3>;\n.reg .b64 "           \
	"%rd<4>;\n.loc 1 1 0\n"                                                                    \
	"ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [i];\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 "    \
	"%rd3, %rd1, %rd2;\n"                                                                      \
	".loc 1 2 1\nst.u32 [%rd3], 7;\nret;\n}\n"                                                 \
	".visible .entry spread(.param .u64 p)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<3>;\n.reg "     \
	".b64 %rd<3>;\n"                                                                           \
	".loc 1 4 0\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\n"        \
	"mad.lo.u32 %r2, %r2, 8, %r1;\nsetp.lt.u32 %p1, %r2, 11;\n@%p1 bra done;\n"                \
	".loc 1 6 1\nadd.u32 %r1, %r1, 0;\n"                                                       \
	".loc 1 9 1, function_name $name, inlined_at 1 6 1\n"                                      \
	"{ .param .b64 a; .param .b32 b;\nst.param.b64 [a], %rd1;\nst.param.b32 [b], %r1;\n"       \
	"call.uni _Z3putPii, (a, b); }\n"                                                          \
	"done: ret;\n}\n"                                                                          \
	".section .debug_str\n{\n$name:\n.b8 95,90,51,118,105,97,80,105,105,0\n}\n"

static char path[] = "/tmp/cgpu-test-core-dump-XXXXXX";

static void need(bool condition, int line)
{
	if (condition)
		return;
	fprintf(stderr, "line %d\n", line);
	_exit(1);
}
#define NEED(condition) need(condition, __LINE__)

static void ask_for_dump(int flags)
{
	size_t len = strlen(path) + 1, int_size = sizeof(flags), bool_size = sizeof(bool);
	bool on = true;

	NEED(!EMU(cuCoredumpSetAttributeGlobal)(CU_COREDUMP_GENERATION_FLAGS, &flags, &int_size));
	NEED(!EMU(cuCoredumpSetAttributeGlobal)(CU_COREDUMP_FILE, path, &len));
	NEED(!EMU(cuCoredumpSetAttributeGlobal)(CU_COREDUMP_ENABLE_ON_EXCEPTION, &on, &bool_size));
}

static CUresult fault(void)
{
	CUdeviceptr nowhere = 64;
	void *args[] = { &nowhere };
	CUfunction f;
	CUmodule m;

	NEED(!EMU(cuModuleLoadData)(&m, SPREAD) && !EMU(cuModuleGetFunction)(&f, m, "spread"));
	NEED(!EMU(cuLaunchKernel)(f, 1, 1, 1, 4, 2, 1, 0, NULL, args, NULL));
	return EMU(cuCtxSynchronize)();
}

static void fault_with_dump(void)
{
	emulator_start();
	ask_for_dump(CU_COREDUMP_LIGHTWEIGHT_FLAGS | CU_COREDUMP_SKIP_ABORT);
	NEED(fault() == CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void fault_that_aborts(void)
{
	emulator_start();
	ask_for_dump(CU_COREDUMP_DEFAULT_FLAGS);
	fault();
}

static void fault_without_dump(void)
{
	emulator_start();
	NEED(fault() == CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void read_file(struct buffer *ret)
{
	FILE *f = fopen(path, "re");
	char block[4096];
	size_t n;

	assert_non_null(f);
	while ((n = fread(block, 1, sizeof(block), f)) > 0)
		buffer_append(ret, block, n);
	fclose(f);
}

static void take_dump(struct buffer *ret)
{
	int status = emulator_in_child(fault_with_dump);

	assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
	read_file(ret);
}

static void assert_frame(const struct cubin_place *p, uint32_t i, const char *function,
			 const char *file, uint32_t line)
{
	assert_true(i < p->n_frames);
	assert_string_equal(p->frames[i].function, function);
	assert_string_equal(p->frames[i].file, file);
	assert_int_equal(p->frames[i].line, line);
}

static void the_emulated_driver_writes_what_is_read(void **state)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct error err = ERROR_INIT;
	struct core_dump d;

	(void)state;
	take_dump(&b);
	if (core_dump_read(b.data, b.len, &d, &err))
		fail_msg("%s", err.text);
	assert_int_equal(d.exception, 14);
	assert_string_equal(core_dump_exception_name(d.exception), "Warp Illegal Address");
	assert_string_equal(d.place.kernel, "spread");
	assert_string_equal(d.place.function, "_Z3putPii");
	assert_int_equal(d.place.offset, 4 * 16);
	assert_int_equal(d.place.n_frames, 3);
	assert_frame(&d.place, 0, "_Z3putPii", "In[5]", 2);
	assert_frame(&d.place, 1, "_Z3viaPii", "In[5]", 9);
	assert_frame(&d.place, 2, "spread", "In[5]", 6);
	/* In blocks of 4 x 2 threads the first one that stores. */
	assert_int_equal(d.n_threads, 1);
	assert_int_equal(d.n_warps, 1);
	assert_memory_equal(d.block, ((uint32_t[]){ 0, 0, 0 }), sizeof(d.block));
	assert_memory_equal(d.first, ((uint32_t[]){ 3, 1, 0 }), sizeof(d.first));
	assert_memory_equal(d.last, d.first, sizeof(d.last));
}

static void a_dump_that_is_cut_anywhere_is_an_error(void **state)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct core_dump d;

	(void)state;
	take_dump(&b);
	for (size_t len = 0; len < b.len; len++) {
		struct error err = ERROR_INIT;
		char *copy = malloc(len ? len : 1);

		memcpy(copy, b.data, len);
		assert_int_equal(core_dump_read(copy, len, &d, &err), -1);
		assert_int_equal(err.code, ERROR_INPUT);
		free(copy);
	}
}

/* Each byte in turn, each time as other numbers: whatever comes of it, nothing outside is read. */
static void a_dump_with_a_wrong_byte_is_survived(void **state)
{
	static const unsigned char wrong[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct core_dump d;

	(void)state;
	take_dump(&b);
	for (size_t i = 0; i < b.len; i++) {
		char *copy = malloc(b.len);

		memcpy(copy, b.data, b.len);
		for (size_t n = 0; n < sizeof(wrong); n++) {
			copy[i] = (char)wrong[n];
			core_dump_read(copy, b.len, &d, NULL);
			assert_true(d.place.n_frames <= CUBIN_FRAMES_MAX);
		}
		free(copy);
	}
}

static void the_process_goes_on_only_if_asked_to(void **state)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct core_dump d;
	int status;

	(void)state;
	unlink(path);
	status = emulator_in_child(fault_that_aborts);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	read_file(&b);
	assert_int_equal(core_dump_read(b.data, b.len, &d, NULL), 0);
	unlink(path);
	status = emulator_in_child(fault_without_dump);
	assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
	assert_int_equal(access(path, F_OK), -1);
}

static void settings(void)
{
	char text[1024], long_name[2000];
	size_t size = 0, text_size = sizeof(text), long_size = sizeof(long_name);
	size_t bool_size = sizeof(bool), int_size = sizeof(int);
	int flags = 0;
	bool on = true;

	memset(long_name, 'a', sizeof(long_name));
	emulator_open();
	NEED(EMU(cuCoredumpGetAttribute)(CU_COREDUMP_FILE, text, &text_size) ==
	     CUDA_ERROR_NOT_INITIALIZED);
	NEED(!EMU(cuCoredumpGetAttributeGlobal)(CU_COREDUMP_FILE, NULL, &size) && size == 1024);
	NEED(!EMU(cuCoredumpGetAttributeGlobal)(CU_COREDUMP_FILE, text, &text_size) &&
	     !strncmp(text, "core.cuda.", 10));
	NEED(!EMU(cuCoredumpGetAttributeGlobal)(CU_COREDUMP_ENABLE_ON_EXCEPTION, &on, &bool_size) &&
	     !on);
	NEED(!EMU(cuCoredumpGetAttributeGlobal)(CU_COREDUMP_TRIGGER_HOST, &on, &bool_size) && on);
	NEED(!EMU(cuCoredumpSetAttributeGlobal)(CU_COREDUMP_LIGHTWEIGHT, &on, &bool_size));
	on = false;
	NEED(!EMU(cuCoredumpSetAttributeGlobal)(CU_COREDUMP_TRIGGER_HOST, &on, &bool_size));
	NEED(!EMU(cuCoredumpGetAttributeGlobal)(CU_COREDUMP_GENERATION_FLAGS, &flags, &int_size));
	NEED(flags == (CU_COREDUMP_LIGHTWEIGHT_FLAGS | CU_COREDUMP_SKIP_ABORT));
	NEED(EMU(cuCoredumpSetAttributeGlobal)(CU_COREDUMP_FILE, long_name, &long_size) ==
	     CUDA_ERROR_INVALID_VALUE);
	NEED(EMU(cuCoredumpSetAttributeGlobal)(CU_COREDUMP_MAX, text, &text_size) ==
	     CUDA_ERROR_INVALID_VALUE);
	on = true;
	NEED(EMU(cuCoredumpSetAttributeGlobal)(CU_COREDUMP_ENABLE_USER_TRIGGER, &on, &bool_size) ==
	     CUDA_ERROR_NOT_SUPPORTED);
}

static void settings_are_those_of_the_manual(void **state)
{
	int status = emulator_in_child(settings);

	(void)state;
	assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
}

/* ---- dumps made here, with the numbers of the format written out ---- */

#define CODE 0x7fff90000000ull

enum where { IN_PLACE, BY_REL, BY_RELA };

struct made {
	struct elf_writer w;
	uint32_t devices, multiprocessors, blocks, warps, lanes;
};

/* `size` bytes are a row; values are u64 or u32 at their places. */
struct value {
	uint32_t at, bytes;
	uint64_t value;
};

static void put(unsigned char *row, const struct value *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		memcpy(row + values[i].at, &values[i].value, values[i].bytes);
}
#define PUT(row, ...)                                                                              \
	put(row, (const struct value[]){ __VA_ARGS__ },                                            \
	    sizeof((const struct value[]){ __VA_ARGS__ }) / sizeof(struct value))

static uint32_t add(struct made *m, const char *name, uint32_t type, uint32_t link,
		    const void *rows, size_t size, size_t n)
{
	return elf_writer_add(&m->w, name,
			      &(Elf64_Shdr){ .sh_type = type, .sh_link = link, .sh_entsize = size },
			      rows, n * size);
}

static void add_image(struct made *m, enum where where)
{
	unsigned char table[sizeof(lines_table)];
	Elf64_Sym symbols[2] = {
		{ 0 }, { 1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, 0, LINES_CODE_SIZE }
	};
	Elf64_Rel rel = { LINES_ADDRESS_AT, ELF64_R_INFO(1, 2) };
	Elf64_Rela rela = { LINES_ADDRESS_AT, ELF64_R_INFO(1, 2), 0 };
	uint64_t address = CODE;
	struct elf_writer w;
	uint32_t strings;

	memcpy(table, lines_table, sizeof(table));
	if (where == IN_PLACE)
		memcpy(table + LINES_ADDRESS_AT, &address, sizeof(address));
	elf_writer_init(&w, ET_EXEC, 0x33);
	elf_writer_add(&w, ".text.take", &(Elf64_Shdr){ .sh_type = SHT_NOBITS, .sh_addr = CODE },
		       NULL, LINES_CODE_SIZE);
	strings =
		elf_writer_add(&w, ".strtab", &(Elf64_Shdr){ .sh_type = SHT_STRTAB }, "\0take", 6);
	elf_writer_add(&w, ".symtab", &(Elf64_Shdr){ .sh_type = SHT_SYMTAB, .sh_link = strings },
		       symbols, sizeof(symbols));
	elf_writer_add(&w, ".debug_line", &(Elf64_Shdr){ .sh_type = SHT_PROGBITS }, table,
		       sizeof(table));
	elf_writer_add(&w, ".debug_str", &(Elf64_Shdr){ .sh_type = SHT_PROGBITS }, lines_strings,
		       sizeof(lines_strings));
	if (where == BY_REL)
		elf_writer_add(&w, ".rel.debug_line", &(Elf64_Shdr){ .sh_type = SHT_REL }, &rel,
			       sizeof(rel));
	if (where == BY_RELA)
		elf_writer_add(&w, ".rela.debug_line", &(Elf64_Shdr){ .sh_type = SHT_RELA }, &rela,
			       sizeof(rela));
	assert_int_equal(elf_writer_end(&w, NULL), 0);
	add(m, ".cudbg.relfimg.dev0.ctx0", 0x80000007, 0, w.bytes.data, 1, w.bytes.len);
	elf_writer_release(&w);
}

/* A device and a grid of `take`; rows as short as those of the first drivers. */
static void begin(struct made *m, enum where where)
{
	unsigned char device[72] = { 0 }, grid[104] = { 0 };

	elf_writer_init(&m->w, ET_CORE, 0x33);
	m->devices = add(m, ".cudbg.devtbl", 0x80000009, 0, device, sizeof(device), 1);
	PUT(grid, { 0, 8, 77 }, { 24, 8, CODE });
	add(m, ".cudbg.gridtbl.dev0", 0x8000000c, m->devices, grid, sizeof(grid), 1);
	add_image(m, where);
}

static void add_multiprocessor(struct made *m, uint32_t exception, uint64_t error_pc)
{
	unsigned char row[40] = { 0 };

	PUT(row, { 8, 4, exception }, { 12, 4, error_pc != 0 }, { 16, 8, error_pc });
	m->multiprocessors =
		add(m, ".cudbg.smtbl.dev0", 0x8000000b, m->devices, row, sizeof(row), 1);
}

/* A block with one warp; lanes from `first` on have the exception. error_pc 0: the warp has none.
 */
static void add_warp(struct made *m, uint32_t block, uint64_t error_pc, uint64_t pc, uint32_t first,
		     uint32_t exception)
{
	unsigned char cta[24] = { 0 }, warp[32] = { 0 }, lanes[32][48] = { 0 };

	PUT(cta, { 0, 8, 77 }, { 8, 4, block });
	m->blocks = add(m, ".cudbg.ctatbl.dev0.sm0", 0x8000000d, m->multiprocessors, cta,
			sizeof(cta), 1);
	PUT(warp, { 0, 8, error_pc }, { 16, 4, 0xff00 }, { 24, 4, error_pc != 0 });
	m->warps =
		add(m, ".cudbg.wptbl.dev0.sm0.cta0", 0x8000000e, m->blocks, warp, sizeof(warp), 1);
	for (uint32_t i = 0; i < 32; i++)
		PUT(lanes[i], { 0, 8, pc }, { 16, 4, i }, { 20, 4, i },
		    { 32, 4, i >= first ? exception : 0 });
	m->lanes = add(m, ".cudbg.lntbl.dev0.sm0.cta0.wp0", 0x8000000f, m->warps, lanes,
		       sizeof(lanes[0]), 32);
}

static void add_calls(struct made *m, const uint64_t *returns, size_t n)
{
	unsigned char rows[8][24] = { 0 };

	for (size_t i = 0; i < n; i++)
		PUT(rows[i], { 8, 8, returns[i] }, { 16, 4, i });
	add(m, ".cudbg.bt.dev0.sm0.cta0.wp0.ln0", 0x80000008, m->lanes, rows, sizeof(rows[0]), n);
}

static struct core_dump end(struct made *m)
{
	struct error err = ERROR_INIT;
	struct core_dump d;

	assert_int_equal(elf_writer_end(&m->w, NULL), 0);
	if (core_dump_read(m->w.bytes.data, m->w.bytes.len, &d, &err))
		fail_msg("%s", err.text);
	elf_writer_release(&m->w);
	return d;
}

static void the_line_table_of_ptxas(void **state)
{
	static const struct {
		uint32_t offset, n, line, called_at;
	} places[] = { { 0x00, 1, 5, 0 }, { 0x10, 1, 8, 0 }, { 0x20, 2, 3, 8 },
		       { 0x30, 1, 7, 0 }, { 0x50, 1, 7, 0 }, { 0x60, 2, 3, 8 },
		       { 0x80, 2, 3, 8 }, { 0x90, 1, 8, 0 }, { 0xf0, 1, 9, 0 } };

	(void)state;
	for (enum where where = IN_PLACE; where <= BY_RELA; where++)
		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
			struct core_dump d;
			struct made m;

			begin(&m, where);
			add_multiprocessor(&m, 0, 0);
			add_warp(&m, 5, CODE + places[i].offset, CODE + 0xf0, 31, 6);
			d = end(&m);
			assert_int_equal(d.exception, 6);
			assert_string_equal(d.place.kernel, "take");
			assert_int_equal(d.place.offset, places[i].offset);
			assert_int_equal(d.place.n_frames, places[i].n);
			assert_frame(&d.place, 0, places[i].n == 2 ? "_Z5twicePii" : "take",
				     "In[3]", places[i].line);
			if (places[i].n == 2)
				assert_frame(&d.place, 1, "take", "In[3]", places[i].called_at);
			assert_int_equal(d.n_threads, 1);
			assert_int_equal(d.first[0], 31);
			assert_int_equal(d.block[0], 5);
		}
}

static void of_several_warps_the_first_block_is_told(void **state)
{
	struct core_dump d;
	struct made m;

	(void)state;
	begin(&m, IN_PLACE);
	add_multiprocessor(&m, 0, 0);
	add_warp(&m, 9, CODE, CODE, 0, 14);
	add_warp(&m, 2, CODE + 0x10, CODE, 4, 14);
	add_warp(&m, 3, 0, CODE, 0, 0);
	add_warp(&m, 4, CODE, CODE, 0, 14);
	d = end(&m);
	assert_int_equal(d.n_warps, 3);
	assert_int_equal(d.block[0], 2);
	assert_int_equal(d.n_threads, 28);
	assert_int_equal(d.first[0], 4);
	assert_int_equal(d.last[0], 31);
	assert_int_equal(d.place.frames[0].line, 8);
}

/* The device has stopped in code of the driver: who has called that is told. */
static void an_assertion_is_told_where_it_is_called(void **state)
{
	struct core_dump d;
	struct made m;

	(void)state;
	begin(&m, IN_PLACE);
	add_multiprocessor(&m, 0, 0);
	add_warp(&m, 0, 0x100, 0x100, 0, 12);
	add_calls(&m, (uint64_t[]){ 0x200, CODE + 0x70, CODE + 0x10 }, 3);
	d = end(&m);
	assert_int_equal(d.exception, 12);
	assert_int_equal(d.place.n_frames, 3);
	assert_frame(&d.place, 0, "_Z5twicePii", "In[3]", 3);
	assert_frame(&d.place, 1, "take", "In[3]", 8);
	/* The one before the address of return. */
	assert_frame(&d.place, 2, "take", "In[3]", 5);
}

static void a_warp_whose_threads_tell_nothing(void **state)
{
	struct core_dump d;
	struct made m;

	(void)state;
	begin(&m, IN_PLACE);
	add_multiprocessor(&m, 14, 0);
	add_warp(&m, 6, 0, CODE, 0, 0);
	add_warp(&m, 7, CODE + 0x20, CODE, 0, 0);
	d = end(&m);
	assert_int_equal(d.exception, 0);
	assert_int_equal(d.block[0], 7);
	/* Those that were active. */
	assert_int_equal(d.n_threads, 8);
	assert_int_equal(d.first[0], 8);
	assert_int_equal(d.last[0], 15);
	assert_int_equal(d.place.n_frames, 2);
}

static void threads_that_are_gone_leave_the_place(void **state)
{
	struct core_dump d;
	struct made m;

	(void)state;
	begin(&m, IN_PLACE);
	add_multiprocessor(&m, 10, CODE + 0x60);
	d = end(&m);
	assert_int_equal(d.exception, 10);
	assert_int_equal(d.n_threads, 0);
	assert_int_equal(d.place.frames[0].line, 3);
	assert_string_equal(d.place.kernel, "take");
}

/* A large device has more sections than the header of the file can count. */
static void the_numbers_of_many_sections_stand_in_the_first(void **state)
{
	struct core_dump d;
	struct made m;
	Elf64_Ehdr h;
	Elf64_Shdr first = { 0 };

	(void)state;
	begin(&m, IN_PLACE);
	add_multiprocessor(&m, 0, 0);
	add_warp(&m, 1, CODE, CODE, 0, 14);
	assert_int_equal(elf_writer_end(&m.w, NULL), 0);
	memcpy(&h, m.w.bytes.data, sizeof(h));
	first.sh_size = h.e_shnum;
	first.sh_link = h.e_shstrndx;
	h.e_shnum = 0;
	h.e_shstrndx = SHN_XINDEX;
	memcpy(m.w.bytes.data, &h, sizeof(h));
	memcpy(m.w.bytes.data + h.e_shoff, &first, sizeof(first));
	assert_int_equal(core_dump_read(m.w.bytes.data, m.w.bytes.len, &d, NULL), 0);
	assert_string_equal(d.place.kernel, "take");
	elf_writer_release(&m.w);
}

static void what_is_no_dump_of_a_fault(void **state)
{
	struct error err = ERROR_INIT;
	struct core_dump d;
	struct made m;

	(void)state;
	assert_int_equal(core_dump_read("no dump", 7, &d, &err), -1);
	assert_int_equal(err.code, ERROR_INPUT);
	begin(&m, IN_PLACE);
	add_multiprocessor(&m, 0, 0);
	add_warp(&m, 0, 0, CODE, 0, 0);
	assert_int_equal(elf_writer_end(&m.w, NULL), 0);
	assert_int_equal(core_dump_read(m.w.bytes.data, m.w.bytes.len, &d, &err), -1);
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	elf_writer_release(&m.w);
	assert_null(core_dump_exception_name(0));
	assert_null(core_dump_exception_name(4000));
}

static int make_path(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_emulated_driver_writes_what_is_read),
		cmocka_unit_test(a_dump_that_is_cut_anywhere_is_an_error),
		cmocka_unit_test(a_dump_with_a_wrong_byte_is_survived),
		cmocka_unit_test(the_process_goes_on_only_if_asked_to),
		cmocka_unit_test(settings_are_those_of_the_manual),
		cmocka_unit_test(the_line_table_of_ptxas),
		cmocka_unit_test(of_several_warps_the_first_block_is_told),
		cmocka_unit_test(an_assertion_is_told_where_it_is_called),
		cmocka_unit_test(a_warp_whose_threads_tell_nothing),
		cmocka_unit_test(threads_that_are_gone_leave_the_place),
		cmocka_unit_test(the_numbers_of_many_sections_stand_in_the_first),
		cmocka_unit_test(what_is_no_dump_of_a_fault),
	};

	return cmocka_run_group_tests(tests, make_path, remove_path);
}
