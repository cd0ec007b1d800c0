# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += test-ptx-variables
TESTS += test-ptx-variables
test_ptx_variables_SOURCES = \
	tests/unit/test-ptx-variables.c \
	%reldir%/ptx-variables.c %reldir%/ptx-variables.h
test_ptx_variables_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_ptx_variables_LDADD = libcommon.a $(CMOCKA_LIBS)
