# SPDX-License-Identifier: Apache-2.0
libmachine_a_SOURCES += $(emulator_profile_sources)

check_PROGRAMS += test-tally
TESTS += test-tally
test_tally_SOURCES = tests/unit/emulator/test-tally.c tests/unit/emulator/machine.h
test_tally_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_tally_LDADD = $(MACHINE_TEST_LIBS)
