# SPDX-License-Identifier: Apache-2.0
# Files with vector loops are compiled once for each instruction set; core.c picks a copy.
MACHINE_VECTOR_SOURCES = \
	%reldir%/address-rows.c %reldir%/address-rows.h \
	%reldir%/exec-compare.c \
	%reldir%/exec-convert.c \
	%reldir%/exec-float.c \
	%reldir%/exec-half.c \
	%reldir%/exec-integer.c \
	%reldir%/exec-logic.c \
	%reldir%/exec-memory.c

libmachine_a_SOURCES += \
	%reldir%/barrier.c %reldir%/barrier.h \
	%reldir%/core.c %reldir%/core.h \
	%reldir%/exec-async.c \
	%reldir%/exec-atomic.c \
	%reldir%/exec-control.c \
	%reldir%/exec-image.c \
	%reldir%/exec-matrix.c \
	%reldir%/exec-special.c \
	%reldir%/exec-video.c \
	%reldir%/exec-warp.c %reldir%/exec-warp.h \
	%reldir%/matrix-multiply.c %reldir%/matrix-multiply.h \
	%reldir%/warp-call.c %reldir%/warp-call.h

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

check_PROGRAMS += test-address-rows test-machine-matrix test-machine-opcodes
TESTS += test-address-rows test-machine-matrix
test_address_rows_SOURCES = tests/unit/emulator/test-address-rows.c
test_address_rows_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_address_rows_LDADD = $(MACHINE_TEST_LIBS)
test_machine_matrix_SOURCES = tests/unit/emulator/test-machine-matrix.c tests/unit/emulator/machine.h
test_machine_matrix_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_machine_matrix_LDADD = $(MACHINE_TEST_LIBS)
test_machine_opcodes_SOURCES = tests/unit/emulator/test-machine-opcodes.c tests/unit/emulator/machine.h \
	tests/ptx/opcode-entry.c tests/ptx/opcode-entry.h
test_machine_opcodes_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_machine_opcodes_LDADD = $(MACHINE_TEST_LIBS)
test_machine_opcodes_DEPENDENCIES = $(MACHINE_LIBS) libcommon.a cgpu-hot.so
# The expected results are made here, not kept: that takes a second.
EXTRA_DIST += tests/ptx/make-opcode-vectors.py
CLEANFILES += tests/ptx/opcode-vectors.def
tests/ptx/test_machine_opcodes-opcode-entry.$(OBJEXT): tests/ptx/opcode-vectors.def
tests/ptx/opcode-vectors.def: $(top_srcdir)/tests/ptx/make-opcode-vectors.py
	$(AM_V_GEN)$(MKDIR_P) tests/ptx && python3 $(top_srcdir)/tests/ptx/make-opcode-vectors.py $@
