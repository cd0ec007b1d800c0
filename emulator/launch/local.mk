# SPDX-License-Identifier: Apache-2.0
libmachine_a_SOURCES += \
	%reldir%/block.c %reldir%/block.h \
	%reldir%/grid.c %reldir%/grid.h \
	%reldir%/machine-launch.c %reldir%/machine-launch.h \
	%reldir%/machine-pool.c %reldir%/machine-pool.h \
	%reldir%/observer-run.c %reldir%/observer-run.h \
	%reldir%/stall.c %reldir%/stall.h

check_PROGRAMS += test-machine-faults
TESTS += test-machine-faults
test_machine_faults_SOURCES = tests/unit/test-machine-faults.c tests/unit/machine.h
test_machine_faults_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_machine_faults_LDADD = $(MACHINE_TEST_LIBS)
