# SPDX-License-Identifier: Apache-2.0
# libcgpu-emulator.so: driver/ is the CUDA driver API, machine/ and ptx/ run device code. It is dlopen-ed, so it is built
# like a program that happens to be shared, without libtool. Under the name of NVIDIA's driver it stands in a folder of its
# own, for LD_LIBRARY_PATH, and beside it the CUDA runtime.
pkglibexec_PROGRAMS += libcgpu-emulator.so
emulator_library = libcgpu-emulator.so
libcgpu_emulator_so_SOURCES =
libcgpu_emulator_so_CFLAGS = $(AM_CFLAGS) -fPIC $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS) $(ZSTD_CFLAGS) $(LZ4_CFLAGS) -pthread
libcgpu_emulator_so_LDFLAGS = -shared -Wl,-soname,libcgpu-emulator.so -Wl,-Bsymbolic -pthread
libcgpu_emulator_so_LDADD =

include emulator/driver/local.mk
include emulator/machine/local.mk
include emulator/hot/local.mk
include emulator/ptx/local.mk
include emulator/profile/local.mk

libcgpu_emulator_so_LDADD += $(MACHINE_LIBS) libcommon.a $(ZSTD_LIBS) $(LZ4_LIBS) -lm

emulated_driver_dir = $(pkglibexecdir)/emulated-driver

# The names that programs are linked with, too: the pip wheels of CUDA bring none.
emulated_driver_links = libcuda.so libcuda.so.1 libcudart.so libcudart.so.13

install-exec-hook: install-emulated-driver
install-emulated-driver:
	$(MKDIR_P) "$(DESTDIR)$(emulated_driver_dir)"
	cd "$(DESTDIR)$(emulated_driver_dir)" && rm -f $(emulated_driver_links) && \
		$(LN_S) ../libcgpu-emulator.so libcuda.so.1 && $(LN_S) libcuda.so.1 libcuda.so && \
		$(LN_S) ../libcgpu-cudart.so libcudart.so.13 && $(LN_S) libcudart.so.13 libcudart.so

uninstall-hook: uninstall-emulated-driver
uninstall-emulated-driver:
	cd "$(DESTDIR)$(emulated_driver_dir)" && rm -f $(emulated_driver_links)
	-rmdir "$(DESTDIR)$(emulated_driver_dir)"

.PHONY: install-emulated-driver uninstall-emulated-driver
