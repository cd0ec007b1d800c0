# SPDX-License-Identifier: Apache-2.0
libmachine_a_SOURCES += \
	%reldir%/place.c %reldir%/place.h \
	%reldir%/race-ahead.c \
	%reldir%/race-compare.c \
	%reldir%/race-form.c %reldir%/race-form.h \
	%reldir%/race-global.c \
	%reldir%/race-pages.c %reldir%/race-pages.h \
	%reldir%/race-plan.c %reldir%/race-plan.h \
	%reldir%/race-report.c \
	%reldir%/race-shared.c \
	%reldir%/race-state.h \
	%reldir%/race-store.c %reldir%/race-store.h \
	%reldir%/race.c %reldir%/race.h \
	%reldir%/sync.c %reldir%/sync.h

check_PROGRAMS += test-race test-race-random test-sync
TESTS += test-race test-race-random test-sync
test_race_SOURCES = tests/unit/test-race.c tests/unit/machine.h
test_race_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_race_LDADD = $(MACHINE_TEST_LIBS)
test_race_random_SOURCES = tests/unit/test-race-random.c tests/unit/machine.h
test_race_random_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_race_random_LDADD = $(MACHINE_TEST_LIBS)
test_sync_SOURCES = tests/unit/test-sync.c tests/unit/machine.h
test_sync_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_sync_LDADD = $(MACHINE_TEST_LIBS)
