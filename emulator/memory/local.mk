# SPDX-License-Identifier: Apache-2.0
libmachine_a_SOURCES += $(emulator_memory_sources)

check_PROGRAMS += test-machine-access test-machine-shadow test-machine-taint
TESTS += test-machine-access test-machine-shadow test-machine-taint
test_machine_access_SOURCES = tests/unit/emulator/test-machine-access.c tests/unit/emulator/machine.h
test_machine_access_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_machine_access_LDADD = $(MACHINE_TEST_LIBS)
test_machine_shadow_SOURCES = tests/unit/emulator/test-machine-shadow.c
test_machine_shadow_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_machine_shadow_LDADD = $(MACHINE_TEST_LIBS)
test_machine_taint_SOURCES = tests/unit/emulator/test-machine-taint.c tests/unit/emulator/machine.h
test_machine_taint_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_machine_taint_LDADD = $(MACHINE_TEST_LIBS)
