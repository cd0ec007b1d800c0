/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoder knows the two division instructions of x86-64 and the traps that compilers emit, no
 * more (Intel SDM volume 2, DIV, IDIV and UD; the forms of ModRM and SIB in chapter 2). On AArch64
 * a division does not fault.
 */
#include "runtime/faults/fault-cause.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/protocol/worker-protocol.h"
#include "runtime/process/context.h"

#if defined(__x86_64__)
struct division {
	const uint64_t *registers; /* by DWARF number */
	const uint8_t *at;         /* next byte of the instruction */
	uint8_t rex;
	unsigned size; /* bytes of the operand */
	bool is_signed;
};

/* Numbers of the instruction set to those of DWARF; beyond 7 they agree. */
static uint64_t general(const struct division *d, unsigned number)
{
	static const uint8_t dwarf[] = { 0, 2, 1, 3, 7, 6, 4, 5 };

	return d->registers[number < 8 ? dwarf[number] : number];
}

static int64_t displacement(struct division *d, unsigned size)
{
	int32_t wide;
	int8_t narrow;

	if (size == 1) {
		memcpy(&narrow, d->at, 1);
		d->at += 1;
		return narrow;
	}
	memcpy(&wide, d->at, 4);
	d->at += 4;
	return wide;
}

static uint64_t memory_operand(struct division *d, uint8_t modrm)
{
	unsigned mod = modrm >> 6, rm = modrm & 7;
	uint64_t address = 0;

	if (rm == 4) {
		uint8_t sib = *d->at++;
		unsigned index = (sib >> 3 & 7) | (d->rex & 2) << 2,
			 base = (sib & 7) | (d->rex & 1) << 3;

		if (index != 4)
			address = general(d, index) << (sib >> 6);
		if ((sib & 7) == 5 && mod == 0)
			return address + (uint64_t)displacement(d, 4);
		address += general(d, base);
	} else if (rm == 5 && mod == 0) {
		int64_t offset = displacement(d, 4);

		return (uint64_t)(uintptr_t)d->at + (uint64_t)offset;
	} else {
		address = general(d, rm | (d->rex & 1) << 3);
	}
	if (mod)
		address += (uint64_t)displacement(d, mod == 1 ? 1 : 4);
	return address;
}

/* The instruction has read the operand, so it can be read. */
static uint64_t divisor(struct division *d, uint8_t modrm)
{
	unsigned number = (modrm & 7) | (d->rex & 1) << 3;
	uint64_t value = 0;

	if (modrm >> 6 != 3)
		memcpy(&value, (const void *)memory_operand(d, modrm), d->size);
	else if (d->size == 1 && !d->rex && number >= 4)
		value = general(d, number - 4) >> 8; /* ah, ch, dh, bh */
	else
		value = general(d, number);
	return d->size == 8 ? value : value & ((1ull << 8 * d->size) - 1);
}

static bool decode(struct division *d, uint64_t *ret_divisor)
{
	bool narrow = false;
	uint8_t opcode, modrm;

	for (;
	     *d->at == 0x66 || *d->at == 0x2e || *d->at == 0x3e || *d->at == 0xf2 || *d->at == 0xf3;
	     d->at++)
		narrow |= *d->at == 0x66;
	if ((*d->at & 0xf0) == 0x40)
		d->rex = *d->at++;
	opcode = *d->at++;
	modrm = *d->at++;
	if ((opcode & 0xfe) != 0xf6 || (modrm >> 3 & 6) != 6)
		return false;
	d->is_signed = modrm >> 3 & 1;
	d->size = opcode == 0xf6 ? 1 : d->rex & 8 ? 8 : narrow ? 2 : 4;
	*ret_divisor = divisor(d, modrm);
	return true;
}

static void put_number(const struct division *d, uint64_t value, char *ret, size_t size)
{
	unsigned unused = 64 - 8 * d->size;

	if (d->is_signed)
		snprintf(ret, size, "%" PRId64, (int64_t)(value << unused) >> unused);
	else
		snprintf(ret, size, "%" PRIu64, value << unused >> unused);
}

void fault_cause_division(const void *context, char *ret, size_t size)
{
	uint64_t registers[FAULT_REGISTERS], by;
	struct division d = { .registers = registers, .at = (const uint8_t *)context_pc(context) };
	char a[24], b[24];

	*ret = '\0';
	context_registers(context, registers);
	if (!decode(&d, &by))
		return;
	put_number(&d, general(&d, 0), a, sizeof(a));
	put_number(&d, by, b, sizeof(b));
	if (!by)
		snprintf(ret, size, "integer division by zero: %s / 0 (or the remainder, %s %% 0)",
			 a, a);
	else
		snprintf(ret, size,
			 "integer overflow in a division: %s / %s does not fit in %u bits", a, b,
			 8 * d.size);
}

static bool bytes_are(const uint8_t *at, const char *bytes, size_t n)
{
	return !memcmp(at, bytes, n);
}

void fault_cause_trap(const void *context, char *ret, size_t size)
{
	const uint8_t *at = (const uint8_t *)context_pc(context);
	const char *text = "";

	if (bytes_are(at, "\x0f\x0b", 2))
		text = "a trap instruction (ud2): __builtin_trap() or __builtin_unreachable() was "
		       "reached, or the end of a function that has to return a value";
	else if (bytes_are(at, "\x0f\xb9", 2) || bytes_are(at, "\x67\x0f\xb9", 3))
		text = "a trap instruction (ud1): a check of -fsanitize failed";
	else if (at[-1] == 0xcc)
		text = "a breakpoint instruction (int3), as of __builtin_debugtrap()";
	snprintf(ret, size, "%s", text);
}
#else
void fault_cause_division(const void *context, char *ret, size_t size)
{
	(void)context;
	(void)size;
	*ret = '\0';
}

void fault_cause_trap(const void *context, char *ret, size_t size)
{
	uint32_t instruction;

	memcpy(&instruction, (const void *)context_pc(context), 4);
	snprintf(ret, size, "%s",
		 (instruction & 0xffe0001f) == 0xd4200000
			 ? "a trap instruction (brk): __builtin_trap() or __builtin_unreachable() "
			   "was reached, or a breakpoint"
			 : "");
}
#endif

/* One line of /proc/self/maps: "start-end perms offset dev inode   path". */
static bool line_holds(const char *line, uint64_t address, char *ret, size_t size)
{
	uint64_t start, end;
	int path = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %n", &start, &end, &path) < 2 ||
	    !path || address < start || address >= end)
		return false;
	if (line[path] == '/')
		snprintf(ret, size, "%s", line + path);
	return true;
}

void fault_cause_file(uint64_t address, char *ret, size_t size)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	char line[512];
	size_t n = 0;
	char c[1024];
	ssize_t got;

	*ret = '\0';
	while (fd >= 0 && (got = read(fd, c, sizeof(c))) > 0) {
		for (ssize_t i = 0; i < got; i++) {
			if (c[i] != '\n') {
				if (n < sizeof(line) - 1)
					line[n++] = c[i];
				continue;
			}
			line[n] = '\0';
			n = 0;
			if (line_holds(line, address, ret, size)) {
				close(fd);
				return;
			}
		}
	}
	if (fd >= 0)
		close(fd);
}
