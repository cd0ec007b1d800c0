# SPDX-License-Identifier: Apache-2.0
# cgpu-worker: the zygote and the workers, everything in the address space where cells run.
# Its malloc and its fixed addresses leave no room for a sanitizer: in such a build tests take the worker of TEST_LIBEXEC.
if !SANITIZERS
pkglibexec_PROGRAMS += cgpu-worker
check_PROGRAMS += test-worker test-zygote test-loader test-shadow
TESTS += test-worker test-zygote test-loader test-shadow
test_shadow_SOURCES = tests/unit/runtime/test-shadow.c %reldir%/memcheck/shadow.c
test_shadow_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_shadow_LDADD = libcommon.a $(CMOCKA_LIBS)
test_worker_programs = cgpu-worker$(EXEEXT) cgpu-compiler$(EXEEXT) cgpu-presenter$(EXEEXT) $(emulator_library)
endif
cgpu_worker_SOURCES = $(runtime_arena_sources) $(runtime_process_sources) $(runtime_loader_sources) \
	$(runtime_faults_sources) $(runtime_debugger_sources) $(runtime_memcheck_sources) $(runtime_display_sources) $(runtime_widgets_sources) \
	$(runtime_exports_sources) $(runtime_worker_sources) \
	%reldir%/interpose/fork-handlers.c %reldir%/interpose/fork-handlers.h %reldir%/interpose/malloc.c \
	%reldir%/worker-main.c
if CUDA
cgpu_worker_SOURCES += %reldir%/interpose/dlopen-interposer.c
cuda_side = libcudaside.a
else
cgpu_worker_SOURCES += %reldir%/cuda/device-absent.c %reldir%/cuda/device.h %reldir%/cuda/driver/device-host.h
cuda_side =
endif
cgpu_worker_CFLAGS = $(AM_CFLAGS) $(CUDA_CPPFLAGS) -fno-builtin-malloc
# libm and libdl are there for cells, whether the worker itself needs them or not.
cgpu_worker_LDFLAGS = -Wl,--export-dynamic -Wl,--exclude-libs,libcudaside.a -Wl,-z,now -Wl,--no-as-needed
cgpu_worker_LDADD = $(cuda_side) libcommon.a -lm -lpthread -ldl

# Tests start the built worker and compile their cells with the compiler of the build.
runtime_worker_flags = -DWORKER='"$(abs_top_builddir)/cgpu-worker$(EXEEXT)"' -DCC='"$(CC)"' -DCXX='"$(CXX)"' \
	-DCLANG='"$(LLVM_LIBDIR)/../bin/clang"'
runtime_harness = tests/unit/runtime/worker-harness.c tests/unit/runtime/worker-harness.h
test_worker_SOURCES = tests/unit/runtime/test-worker.c $(runtime_harness)
test_worker_CPPFLAGS = $(AM_CPPFLAGS) $(runtime_worker_flags)
test_worker_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_worker_LDADD = libcommon.a $(CMOCKA_LIBS)
test_worker_DEPENDENCIES = libcommon.a cgpu-worker$(EXEEXT)
test_loader_SOURCES = tests/unit/runtime/test-loader.c $(runtime_harness)
test_loader_CPPFLAGS = $(AM_CPPFLAGS) $(runtime_worker_flags)
test_loader_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_loader_LDADD = libcommon.a $(CMOCKA_LIBS)
test_loader_DEPENDENCIES = libcommon.a cgpu-worker$(EXEEXT)
test_zygote_SOURCES = tests/unit/runtime/test-zygote.c $(runtime_harness)
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
aarch64_host_sources = tests/unit/runtime/aarch64-host.c $(runtime_arena_sources) $(runtime_loader_sources) \
	%reldir%/exports/at-exit.c %reldir%/exports/thread-local.c %reldir%/exports/thread-local-aarch64.c \
	common/base/buffer.c common/text/demangle.c common/base/error.c common/base/mem-pool.c common/text/names.c common/memory/file-data.c common/memory/pagemap-scan.c common/base/record.c common/code/unit.c common/base/whole-io.c
CLEANFILES += $(aarch64_host)
$(aarch64_host): $(aarch64_host_sources)
	$(AM_V_CC)for f in $(aarch64_host_sources); do case $$f in *.c) set "$$@" $(top_srcdir)/$$f; esac; done; \
	$(AARCH64_CC) -static -std=gnu17 -O1 -g -D'ARENA_HEAP_SIZE=(64*MIB)' -I$(top_srcdir) -I. \
		-Wl,--wrap=thread_local_index_address -o $@ "$$@"
test_aarch64_SOURCES = tests/unit/runtime/test-aarch64.c
test_aarch64_CPPFLAGS = $(AM_CPPFLAGS) $(runtime_worker_flags) -DAARCH64_CC='"$(AARCH64_CC)"' -DQEMU='"$(QEMU_AARCH64)"' \
	-DREGISTERS='"$(abs_top_srcdir)/tests/unit/runtime/aarch64-registers.c"' \
	-DHOST='"$(abs_top_builddir)/$(aarch64_host)"'
test_aarch64_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_aarch64_LDADD = libcommon.a $(CMOCKA_LIBS)
test_aarch64_DEPENDENCIES = libcommon.a $(aarch64_host)
endif
EXTRA_DIST += tests/unit/runtime/aarch64-host.c tests/unit/runtime/aarch64-registers.c

# Parts that can be tested in the test's own process.
check_LIBRARIES += libruntime-arena.a
libruntime_arena_a_SOURCES = $(runtime_arena_sources)
libruntime_arena_a_CFLAGS = $(AM_CFLAGS) $(SANITIZE_CFLAGS)
check_PROGRAMS += test-arena test-allocator test-relocate test-backtrace-fold
TESTS += test-arena test-allocator test-relocate test-backtrace-fold
test_backtrace_fold_SOURCES = tests/unit/runtime/test-backtrace-fold.c %reldir%/faults/backtrace-fold.c
test_backtrace_fold_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_backtrace_fold_LDADD = $(CMOCKA_LIBS)
test_arena_SOURCES = tests/unit/runtime/test-arena.c
test_arena_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_arena_LDADD = libruntime-arena.a libcommon.a $(CMOCKA_LIBS)
test_allocator_SOURCES = tests/unit/runtime/test-allocator.c
test_allocator_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_allocator_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=arena_grow
test_allocator_LDADD = libruntime-arena.a libcommon.a $(CMOCKA_LIBS)
test_relocate_SOURCES = \
	tests/unit/runtime/test-relocate.c $(runtime_harness) \
	%reldir%/loader/object.c %reldir%/loader/relocate-aarch64.c %reldir%/loader/relocate-x86-64.c
test_relocate_CPPFLAGS = $(AM_CPPFLAGS) $(runtime_worker_flags)
test_relocate_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_relocate_LDADD = libcommon.a $(CMOCKA_LIBS)
