# SPDX-License-Identifier: Apache-2.0
libmachine_a_SOURCES += $(emulator_decode_sources)

check_PROGRAMS += test-ptx-census test-ptx-peephole
TESTS += test-ptx-census test-ptx-peephole
test_ptx_census_SOURCES = tests/unit/emulator/test-ptx-census.c tests/unit/emulator/machine.h \
	tests/ptx/census-forms.def tests/ptx/more-forms.def
test_ptx_census_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_ptx_census_LDADD = $(MACHINE_TEST_LIBS)
test_ptx_peephole_SOURCES = tests/unit/emulator/test-ptx-peephole.c tests/unit/emulator/machine.h
test_ptx_peephole_CFLAGS = $(MACHINE_TEST_CFLAGS)
test_ptx_peephole_LDADD = $(MACHINE_TEST_LIBS)
