# SPDX-License-Identifier: Apache-2.0
libmachine_a_SOURCES += $(emulator_check_sources)

check_PROGRAMS += test-race test-race-random test-sync
TESTS += test-race test-race-random test-sync
test_race_SOURCES = tests/unit/emulator/test-race.c tests/unit/emulator/machine.h
test_race_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_race_LDADD = $(MACHINE_TEST_LIBS)
test_race_random_SOURCES = tests/unit/emulator/test-race-random.c tests/unit/emulator/machine.h
test_race_random_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_race_random_LDADD = $(MACHINE_TEST_LIBS)
test_sync_SOURCES = tests/unit/emulator/test-sync.c tests/unit/emulator/machine.h
test_sync_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_sync_LDADD = $(MACHINE_TEST_LIBS)
