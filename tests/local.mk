# SPDX-License-Identifier: Apache-2.0
# The experiments for a machine with a GPU. gcc and the CUDA headers are enough; the driver is found at run time.
if CUDA
check_PROGRAMS += %reldir%/gpu/check-gpu
%canon_reldir%_gpu_check_gpu_SOURCES = \
	%reldir%/gpu/check-gpu.c \
	%reldir%/gpu/experiment.c %reldir%/gpu/experiment.h %reldir%/gpu/experiments.def \
	%reldir%/gpu/costs.c %reldir%/gpu/driver.c %reldir%/gpu/faults.c %reldir%/gpu/host-memory.c %reldir%/gpu/memory.c \
	%reldir%/gpu/outlive.c %reldir%/gpu/session.c \
	runtime/cuda/core-dump.c runtime/cuda/core-dump.h runtime/cuda/cubin-lines.c runtime/cuda/cubin-lines.h \
	%reldir%/gpu/entries.h \
	%reldir%/gpu/gpu.c %reldir%/gpu/gpu.h
%canon_reldir%_gpu_check_gpu_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)
%canon_reldir%_gpu_check_gpu_LDADD = libcommon.a -ldl

check-gpu: %reldir%/gpu/check-gpu$(EXEEXT)
	mkdir -p gpu-results
	%reldir%/gpu/check-gpu$(EXEEXT) gpu-results || test $$? = 77

# What another machine needs for it: one folder, and nothing there but a driver and libc.
check-gpu-bundle: %reldir%/gpu/check-gpu$(EXEEXT)
	rm -rf gpu-bundle
	mkdir gpu-bundle
	strip -o gpu-bundle/check-gpu %reldir%/gpu/check-gpu$(EXEEXT)
	cp $(srcdir)/%reldir%/gpu/run gpu-bundle/run
	du -sh gpu-bundle

.PHONY: check-gpu check-gpu-bundle
endif
