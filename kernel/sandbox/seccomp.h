/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system call filter of workers, as the bytes of a BPF program that the worker installs on
 * itself. The policy is kernel/sandbox/syscalls.def.
 */
#ifndef CGPU_KERNEL_SANDBOX_SECCOMP_H
#define CGPU_KERNEL_SANDBOX_SECCOMP_H

#include <stdbool.h>

struct buffer;
struct error;

/*
 * Appends struct sock_filter[] to ret. scoped: Landlock keeps signals inside the worker, so the
 * filter need not. The program has the placeholders SECCOMP_OWN_PID and SECCOMP_OWN_GROUP of
 * common/protocol/worker-protocol.h in it. unknown: names of system calls that this libseccomp does
 * not know are appended, ", " between them.
 */
int seccomp_program(bool scoped, struct buffer *ret, struct buffer *unknown, struct error *err);

#endif
