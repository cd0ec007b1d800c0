# SPDX-License-Identifier: Apache-2.0
libmachine_a_SOURCES += \
	%reldir%/machine-limits.h \
	%reldir%/matrix.c %reldir%/matrix.h \
	%reldir%/ptx-code-address.c %reldir%/ptx-code-address.h \
	%reldir%/ptx-lines.c %reldir%/ptx-lines.h \
	%reldir%/ptx-module.c %reldir%/ptx-module.h \
	%reldir%/ptx-module-load.c \
	%reldir%/ptx-opcodes.def \
	%reldir%/ptx-ops.h \
	%reldir%/ptx-parse-body.c %reldir%/ptx-parse-module.c %reldir%/ptx-parse-variable.c \
	%reldir%/ptx-parser.c %reldir%/ptx-parser.h \
	%reldir%/ptx-program.c %reldir%/ptx-program.h \
	%reldir%/ptx-shared.c %reldir%/ptx-shared.h \
	%reldir%/ptx-syntax.h \
	%reldir%/ptx-syscall.c %reldir%/ptx-syscall.h \
	%reldir%/syscalls.def

check_PROGRAMS += test-ptx-module
TESTS += test-ptx-module
test_ptx_module_SOURCES = tests/unit/test-ptx-module.c tests/unit/machine.h
test_ptx_module_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_ptx_module_LDADD = $(MACHINE_TEST_LIBS)
