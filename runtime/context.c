/* SPDX-License-Identifier: Apache-2.0 */
/* A file of its own, since glibc names the registers of x86-64 only for those who ask for GNU extensions. */
#define _GNU_SOURCE
#include "runtime/context.h"

#include <ucontext.h>

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
