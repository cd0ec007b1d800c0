# SPDX-License-Identifier: Apache-2.0
libcgpu_emulator_so_SOURCES += $(emulator_driver_memory_sources)

EMULATOR_TESTS += test-cu-batch test-cu-texture
test_cu_batch_SOURCES = tests/unit/emulator/test-cu-batch.c tests/unit/emulator.h
test_cu_batch_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS)
test_cu_batch_LDADD = $(CMOCKA_LIBS)
test_cu_texture_SOURCES = tests/unit/emulator/test-cu-texture.c tests/unit/emulator.h
test_cu_texture_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS)
test_cu_texture_LDADD = $(CMOCKA_LIBS) -lm
