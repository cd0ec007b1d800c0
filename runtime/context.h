/* SPDX-License-Identifier: Apache-2.0 */
/* The registers of an interrupted thread that signal handlers look at, for each architecture. */
#ifndef CGPU_RUNTIME_CONTEXT_H
#define CGPU_RUNTIME_CONTEXT_H

#include <stdint.h>
#include <ucontext.h>

static inline uint64_t context_pc(const void *context)
{
	const ucontext_t *u = context;

#if defined(__x86_64__)
	return (uint64_t)u->uc_mcontext.gregs[REG_RIP];
#else
	return u->uc_mcontext.pc;
#endif
}

static inline uint64_t context_sp(const void *context)
{
	const ucontext_t *u = context;

#if defined(__x86_64__)
	return (uint64_t)u->uc_mcontext.gregs[REG_RSP];
#else
	return u->uc_mcontext.sp;
#endif
}

#endif
