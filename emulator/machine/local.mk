# SPDX-License-Identifier: Apache-2.0
# libmachine.a runs PTX. Files with vector loops are compiled once for each instruction set; core.c picks a copy.
noinst_LIBRARIES += libmachine.a libmachine-baseline.a
MACHINE_LIBS = libmachine.a libmachine-baseline.a
MACHINE_CFLAGS = $(AM_CFLAGS) -fPIC $(SANITIZE_CFLAGS) -fwrapv -fno-strict-aliasing -fno-math-errno \
	-fno-trapping-math -ffp-contract=off -pthread
VECTOR_CFLAGS = $(MACHINE_CFLAGS) -ftree-vectorize $(VECTOR_COST_CFLAGS)
MACHINE_VECTOR_SOURCES = \
	%reldir%/address-rows.c %reldir%/address-rows.h \
	%reldir%/exec-compare.c \
	%reldir%/exec-convert.c \
	%reldir%/exec-float.c \
	%reldir%/exec-half.c \
	%reldir%/exec-integer.c \
	%reldir%/exec-logic.c \
	%reldir%/exec-memory.c

libmachine_a_SOURCES = \
	emulator/check/place.c emulator/check/place.h \
	emulator/check/sync.c emulator/check/sync.h \
	emulator/check/race.c emulator/check/race.h emulator/check/race-state.h \
	emulator/check/race-global.c emulator/check/race-pages.c emulator/check/race-pages.h \
	emulator/check/race-ahead.c emulator/check/race-form.c emulator/check/race-form.h emulator/check/race-plan.c emulator/check/race-plan.h \
	emulator/check/race-report.c emulator/check/race-shared.c emulator/check/race-store.c emulator/check/race-store.h \
	%reldir%/access.c %reldir%/access.h \
	%reldir%/barrier.c \
	%reldir%/code-image.c %reldir%/code-image.h \
	%reldir%/core.c \
	%reldir%/cta.c %reldir%/cta.h \
	%reldir%/elf-writer.c %reldir%/elf-writer.h \
	%reldir%/exec.h \
	%reldir%/exec-async.c \
	%reldir%/exec-atomic.c \
	%reldir%/exec-control.c \
	%reldir%/exec-image.c \
	%reldir%/exec-matrix.c \
	%reldir%/exec-special.c \
	%reldir%/exec-video.c \
	%reldir%/exec-warp.c \
	%reldir%/fault-address.c %reldir%/fault-address.h \
	%reldir%/function-name.c %reldir%/function-name.h \
	%reldir%/gpu-fault.c %reldir%/gpu-fault.h %reldir%/gpu-faults.def \
	%reldir%/grid.c \
	%reldir%/hot.c %reldir%/hot.h \
	%reldir%/image.c %reldir%/image.h \
	%reldir%/lane-halves.h %reldir%/lane-math.h \
	%reldir%/machine.h %reldir%/machine-limits.h \
	%reldir%/matrix.c %reldir%/matrix.h \
	%reldir%/machine-pool.c %reldir%/machine-pool.h \
	%reldir%/observer.c %reldir%/observer.h \
	%reldir%/register-value.c %reldir%/register-value.h \
	%reldir%/shadow.c %reldir%/shadow.h \
	%reldir%/source-line.c %reldir%/source-line.h \
	%reldir%/stall.c %reldir%/stall.h \
	%reldir%/state-space.c \
	%reldir%/device-launch.c %reldir%/device-launch.h \
	%reldir%/syscall.c \
	%reldir%/taint.c %reldir%/taint.h \
	%reldir%/taint-rules.c %reldir%/taint-rules.h \
	%reldir%/warp.c %reldir%/warp.h
libmachine_a_CFLAGS = $(MACHINE_CFLAGS)

libmachine_baseline_a_SOURCES = $(MACHINE_VECTOR_SOURCES)
libmachine_baseline_a_CPPFLAGS = $(AM_CPPFLAGS) -DCORE=baseline
libmachine_baseline_a_CFLAGS = $(VECTOR_CFLAGS)

if X86_64
noinst_LIBRARIES += libmachine-avx2.a libmachine-avx512.a
MACHINE_LIBS += libmachine-avx2.a libmachine-avx512.a
libmachine_avx2_a_SOURCES = $(MACHINE_VECTOR_SOURCES)
libmachine_avx2_a_CPPFLAGS = $(AM_CPPFLAGS) -DCORE=avx2
libmachine_avx2_a_CFLAGS = $(VECTOR_CFLAGS) -mavx2 -mfma -mf16c -mbmi2 -mlzcnt -mpopcnt
libmachine_avx512_a_SOURCES = $(MACHINE_VECTOR_SOURCES)
libmachine_avx512_a_CPPFLAGS = $(AM_CPPFLAGS) -DCORE=avx512
libmachine_avx512_a_CFLAGS = $(VECTOR_CFLAGS) -march=x86-64-v4
endif

MACHINE_TESTS = test-address-rows test-machine-access test-machine-faults test-machine-matrix test-machine-warps \
	test-machine-shadow test-machine-taint test-observer test-race test-race-random test-sync test-ptx-census test-ptx-module test-ptx-peephole
check_PROGRAMS += $(MACHINE_TESTS) test-machine-opcodes
TESTS += $(MACHINE_TESTS)
MACHINE_TEST_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS) -pthread
MACHINE_TEST_LIBS = $(MACHINE_LIBS) libcommon.a $(CMOCKA_LIBS) -lm
test_address_rows_SOURCES = tests/unit/test-address-rows.c
test_address_rows_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_address_rows_LDADD = $(MACHINE_TEST_LIBS)
test_machine_access_SOURCES = tests/unit/test-machine-access.c tests/unit/machine.h
test_machine_access_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_machine_access_LDADD = $(MACHINE_TEST_LIBS)
test_machine_faults_SOURCES = tests/unit/test-machine-faults.c tests/unit/machine.h
test_machine_faults_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_machine_faults_LDADD = $(MACHINE_TEST_LIBS)
test_machine_opcodes_SOURCES = tests/unit/test-machine-opcodes.c tests/unit/machine.h
test_machine_opcodes_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_machine_opcodes_LDADD = $(MACHINE_TEST_LIBS)
test_machine_opcodes_DEPENDENCIES = $(MACHINE_LIBS) libcommon.a cgpu-hot.so
# The expected results are made here, not kept: that takes a second.
EXTRA_DIST += tests/ptx/make-opcode-vectors.py
CLEANFILES += tests/ptx/opcode-vectors.def
tests/unit/test_machine_opcodes-test-machine-opcodes.$(OBJEXT): tests/ptx/opcode-vectors.def
tests/ptx/opcode-vectors.def: $(top_srcdir)/tests/ptx/make-opcode-vectors.py
	$(AM_V_GEN)$(MKDIR_P) tests/ptx && python3 $(top_srcdir)/tests/ptx/make-opcode-vectors.py $@
test_machine_matrix_SOURCES = tests/unit/test-machine-matrix.c tests/unit/machine.h
test_machine_matrix_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_machine_matrix_LDADD = $(MACHINE_TEST_LIBS)
test_machine_shadow_SOURCES = tests/unit/test-machine-shadow.c
test_machine_shadow_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_machine_shadow_LDADD = $(MACHINE_TEST_LIBS)
test_machine_taint_SOURCES = tests/unit/test-machine-taint.c tests/unit/machine.h
test_machine_taint_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_machine_taint_LDADD = $(MACHINE_TEST_LIBS)
test_machine_warps_SOURCES = tests/unit/test-machine-warps.c tests/unit/machine.h
test_machine_warps_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_machine_warps_LDADD = $(MACHINE_TEST_LIBS)
test_observer_SOURCES = tests/unit/test-observer.c tests/unit/machine.h
test_observer_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_observer_LDADD = $(MACHINE_TEST_LIBS)
test_sync_SOURCES = tests/unit/test-sync.c tests/unit/machine.h
test_sync_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_sync_LDADD = $(MACHINE_TEST_LIBS)
test_race_SOURCES = tests/unit/test-race.c tests/unit/machine.h
test_race_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_race_LDADD = $(MACHINE_TEST_LIBS)
test_race_random_SOURCES = tests/unit/test-race-random.c tests/unit/machine.h
test_race_random_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_race_random_LDADD = $(MACHINE_TEST_LIBS)
test_ptx_census_SOURCES = tests/unit/test-ptx-census.c tests/unit/machine.h \
	tests/ptx/census-forms.def tests/ptx/more-forms.def
test_ptx_census_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_ptx_census_LDADD = $(MACHINE_TEST_LIBS)
test_ptx_module_SOURCES = tests/unit/test-ptx-module.c tests/unit/machine.h
test_ptx_module_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_ptx_module_LDADD = $(MACHINE_TEST_LIBS)
test_ptx_peephole_SOURCES = tests/unit/test-ptx-peephole.c tests/unit/machine.h
test_ptx_peephole_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_ptx_peephole_LDADD = $(MACHINE_TEST_LIBS)

# make bench-emulator: the shapes of benchmarks/emulator/ beside pocl, which is needed for nothing else. The program stands
# beside the compiler of hot code, where the machine looks for that.
EXTRA_PROGRAMS += against-pocl
against_pocl_SOURCES = \
	benchmarks/emulator/against-pocl.c \
	benchmarks/emulator/machine-side.c \
	benchmarks/emulator/pocl-side.c \
	benchmarks/emulator/shapes.c benchmarks/emulator/shapes.h
nodist_EXTRA_against_pocl_SOURCES = linked-by-c++.cc
against_pocl_LDFLAGS = $(cgpu_compiler_LDFLAGS)
against_pocl_LDADD = $(MACHINE_LIBS) $(COMPILER_LIBS) -lOpenCL
against_pocl_DEPENDENCIES = $(MACHINE_LIBS) libcompiler.a libcommon.a cgpu-hot.so

bench-emulator: against-pocl$(EXEEXT)
	CGPU_PRELUDE=compiler/include ./against-pocl$(EXEEXT) $(top_srcdir)/benchmarks/emulator

# make bench-checks: what checks cost.
EXTRA_PROGRAMS += benchmarks/emulator/check-cost
benchmarks_emulator_check_cost_SOURCES = \
	benchmarks/emulator/check-cost.c \
	benchmarks/emulator/machine-side.c \
	benchmarks/emulator/shapes.c benchmarks/emulator/shapes.h
nodist_EXTRA_benchmarks_emulator_check_cost_SOURCES = linked-by-c++.cc
benchmarks_emulator_check_cost_LDFLAGS = $(cgpu_compiler_LDFLAGS)
benchmarks_emulator_check_cost_LDADD = $(MACHINE_LIBS) $(COMPILER_LIBS)

bench-checks: benchmarks/emulator/check-cost$(EXEEXT)
	CGPU_PRELUDE=compiler/include benchmarks/emulator/check-cost$(EXEEXT) $(top_srcdir)/benchmarks/emulator

.PHONY: bench-checks bench-emulator
