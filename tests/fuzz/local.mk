# SPDX-License-Identifier: Apache-2.0
# The fuzz targets: test-fuzz with all of them among the unit tests, and fuzz for libFuzzer, which `./bootstrap fuzz` makes with clang.
fuzz_sources = %reldir%/fuzz.c %reldir%/fuzz.h %reldir%/targets.def \
	%reldir%/target-blocks.c %reldir%/target-comm.c %reldir%/target-connection.c %reldir%/target-debug.c %reldir%/target-declarations.c \
	%reldir%/target-device.c %reldir%/target-expression.c %reldir%/target-history.c %reldir%/target-ipc.c %reldir%/target-magic.c %reldir%/target-package.c \
	%reldir%/target-parts.c %reldir%/target-profile.c \
	%reldir%/target-ring.c %reldir%/target-share.c %reldir%/target-snapshot.c %reldir%/target-trace.c %reldir%/target-unit.c \
	%reldir%/target-units.c %reldir%/target-value.c %reldir%/target-wire.c %reldir%/value-input.c %reldir%/value-input.h \
	kernel/history/history-file.c kernel/presenter/debug-layout.c kernel/presenter/debug-value.c kernel/presenter/session-view.c kernel/presenter/unit-debug.c \
	runtime/widgets/json-object.c \
	$(compiler_packages_sources)
fuzz_cppflags = $(SESSION_CPPFLAGS) $(SQLITE_CFLAGS) $(DW_CFLAGS) $(PKGCONF_CFLAGS) $(ELF_CFLAGS) \
	-DCGPU_LLVM_MAJOR='"$(LLVM_VERSION_MAJOR)"' -DCGPU_LLVM_LIBDIR='"$(LLVM_LIBDIR)"' -DDEBUG_SEED='"$(abs_top_builddir)/%reldir%/debug-seed.o"' \
	-DPTX_SEEDS='"$(abs_top_srcdir)/%reldir%/ptx-seeds"'
fuzz_libs = $(SESSION_LIBS) $(SQLITE_LIBS) $(DW_LIBS) $(PKGCONF_LIBS) $(ELF_LIBS)
if CUDA
fuzz_sources += %reldir%/target-ptx.c
fuzz_cppflags += -DFUZZ_CUDA
fuzz_libs += $(MACHINE_TEST_LIBS)
endif

check_PROGRAMS += test-fuzz
TESTS += test-fuzz
test_fuzz_SOURCES = %reldir%/test-fuzz.c $(fuzz_sources)
test_fuzz_CPPFLAGS = $(fuzz_cppflags)
test_fuzz_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_fuzz_LDADD = $(fuzz_libs) $(CMOCKA_LIBS)
EXTRA_test_fuzz_DEPENDENCIES = %reldir%/debug-seed.o

# All debugging information, whatever the flags of the tree are.
%reldir%/debug-seed.o: %reldir%/debug-seed.c
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(CC) -g -O0 -c -o $@ $<
CLEANFILES += %reldir%/debug-seed.o

EXTRA_PROGRAMS += fuzz
fuzz_SOURCES = %reldir%/libfuzzer.c $(fuzz_sources)
fuzz_CPPFLAGS = $(fuzz_cppflags)
fuzz_CFLAGS = $(AM_CFLAGS)
fuzz_LDFLAGS = -fsanitize=fuzzer
fuzz_LDADD = $(fuzz_libs)
EXTRA_fuzz_DEPENDENCIES = %reldir%/debug-seed.o
EXTRA_DIST += %reldir%/cells.py %reldir%/debug-seed.c %reldir%/ptx-seeds
