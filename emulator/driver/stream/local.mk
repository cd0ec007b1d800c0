# SPDX-License-Identifier: Apache-2.0
libcgpu_emulator_so_SOURCES += \
	%reldir%/cu-capture.c %reldir%/cu-capture.h \
	%reldir%/cu-event.c \
	%reldir%/cu-profile.c %reldir%/cu-profile.h \
	%reldir%/cu-stream-management.c \
	%reldir%/cu-stream-memory.c \
	%reldir%/cu-stream.c %reldir%/cu-stream.h

EMULATOR_TESTS += test-cu-stream
test_cu_stream_SOURCES = tests/unit/test-cu-stream.c tests/unit/emulator.h
test_cu_stream_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS)
test_cu_stream_LDADD = $(CMOCKA_LIBS) -lpthread
