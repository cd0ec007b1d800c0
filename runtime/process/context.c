/* SPDX-License-Identifier: Apache-2.0 */
/* A file of its own, since glibc names the registers of x86-64 only for those who ask for GNU
 * extensions. */
#define _GNU_SOURCE
#include "runtime/process/context.h"

#include <string.h>
#include <ucontext.h>

#include "common/protocol/worker-protocol.h"

#define TRAP_FLAG 0x100LL /* of EFLAGS */

uint64_t context_pc(const void *context)
{
	const ucontext_t *u = context;

#if defined(__x86_64__)
	return (uint64_t)u->uc_mcontext.gregs[REG_RIP];
#else
	return u->uc_mcontext.pc;
#endif
}

uint64_t context_sp(const void *context)
{
	const ucontext_t *u = context;

#if defined(__x86_64__)
	return (uint64_t)u->uc_mcontext.gregs[REG_RSP];
#else
	return u->uc_mcontext.sp;
#endif
}

uint64_t context_return_address(const void *context)
{
#if defined(__x86_64__)
	return *(const uint64_t *)context_sp(context);
#else
	return ((const ucontext_t *)context)->uc_mcontext.regs[30];
#endif
}

uint64_t context_frame(const void *context)
{
	const ucontext_t *u = context;

#if defined(__x86_64__)
	return (uint64_t)u->uc_mcontext.gregs[REG_RBP];
#else
	return u->uc_mcontext.regs[29];
#endif
}

void context_set_pc(void *context, uint64_t pc)
{
	ucontext_t *u = context;

#if defined(__x86_64__)
	u->uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
#else
	u->uc_mcontext.pc = pc;
#endif
}

void context_set_step(void *context, bool on)
{
#if defined(__x86_64__)
	ucontext_t *u = context;

	if (on)
		u->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
	else
		u->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
#else
	(void)context;
	(void)on;
#endif
}

/* Numbers: psABI of x86-64, figure 3.36; DWARF for the Arm 64-bit Architecture, section 4.1. */
void context_registers(const void *context, uint64_t *ret)
{
	const ucontext_t *u = context;

	memset(ret, 0, FAULT_REGISTERS * sizeof(*ret));
#if defined(__x86_64__)
	static const int order[] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
				     REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
				     REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP };

	for (unsigned i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		ret[i] = (uint64_t)u->uc_mcontext.gregs[order[i]];
#else
	for (unsigned i = 0; i < 31; i++)
		ret[i] = u->uc_mcontext.regs[i];
	ret[31] = u->uc_mcontext.sp;
	ret[32] = u->uc_mcontext.pc;
#endif
}
