# SPDX-License-Identifier: Apache-2.0
libmachine_a_SOURCES += $(emulator_launch_sources)

check_PROGRAMS += test-machine-faults
TESTS += test-machine-faults
test_machine_faults_SOURCES = tests/unit/emulator/test-machine-faults.c tests/unit/emulator/machine.h
test_machine_faults_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_machine_faults_LDADD = $(MACHINE_TEST_LIBS)
