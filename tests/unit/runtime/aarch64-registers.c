/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A unit for tests/unit/runtime/aarch64-host.c: fills all registers, finds a thread-local variable
 * by its descriptor, and says which registers are not what they were. Compilers may keep the
 * descriptor's entry in any register; here it is x1, and x9.
 */
#include <stdint.h>
#include <stdio.h>

/* Those that are not looked at stay 0: x0, x30, the stack pointer, and what holds the entry. */
struct registers {
	uint64_t x[32];
	unsigned char v[32][16];
};

_Thread_local int probe = 77;

/* Each returns the address that the descriptor led to. */
void *probe_by_x1(const struct registers *before, struct registers *after);
void *probe_by_x9(const struct registers *before, struct registers *after);

__asm__(".macro probe_by scratch, others:vararg\n"
	".global probe_by_x\\scratch\n"
	".type probe_by_x\\scratch, %function\n"
	"probe_by_x\\scratch:\n"
	"stp x29, x30, [sp, -192]!\n"
	".irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28\n"
	"str x\\n, [sp, 16 + 8 * (\\n - 19)]\n"
	".endr\n"
	".irp n, 8, 9, 10, 11, 12, 13, 14, 15\n"
	"str d\\n, [sp, 96 + 8 * (\\n - 8)]\n"
	".endr\n"
	"str x1, [sp, 160]\n"
	".irp n, \\others\n"
	"ldr x\\n, [x0, 8 * \\n]\n"
	".endr\n"
	".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, "
	"23, 24, 25, 26, 27, 28, 29, 30, 31\n"
	"ldr q\\n, [x0, 256 + 16 * \\n]\n"
	".endr\n"
	"adrp x0, :tlsdesc:probe\n"
	"ldr x\\scratch, [x0, #:tlsdesc_lo12:probe]\n"
	"add x0, x0, #:tlsdesc_lo12:probe\n"
	".tlsdesccall probe\n"
	"blr x\\scratch\n"
	"str x0, [sp, 168]\n"
	"ldr x0, [sp, 160]\n"
	".irp n, \\others\n"
	"str x\\n, [x0, 8 * \\n]\n"
	".endr\n"
	".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, "
	"23, 24, 25, 26, 27, 28, 29, 30, 31\n"
	"str q\\n, [x0, 256 + 16 * \\n]\n"
	".endr\n"
	".irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28\n"
	"ldr x\\n, [sp, 16 + 8 * (\\n - 19)]\n"
	".endr\n"
	".irp n, 8, 9, 10, 11, 12, 13, 14, 15\n"
	"ldr d\\n, [sp, 96 + 8 * (\\n - 8)]\n"
	".endr\n"
	"ldr x0, [sp, 168]\n"
	"mrs x1, tpidr_el0\n"
	"add x0, x0, x1\n"
	"ldp x29, x30, [sp], 192\n"
	"ret\n"
	".endm\n"
	".text\n"
	"probe_by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, "
	"23, 24, 25, 26, 27, 28, 29\n"
	"probe_by 9, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, "
	"23, 24, 25, 26, 27, 28, 29\n");

static void compare(unsigned scratch,
		    void *(*probe_by)(const struct registers *before, struct registers *after))
{
	struct registers before = { 0 }, after = { 0 };
	unsigned wrong = 0;

	for (unsigned i = 1; i <= 29; i++)
		before.x[i] = i == scratch ? 0 : 0x0123456789abcd00 + i;
	for (unsigned i = 0; i < sizeof(before.v); i++)
		before.v[i / 16][i % 16] = (unsigned char)(i * 7 + 1);
	if (*(int *)probe_by(&before, &after) != 77)
		printf("not the variable; ");
	for (unsigned i = 0; i < 32; i++) {
		if (before.x[i] != after.x[i])
			printf("x%u ", i), wrong++;
		if (__builtin_memcmp(before.v[i], after.v[i], 16))
			printf("v%u ", i), wrong++;
	}
	printf("%u changed\n", wrong);
}

void run(void)
{
	compare(1, probe_by_x1);
	compare(9, probe_by_x9);
}
