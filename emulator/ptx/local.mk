# SPDX-License-Identifier: Apache-2.0
libmachine_a_SOURCES += $(emulator_ptx_sources)

check_PROGRAMS += test-ptx-module
TESTS += test-ptx-module
test_ptx_module_SOURCES = tests/unit/emulator/test-ptx-module.c tests/unit/emulator/machine.h
test_ptx_module_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_ptx_module_LDADD = $(MACHINE_TEST_LIBS)
