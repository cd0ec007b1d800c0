/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that a unit may link to, and our versions of libc functions that would otherwise end or
 * confuse the session.
 */
#ifndef CGPU_RUNTIME_EXPORTS_EXPORTS_H
#define CGPU_RUNTIME_EXPORTS_EXPORTS_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* Address of a name for a unit: runtime/exports/exports.def, the CUDA runtime, the loaded
 * libraries; 0: nobody has it. */
uint64_t exports_find(const char *name);

/* exports-process.c */
_Noreturn void exports_exit(int status);
_Noreturn void exports_quick_exit(int status);
_Noreturn void exports_exit_now(int status);
int exports_atexit(void (*fn)(void));
int exports_cxa_atexit(void (*fn)(void *arg), void *arg, void *dso);
_Noreturn void exports_assert_fail(const char *what, const char *file, unsigned line,
				   const char *function);
_Noreturn void exports_stack_smashed(void);
pid_t exports_fork(void);
int exports_system(const char *command);

/* exports-program.c */
/* Call main as a program and show its exit status. */
int exports_program(void *start, int gives_status, int argc, char **argv);
/* The same, for a main() that gives a status, without showing it. */
int exports_program_quietly(void *start, int argc, char **argv);
/* Does this thread run main() for %run? Then exit() is this. */
bool exports_program_runs_here(void);
_Noreturn void exports_program_end(int status);
/* How many functions were registered before it began. */
unsigned exports_program_handlers(void);

/* exports-thread.c */
int exports_pthread_create(pthread_t *ret, const pthread_attr_t *attr, void *(*fn)(void *),
			   void *arg);
int exports_thrd_create(thrd_t *ret, thrd_start_t fn, void *arg);
/* Run a function of the cell in a thread that a library of ours has made, as in one that the cell
 * has made. */
void exports_thread_call(void (*fn)(void *data), void *data);

/* exports-sleep.c */
int exports_clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted,
			    struct timespec *ret_left);
int exports_nanosleep(const struct timespec *wanted, struct timespec *ret_left);
int exports_usleep(useconds_t us);
unsigned exports_sleep(unsigned seconds);
int exports_thrd_sleep(const struct timespec *wanted, struct timespec *ret_left);

/* exports-return.c */
void exports_returns(void);
void exports_end_if_returned(void);
/* Calls fn, which such a `return` ends. */
void exports_call_until_return(void (*fn)(void *data), void *data);

/* exports-memory.c */
int exports_madvise(void *address, size_t size, int advice);

/* exports-signal.c */
typedef void exports_handler(int signal);
exports_handler *exports_signal(int signal, exports_handler *handler);
int exports_sigaction(int signal, const struct sigaction *action, struct sigaction *ret_old);
int exports_sigprocmask(int how, const sigset_t *set, sigset_t *ret_old);

/* exports-stream.c */
FILE *exports_fopen(const char *path, const char *mode);
FILE *exports_fdopen(int fd, const char *mode);
FILE *exports_freopen(const char *path, const char *mode, FILE *f);
FILE *exports_tmpfile(void);
FILE *exports_popen(const char *command, const char *mode);
int exports_fclose(FILE *f);
int exports_pclose(FILE *f);
int exports_setvbuf(FILE *f, char *buffer, int mode, size_t size);
void exports_setbuf(FILE *f, char *buffer);
void exports_setlinebuf(FILE *f);
void *exports_dlopen(const char *path, int flags);
int exports_dlclose(void *handle);
void exports_display_value(const char *type, const char *type_code, const void *object,
			   unsigned long size);

/* exports-checkpoint.c */
int exports_checkpoint(void);

/* exports-timing.c */
struct cgpu_timing;
/* Takes the time of the round that has ended; 0: it was the last one, and the result is shown. */
int exports_timing_next(struct cgpu_timing *t);

/* exports-number.c: conversions to __bf16, which this project's compiler may not know. */
typedef int16_t exports_bfloat16 __attribute__((vector_size(16)));
exports_bfloat16 exports_truncsfbf2(float f);
exports_bfloat16 exports_truncdfbf2(double d);

#endif
