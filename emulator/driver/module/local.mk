# SPDX-License-Identifier: Apache-2.0
libcgpu_emulator_so_SOURCES += $(emulator_driver_module_sources)

EMULATOR_TESTS += test-cu-library test-cu-link
test_cu_library_SOURCES = tests/unit/emulator/test-cu-library.c tests/unit/emulator.h
test_cu_library_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(ZSTD_CFLAGS) $(LZ4_CFLAGS) $(SANITIZE_CFLAGS)
test_cu_library_LDADD = $(CMOCKA_LIBS) $(ZSTD_LIBS) $(LZ4_LIBS)
test_cu_link_SOURCES = tests/unit/emulator/test-cu-link.c tests/unit/emulator.h
test_cu_link_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS)
test_cu_link_LDADD = $(CMOCKA_LIBS)
