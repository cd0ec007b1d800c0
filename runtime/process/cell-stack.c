/* SPDX-License-Identifier: Apache-2.0 */
/* Layout: guard (no access), stack. Thread stacks are libc's; they are only remembered here. */
#define _GNU_SOURCE
#include "runtime/process/cell-stack.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

#include "common/base/error.h"
#include "common/memory/address-map.h"

#define STACK_SIZE (64 * MIB)
#define GUARD_SIZE (256 * MIB)
#define THREADS_MAX 256

struct stack {
	uint64_t guard;
	uint64_t low;
	uint64_t high;
};

static struct {
	struct stack at[1 + THREADS_MAX]; /* 0: the cell stack */
	unsigned n;
	pthread_mutex_t lock;
} stacks = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Switch to the stack that ends at `top`, call, switch back. The frame pointer keeps the way back
 * for unwinders. */
void cell_stack_switch(void *top, void (*fn)(void *data), void *data);

#if defined(__x86_64__)
__asm__(".text\n"
	".globl cell_stack_switch\n"
	".hidden cell_stack_switch\n"
	".type cell_stack_switch, @function\n"
	"cell_stack_switch:\n"
	"	.cfi_startproc\n"
	"	pushq %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	movq %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	movq %rdi, %rsp\n"
	"	movq %rdx, %rdi\n"
	"	call *%rsi\n"
	"	movq %rbp, %rsp\n"
	"	popq %rbp\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size cell_stack_switch, .-cell_stack_switch\n");
#elif defined(__aarch64__)
__asm__(".text\n"
	".globl cell_stack_switch\n"
	".hidden cell_stack_switch\n"
	".type cell_stack_switch, %function\n"
	"cell_stack_switch:\n"
	"	.cfi_startproc\n"
	"	stp x29, x30, [sp, -16]!\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset x29, -16\n"
	"	.cfi_offset x30, -8\n"
	"	mov x29, sp\n"
	"	.cfi_def_cfa_register x29\n"
	"	mov sp, x0\n"
	"	mov x0, x2\n"
	"	blr x1\n"
	"	mov sp, x29\n"
	"	ldp x29, x30, [sp], 16\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size cell_stack_switch, .-cell_stack_switch\n");
#endif

int cell_stack_init(struct error *err)
{
	char *p = mmap(NULL, GUARD_SIZE + STACK_SIZE, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

	if (p == MAP_FAILED || mprotect(p + GUARD_SIZE, STACK_SIZE, PROT_READ | PROT_WRITE))
		return error_errno(err, "cannot make the stack that cells run on");
	stacks.at[0] = (struct stack){ (uint64_t)p, (uint64_t)p + GUARD_SIZE,
				       (uint64_t)p + GUARD_SIZE + STACK_SIZE };
	stacks.n = 1;
	return 0;
}

void cell_stack_call(void (*fn)(void *data), void *data)
{
	cell_stack_switch((void *)stacks.at[0].high, fn, data);
}

void cell_stack_add_thread(uint64_t guard, uint64_t low, uint64_t high)
{
	pthread_mutex_lock(&stacks.lock);
	if (stacks.n < 1 + THREADS_MAX)
		stacks.at[stacks.n++] = (struct stack){ guard, low, high };
	pthread_mutex_unlock(&stacks.lock);
}

void cell_stack_remove_thread(uint64_t low)
{
	pthread_mutex_lock(&stacks.lock);
	for (unsigned i = 1; i < stacks.n; i++) {
		if (stacks.at[i].low == low) {
			stacks.at[i] = stacks.at[--stacks.n];
			break;
		}
	}
	pthread_mutex_unlock(&stacks.lock);
}

bool cell_stack_contains(uint64_t address)
{
	for (unsigned i = 0; i < stacks.n; i++) {
		if (address >= stacks.at[i].low && address < stacks.at[i].high)
			return true;
	}
	return false;
}

bool cell_stack_has_thread(uint64_t start, uint64_t end)
{
	for (unsigned i = 1; i < stacks.n; i++) {
		if (stacks.at[i].low >= start && stacks.at[i].low < end)
			return true;
	}
	return false;
}

uint64_t cell_stack_top(uint64_t address)
{
	for (unsigned i = 0; i < stacks.n; i++) {
		if (address >= stacks.at[i].low && address < stacks.at[i].high)
			return stacks.at[i].high;
	}
	return 0;
}

bool cell_stack_in_guard(uint64_t address)
{
	for (unsigned i = 0; i < stacks.n; i++) {
		if (address >= stacks.at[i].guard && address < stacks.at[i].low)
			return true;
	}
	return false;
}
