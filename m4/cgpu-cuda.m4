dnl SPDX-License-Identifier: Apache-2.0
dnl Find the CUDA headers (to build) and where NVRTC probably is (used at run time only): a toolkit, the pip wheels
dnl nvidia-cuda-runtime, nvidia-cuda-nvrtc and nvidia-cuda-cccl, or the folder given with --with-cuda.
AC_DEFUN([CGPU_CUDA], [
AC_ARG_WITH([cuda], [AS_HELP_STRING([--with-cuda=DIR],
	[CUDA toolkit, or the folder nvidia/cu13 of the pip wheels; it holds include/cuda.h])])
AC_MSG_CHECKING([for the CUDA headers])
CUDA_ROOT=
for d in "$with_cuda" "$CUDA_HOME" "$CUDA_PATH" /usr/local/cuda \
	`ls -d "$VIRTUAL_ENV"/lib/python3*/site-packages/nvidia/cu13 2>/dev/null` \
	`python3 -c 'import nvidia, os; print(*[[os.path.join(p, "cu13") for p in nvidia.__path__]])' 2>/dev/null` /usr; do
	if test -n "$d" && test -f "$d/include/cuda.h" && test -f "$d/include/cuda_runtime_api.h"; then
		CUDA_ROOT=$d
		break
	fi
done
if test -z "$CUDA_ROOT"; then
	AC_MSG_RESULT([no])
	missing="$missing
  a CUDA 13 toolkit, or the pip wheels nvidia-cuda-runtime nvidia-cuda-nvrtc nvidia-cuda-cccl; give the folder by --with-cuda  (CUDA headers)"
else
	AC_MSG_RESULT([$CUDA_ROOT])
	CUDA_CPPFLAGS="-isystem $CUDA_ROOT/include"
fi
AC_SUBST([CUDA_ROOT])
AC_SUBST([CUDA_CPPFLAGS])
])
