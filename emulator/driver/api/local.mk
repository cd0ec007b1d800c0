# SPDX-License-Identifier: Apache-2.0
libcgpu_emulator_so_SOURCES += $(emulator_driver_api_sources)

EMULATOR_TESTS += test-cu-driver
test_cu_driver_SOURCES = tests/unit/emulator/test-cu-driver.c tests/unit/emulator.h
test_cu_driver_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS)
test_cu_driver_LDADD = $(CMOCKA_LIBS)
