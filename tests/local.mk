# SPDX-License-Identifier: Apache-2.0
# The experiments for a machine with a GPU. gcc and the CUDA headers are enough; the driver is found at run time.
if CUDA
check_PROGRAMS += %reldir%/gpu/check-gpu
%canon_reldir%_gpu_check_gpu_SOURCES = \
	%reldir%/gpu/check-gpu.c \
	runtime/cuda/core-dump.c runtime/cuda/core-dump.h runtime/cuda/cubin-lines.c runtime/cuda/cubin-lines.h \
	%reldir%/gpu/entries.h \
	%reldir%/gpu/gpu.c %reldir%/gpu/gpu.h
%canon_reldir%_gpu_check_gpu_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)
%canon_reldir%_gpu_check_gpu_LDADD = libcommon.a -ldl

check-gpu: %reldir%/gpu/check-gpu$(EXEEXT)
	%reldir%/gpu/check-gpu$(EXEEXT) || test $$? = 77

.PHONY: check-gpu
endif
