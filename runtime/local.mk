# SPDX-License-Identifier: Apache-2.0
# cgpu-worker: the zygote and the workers, everything in the address space where cells run.
# Its malloc and its fixed addresses leave no room for a sanitizer: in such a build tests take the worker of TEST_LIBEXEC.
if !SANITIZERS
pkglibexec_PROGRAMS += cgpu-worker
check_PROGRAMS += test-worker test-zygote test-loader test-shadow
TESTS += test-worker test-zygote test-loader test-shadow
test_shadow_SOURCES = tests/unit/test-shadow.c %reldir%/memcheck/shadow.c
test_shadow_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_shadow_LDADD = libcommon.a $(CMOCKA_LIBS)
test_worker_programs = cgpu-worker$(EXEEXT) cgpu-compiler$(EXEEXT) $(emulator_library)
endif
# A variable a room, as runtime/README.md lists them; runtime/cuda has its own local.mk.
runtime_arena = \
	%reldir%/arena/allocator-in-place.c \
	%reldir%/arena/allocator-report.c \
	%reldir%/arena/allocator-state.h \
	%reldir%/arena/allocator.c %reldir%/arena/allocator.h \
	%reldir%/arena/arena.c %reldir%/arena/arena.h \
	%reldir%/arena/heap-scan.c %reldir%/arena/heap-scan.h \
	%reldir%/arena/layout-hash.h \
	%reldir%/arena/meta.c %reldir%/arena/meta.h \
	%reldir%/arena/page-runs.c %reldir%/arena/page-runs.h \
	%reldir%/arena/private-pages.c %reldir%/arena/private-pages.h
runtime_process = \
	%reldir%/process/cell-mode.c %reldir%/process/cell-mode.h \
	%reldir%/process/cell-stack.c %reldir%/process/cell-stack.h \
	%reldir%/process/children.c %reldir%/process/children.h \
	%reldir%/process/commit.c %reldir%/process/commit.h \
	%reldir%/process/context.c %reldir%/process/context.h \
	%reldir%/process/threads.c %reldir%/process/threads.h \
	%reldir%/process/tracked.c %reldir%/process/tracked.h \
	%reldir%/process/worker.c %reldir%/process/worker.h
runtime_loader = \
	%reldir%/loader/initials.c %reldir%/loader/initials.h \
	%reldir%/loader/load-link.c \
	%reldir%/loader/load-own.c \
	%reldir%/loader/load-place.c \
	%reldir%/loader/load-relocate.c \
	%reldir%/loader/load-same.c \
	%reldir%/loader/load-state.h \
	%reldir%/loader/load-tls.c \
	%reldir%/loader/load-users.c \
	%reldir%/loader/loader.c %reldir%/loader/loader.h \
	%reldir%/loader/object.c %reldir%/loader/object.h \
	%reldir%/loader/relocate-aarch64.c \
	%reldir%/loader/relocate-native.c \
	%reldir%/loader/relocate-x86-64.c \
	%reldir%/loader/relocate.h \
	%reldir%/loader/symbol-packages.c %reldir%/loader/symbol-packages.def %reldir%/loader/symbol-packages.h \
	%reldir%/loader/symbols.c %reldir%/loader/symbols.h \
	%reldir%/loader/thread-local-control.h \
	%reldir%/loader/units.c %reldir%/loader/units.h
runtime_faults = \
	%reldir%/faults/backtrace-fold.c %reldir%/faults/backtrace-fold.h \
	%reldir%/faults/backtrace.c %reldir%/faults/backtrace.h \
	%reldir%/faults/fault-cause.c %reldir%/faults/fault-cause.h \
	%reldir%/faults/host-fault.c %reldir%/faults/host-fault.h \
	%reldir%/faults/interrupt.c %reldir%/faults/interrupt.h \
	%reldir%/faults/leak-report.c %reldir%/faults/leak-report.h \
	%reldir%/faults/memory-report.c %reldir%/faults/memory-report.h
runtime_memcheck = \
	%reldir%/memcheck/callbacks.c %reldir%/memcheck/callbacks.h \
	%reldir%/memcheck/memcheck-libc.c %reldir%/memcheck/memcheck-libc.def %reldir%/memcheck/memcheck-libc.h \
	%reldir%/memcheck/memcheck.c %reldir%/memcheck/memcheck.h \
	%reldir%/memcheck/shadow.c %reldir%/memcheck/shadow.h
runtime_interpose = \
	%reldir%/interpose/fork-handlers.c %reldir%/interpose/fork-handlers.h \
	%reldir%/interpose/malloc.c
runtime_exports = \
	%reldir%/exports/at-exit.c %reldir%/exports/at-exit.h \
	%reldir%/exports/cell-stdio.c %reldir%/exports/cell-stdio.h \
	%reldir%/exports/cpp-runtime.c %reldir%/exports/cpp-runtime.h \
	%reldir%/exports/exports-checkpoint.c \
	%reldir%/exports/exports-display.c \
	%reldir%/exports/exports-memory.c \
	%reldir%/exports/exports-number.c \
	%reldir%/exports/exports-process.c \
	%reldir%/exports/exports-program.c \
	%reldir%/exports/exports-return.c \
	%reldir%/exports/exports-signal.c \
	%reldir%/exports/exports-sleep.c \
	%reldir%/exports/exports-stream.c \
	%reldir%/exports/exports-thread.c \
	%reldir%/exports/exports.c %reldir%/exports/exports.def %reldir%/exports/exports.h \
	%reldir%/exports/thread-local-aarch64.c \
	%reldir%/exports/thread-local.c %reldir%/exports/thread-local.h
runtime_worker = \
	%reldir%/worker/device-host.c %reldir%/worker/device-host.h \
	%reldir%/worker/landlock.c %reldir%/worker/landlock.h \
	%reldir%/worker/libraries.c %reldir%/worker/libraries.h \
	%reldir%/worker/sandbox-apply.c %reldir%/worker/sandbox-apply.h \
	%reldir%/worker/session-layout.c %reldir%/worker/session-layout.h \
	%reldir%/worker/session-processes.c %reldir%/worker/session-processes.h \
	%reldir%/worker/worker-park.c %reldir%/worker/worker-park.h \
	%reldir%/worker/worker-run.c %reldir%/worker/worker-run.h \
	%reldir%/worker/worker-serve.c %reldir%/worker/worker-serve.h \
	%reldir%/worker/worker-snapshot.c %reldir%/worker/worker-snapshot.h \
	%reldir%/worker/zygote.c %reldir%/worker/zygote.h
cgpu_worker_SOURCES = \
	$(runtime_arena) $(runtime_process) $(runtime_loader) $(runtime_faults) $(runtime_memcheck) $(runtime_interpose) $(runtime_exports) $(runtime_worker) \
	%reldir%/worker-main.c
if CUDA
cgpu_worker_SOURCES += %reldir%/interpose/dlopen-interposer.c
cuda_side = libcudaside.a
else
cgpu_worker_SOURCES += %reldir%/cuda/device-absent.c %reldir%/cuda/device.h %reldir%/cuda/source-text.h
cuda_side =
endif
cgpu_worker_CFLAGS = $(AM_CFLAGS) $(CUDA_CPPFLAGS) -fno-builtin-malloc
# libm and libdl are there for cells, whether the worker itself needs them or not.
cgpu_worker_LDFLAGS = -Wl,--export-dynamic -Wl,--exclude-libs,libcudaside.a -Wl,-z,now -Wl,--no-as-needed
cgpu_worker_LDADD = $(cuda_side) libcommon.a -lm -lpthread -ldl

# Tests start the built worker and compile their cells with the compiler of the build.
runtime_worker_flags = -DWORKER='"$(abs_top_builddir)/cgpu-worker$(EXEEXT)"' -DCC='"$(CC)"' -DCXX='"$(CXX)"' \
	-DCLANG='"$(LLVM_LIBDIR)/../bin/clang"'
runtime_harness = tests/unit/worker-harness.c tests/unit/worker-harness.h
test_worker_SOURCES = tests/unit/test-worker.c $(runtime_harness)
test_worker_CPPFLAGS = $(AM_CPPFLAGS) $(runtime_worker_flags)
test_worker_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_worker_LDADD = libcommon.a $(CMOCKA_LIBS)
test_worker_DEPENDENCIES = libcommon.a cgpu-worker$(EXEEXT)
test_loader_SOURCES = tests/unit/test-loader.c $(runtime_harness)
test_loader_CPPFLAGS = $(AM_CPPFLAGS) $(runtime_worker_flags)
test_loader_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_loader_LDADD = libcommon.a $(CMOCKA_LIBS)
test_loader_DEPENDENCIES = libcommon.a cgpu-worker$(EXEEXT)
test_zygote_SOURCES = tests/unit/test-zygote.c $(runtime_harness)
test_zygote_CPPFLAGS = $(AM_CPPFLAGS) $(runtime_worker_flags)
test_zygote_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_zygote_LDADD = libcommon.a $(CMOCKA_LIBS)
test_zygote_DEPENDENCIES = libcommon.a cgpu-worker$(EXEEXT)

# The loader on the other machine: built by a cross compiler, run by qemu's user mode. Where these are missing, bootstrap's
# `test` installs them.
if AARCH64_TEST
check_PROGRAMS += test-aarch64
TESTS += test-aarch64
aarch64_host = aarch64-host$(EXEEXT)
aarch64_host_sources = tests/unit/aarch64-host.c $(runtime_arena) $(runtime_loader) \
	%reldir%/exports/at-exit.c %reldir%/exports/thread-local.c %reldir%/exports/thread-local-aarch64.c \
	common/buffer.c common/demangle.c common/error.c common/mem-pool.c common/pagemap-scan.c common/record.c common/unit.c common/whole-io.c
CLEANFILES += $(aarch64_host)
$(aarch64_host): $(aarch64_host_sources)
	$(AM_V_CC)for f in $(aarch64_host_sources); do case $$f in *.c) set "$$@" $(top_srcdir)/$$f; esac; done; \
	$(AARCH64_CC) -static -std=gnu17 -O1 -g -D'ARENA_HEAP_SIZE=(64*MIB)' -I$(top_srcdir) -I. \
		-Wl,--wrap=thread_local_index_address -o $@ "$$@"
test_aarch64_SOURCES = tests/unit/test-aarch64.c
test_aarch64_CPPFLAGS = $(AM_CPPFLAGS) $(runtime_worker_flags) -DAARCH64_CC='"$(AARCH64_CC)"' -DQEMU='"$(QEMU_AARCH64)"' \
	-DREGISTERS='"$(abs_top_srcdir)/tests/unit/aarch64-registers.c"' \
	-DHOST='"$(abs_top_builddir)/$(aarch64_host)"'
test_aarch64_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_aarch64_LDADD = libcommon.a $(CMOCKA_LIBS)
test_aarch64_DEPENDENCIES = libcommon.a $(aarch64_host)
endif
EXTRA_DIST += tests/unit/aarch64-host.c tests/unit/aarch64-registers.c

# Parts that can be tested in the test's own process.
check_LIBRARIES += libruntime-arena.a
libruntime_arena_a_SOURCES = $(runtime_arena)
libruntime_arena_a_CFLAGS = $(AM_CFLAGS) $(SANITIZE_CFLAGS)
check_PROGRAMS += test-arena test-allocator test-relocate test-backtrace-fold
TESTS += test-arena test-allocator test-relocate test-backtrace-fold
test_backtrace_fold_SOURCES = tests/unit/test-backtrace-fold.c %reldir%/faults/backtrace-fold.c
test_backtrace_fold_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_backtrace_fold_LDADD = $(CMOCKA_LIBS)
test_arena_SOURCES = tests/unit/test-arena.c
test_arena_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_arena_LDADD = libruntime-arena.a libcommon.a $(CMOCKA_LIBS)
test_allocator_SOURCES = tests/unit/test-allocator.c
test_allocator_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_allocator_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=arena_grow
test_allocator_LDADD = libruntime-arena.a libcommon.a $(CMOCKA_LIBS)
test_relocate_SOURCES = \
	tests/unit/test-relocate.c $(runtime_harness) \
	%reldir%/loader/object.c %reldir%/loader/relocate-aarch64.c %reldir%/loader/relocate-x86-64.c
test_relocate_CPPFLAGS = $(AM_CPPFLAGS) $(runtime_worker_flags)
test_relocate_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_relocate_LDADD = libcommon.a $(CMOCKA_LIBS)
