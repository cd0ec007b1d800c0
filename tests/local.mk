# SPDX-License-Identifier: Apache-2.0
# The experiments for a machine with a GPU. gcc and the CUDA headers are enough; the driver is found at run time.
if CUDA
check_PROGRAMS += %reldir%/gpu/check-gpu
%canon_reldir%_gpu_check_gpu_SOURCES = \
	%reldir%/gpu/check-gpu.c \
	%reldir%/gpu/experiment.c %reldir%/gpu/experiment.h %reldir%/gpu/experiments.def \
	%reldir%/gpu/costs.c %reldir%/gpu/driver.c %reldir%/gpu/faults.c %reldir%/gpu/host-memory.c %reldir%/gpu/memory.c \
	%reldir%/gpu/opcodes.c %reldir%/gpu/outlive.c %reldir%/gpu/session.c \
	%reldir%/ptx/opcode-entry.c %reldir%/ptx/opcode-entry.h \
	runtime/cuda/reports/core-dump.c runtime/cuda/reports/core-dump.h runtime/cuda/reports/cubin-lines.c runtime/cuda/reports/cubin-lines.h \
	%reldir%/gpu/entries.h \
	%reldir%/gpu/gpu.c %reldir%/gpu/gpu.h
%canon_reldir%_gpu_check_gpu_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)
%canon_reldir%_gpu_check_gpu_LDADD = libcommon.a -ldl
%reldir%/ptx/gpu_check_gpu-opcode-entry.$(OBJEXT): %reldir%/ptx/opcode-vectors.def

check-gpu: %reldir%/gpu/check-gpu$(EXEEXT)
	mkdir -p gpu-results
	%reldir%/gpu/check-gpu$(EXEEXT) gpu-results || test $$? = 77

# The product's programs, linked once more. Of clang and LLVM the linker takes from the archives what is used: 85 MB instead of
# 190, and these pack to a third. All other libraries are in the bundle's lib.
product_programs = gpu-product/cgpu-kernel gpu-product/cgpu-listen gpu-product/cgpu-worker gpu-product/cgpu-compiler \
	gpu-product/cgpu-history gpu-product/cgpu-launcher gpu-product/cgpu-presenter
product_rpath = -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/../lib:$$ORIGIN/../../lib'
product_llvm = -Wl,--gc-sections,--start-group $(LLVM_LIBDIR)/libclang[A-Z]*.a $(LLVM_LIBDIR)/libLLVM*.a -Wl,--end-group \
	-Wl,--as-needed -lz -lzstd -ltinfo
gpu-product/cgpu-kernel: cgpu-kernel$(EXEEXT)
	@$(MKDIR_P) $(@D)
	$(AM_V_CCLD)$(cgpu_kernel_LINK) $(product_rpath) $(cgpu_kernel_OBJECTS) $(cgpu_kernel_LDADD) $(LIBS)
gpu-product/cgpu-listen: cgpu-listen$(EXEEXT)
	@$(MKDIR_P) $(@D)
	$(AM_V_CCLD)$(cgpu_listen_LINK) $(product_rpath) $(cgpu_listen_OBJECTS) $(cgpu_listen_LDADD) $(LIBS)
gpu-product/cgpu-history: cgpu-history$(EXEEXT)
	@$(MKDIR_P) $(@D)
	$(AM_V_CCLD)$(cgpu_history_LINK) $(product_rpath) $(cgpu_history_OBJECTS) $(cgpu_history_LDADD) $(LIBS)
gpu-product/cgpu-launcher: cgpu-launcher$(EXEEXT)
	@$(MKDIR_P) $(@D)
	$(AM_V_CCLD)$(cgpu_launcher_LINK) $(product_rpath) $(cgpu_launcher_OBJECTS) $(cgpu_launcher_LDADD) $(LIBS)
gpu-product/cgpu-presenter: cgpu-presenter$(EXEEXT)
	@$(MKDIR_P) $(@D)
	$(AM_V_CCLD)$(cgpu_presenter_LINK) $(product_rpath) $(cgpu_presenter_OBJECTS) $(cgpu_presenter_LDADD) $(LIBS)
gpu-product/cgpu-worker: cgpu-worker$(EXEEXT)
	@$(MKDIR_P) $(@D)
	$(AM_V_CCLD)$(cgpu_worker_LINK) $(product_rpath) $(cgpu_worker_OBJECTS) $(cgpu_worker_LDADD) $(LIBS)
gpu-product/cgpu-compiler: cgpu-compiler$(EXEEXT) %reldir%/gpu/without-polly.cc
	@$(MKDIR_P) $(@D)
	$(AM_V_CXXLD)$(cgpu_compiler_LINK) -no-pie $(LLVM_CPPFLAGS) $(LLVM_CXXFLAGS) -w $(product_rpath) $(cgpu_compiler_OBJECTS) \
		$(srcdir)/%reldir%/gpu/without-polly.cc libcompiler.a libcommon.a $(product_llvm) $(cgpu_compiler_LDADD) $(LIBS)

# For another machine: one folder. The experiments need nothing there but a driver and libc, the product Python 3, too. Without
# cgpu-hot.so, 28 MB that a GPU does not use: the emulated device interprets all. Tests name another folder, and what packs in
# less than minutes.
BUNDLE = gpu-bundle
BUNDLE_PYTHONS = 3.12
BUNDLE_PACK = xz --x86 --lzma2=preset=9e,dict=192MiB
BUNDLE_MIB = 60
check-gpu-bundle: experiments-bundle product-bundle
	@test `du -sm $(BUNDLE) | cut -f1` -le $(BUNDLE_MIB) || { \
		echo "$(BUNDLE) has `du -sm $(BUNDLE) | cut -f1` MiB, more than can be carried: CUDA's wheels of 13.0.1 are small enough."; exit 1; }
experiments-bundle: %reldir%/gpu/check-gpu$(EXEEXT)
	$(MKDIR_P) $(BUNDLE)
	strip -o $(BUNDLE)/check-gpu %reldir%/gpu/check-gpu$(EXEEXT)
	cp $(srcdir)/%reldir%/gpu/run $(BUNDLE)
product-bundle: $(product_programs)
	rm -rf $(BUNDLE)/stage
	$(MKDIR_P) $(BUNDLE)/stage
	stage=`cd $(BUNDLE)/stage && pwd` && $(MAKE) install prefix=$$stage/prefix >gpu-product/install.log
	cp gpu-product/cgpu-kernel $(BUNDLE)/stage/prefix/bin
	cp gpu-product/cgpu-history gpu-product/cgpu-launcher gpu-product/cgpu-presenter gpu-product/cgpu-listen \
		gpu-product/cgpu-worker gpu-product/cgpu-compiler \
		$(BUNDLE)/stage/prefix/libexec/cgpu
	rm $(BUNDLE)/stage/prefix/libexec/cgpu/cgpu-hot.so
	$(prefix)/bin/python $(srcdir)/%reldir%/gpu/make-product $(BUNDLE)/stage $(BUNDLE)/product.tar.xz \
		--cuda $(CUDA_ROOT) --clang $(CLANG_RESOURCE_DIR) --python $(BUNDLE_PYTHONS) --pack="$(BUNDLE_PACK)"
	rm -rf $(BUNDLE)/stage
	cp $(srcdir)/%reldir%/gpu/product $(BUNDLE)

.PHONY: check-gpu check-gpu-bundle experiments-bundle product-bundle
endif
