# SPDX-License-Identifier: Apache-2.0
libcgpu_emulator_so_SOURCES += $(emulator_driver_device_sources)

EMULATOR_TESTS += test-cu-devices test-cu-faults test-cu-guard test-cu-heap
test_cu_devices_SOURCES = tests/unit/emulator/test-cu-devices.c tests/unit/emulator.h
test_cu_devices_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS)
test_cu_devices_LDADD = $(CMOCKA_LIBS)
test_cu_faults_SOURCES = tests/unit/emulator/test-cu-faults.c tests/unit/device-code-units.h tests/unit/emulator.h
test_cu_faults_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS)
test_cu_faults_LDADD = $(CMOCKA_LIBS)
test_cu_guard_SOURCES = tests/unit/emulator/test-cu-guard.c tests/unit/device-code-units.h tests/unit/emulator.h
test_cu_guard_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS)
test_cu_guard_LDADD = $(CMOCKA_LIBS)
test_cu_heap_SOURCES = tests/unit/emulator/test-cu-heap.c tests/unit/emulator.h
test_cu_heap_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS)
test_cu_heap_LDADD = $(CMOCKA_LIBS)
