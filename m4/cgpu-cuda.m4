dnl SPDX-License-Identifier: Apache-2.0
dnl Find the CUDA headers (to build) and where NVRTC probably is (used at run time only): in the folder given with --with-cuda,
dnl in that of the pip wheels, or in a toolkit. HAVE_CUDA is 0 with --without-cuda: cells are C and C++ then.
AC_DEFUN([CGPU_CUDA], [
AC_ARG_WITH([cuda], [AS_HELP_STRING([--with-cuda=DIR],
	[the folder nvidia/cu13 of the pip wheels, or a CUDA toolkit; it holds include/cuda.h. --without-cuda: cells in C and C++ only])])
AC_MSG_CHECKING([for the CUDA headers])
CUDA_ROOT=
CUDA_CPPFLAGS=
CUDA_NEEDED="cuda.h cuda_runtime_api.h cuda_profiler_api.h nvrtc.h"
AS_CASE([$with_cuda],
	[no], [cuda_folders=],
	[''|yes], [cuda_folders="`ls -d "$VIRTUAL_ENV"/lib/python3*/site-packages/nvidia/cu13 2>/dev/null` \
		`python3 -c 'import nvidia, os; print(*[[os.path.join(p, "cu13") for p in nvidia.__path__]])' 2>/dev/null` \
		$CUDA_HOME $CUDA_PATH /usr/local/cuda /usr"],
	[cuda_folders=$with_cuda])
for d in $cuda_folders; do
	found=$d
	for header in $CUDA_NEEDED; do
		test -f "$d/include/$header" || found=
	done
	AS_IF([test -n "$found"], [CUDA_ROOT=$found; break])
done
AS_IF([test -n "$CUDA_ROOT"], [AC_MSG_RESULT([$CUDA_ROOT]); CUDA_CPPFLAGS="-isystem $CUDA_ROOT/include"; have_cuda=1],
	[test "x$with_cuda" = xno], [AC_MSG_RESULT([left out]); have_cuda=0],
	[AC_MSG_RESULT([no])
	have_cuda=0
	missing="$missing
  the pip wheels of tests/requirements-cuda.txt, or a CUDA 13 toolkit, with $CUDA_NEEDED;
  give the folder by --with-cuda=DIR, or go --without-cuda  (CUDA headers)"])
AC_DEFINE_UNQUOTED([HAVE_CUDA], [$have_cuda], [1: CUDA cells, 0: cells in C and C++ only])
AC_DEFINE_UNQUOTED([CGPU_CUDA_ROOT], ["$CUDA_ROOT"], [where the CUDA headers and NVRTC are])
AM_CONDITIONAL([CUDA], [test $have_cuda = 1])
AC_SUBST([CUDA_ROOT])
AC_SUBST([CUDA_CPPFLAGS])
])
