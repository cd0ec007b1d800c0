# SPDX-License-Identifier: Apache-2.0
libmachine_a_SOURCES += $(emulator_warp_sources)

check_PROGRAMS += test-machine-warps test-observer
TESTS += test-observer
test_machine_warps_SOURCES = tests/unit/emulator/test-machine-warps.c tests/unit/emulator/machine.h
test_machine_warps_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_machine_warps_LDADD = $(MACHINE_TEST_LIBS)
test_observer_SOURCES = tests/unit/emulator/test-observer.c tests/unit/emulator/machine.h
test_observer_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_observer_LDADD = $(MACHINE_TEST_LIBS)
