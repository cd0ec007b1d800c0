# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libcommon.a
libcommon_a_SOURCES = \
	%reldir%/address-map.h \
	%reldir%/bug.h \
	%reldir%/buffer.c %reldir%/buffer.h \
	%reldir%/cleanup.h \
	%reldir%/error.c %reldir%/error.h %reldir%/errors.def \
	%reldir%/log.c %reldir%/log.h \
	%reldir%/mem-pool.c %reldir%/mem-pool.h
libcommon_a_CFLAGS = $(AM_CFLAGS) -fPIC $(SANITIZE_CFLAGS)

check_PROGRAMS += test-error test-buffer
TESTS += test-error test-buffer
test_error_SOURCES = tests/unit/test-error.c
test_error_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_error_LDADD = libcommon.a $(CMOCKA_LIBS)
test_buffer_SOURCES = tests/unit/test-buffer.c
test_buffer_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_buffer_LDADD = libcommon.a $(CMOCKA_LIBS)
