# SPDX-License-Identifier: Apache-2.0
libcgpu_emulator_so_SOURCES += $(emulator_driver_stream_sources)

EMULATOR_TESTS += test-cu-stream
test_cu_stream_SOURCES = tests/unit/emulator/test-cu-stream.c tests/unit/emulator.h
test_cu_stream_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS)
test_cu_stream_LDADD = $(CMOCKA_LIBS) -lpthread
