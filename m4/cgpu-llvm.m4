dnl SPDX-License-Identifier: Apache-2.0
dnl Find LLVM and clang 18 to 20 with their C++ libraries: the first llvm-config that has both of them, or the
dnl one given with --with-llvm-config.
AC_DEFUN([CGPU_LLVM], [
AC_ARG_WITH([llvm-config], [AS_HELP_STRING([--with-llvm-config=PROGRAM], [llvm-config of LLVM 18 to 20])])
AC_MSG_CHECKING([for LLVM and clang 18 to 20])
LLVM_CONFIG=
for candidate in $with_llvm_config llvm-config-19 llvm-config-18 llvm-config-20 llvm-config; do
	version=`$candidate --version 2>/dev/null | cut -d. -f1`
	case "$version" in
	18|19|20)
		libdir=`$candidate --libdir`
		includedir=`$candidate --includedir`
		if test -e "$libdir/libclang-cpp.so" && test -f "$includedir/clang/Frontend/CompilerInstance.h"; then
			LLVM_CONFIG=$candidate
			LLVM_VERSION_MAJOR=$version
			break
		fi ;;
	esac
done
if test -z "$LLVM_CONFIG"; then
	AC_MSG_RESULT([no])
	missing="$missing
  llvm-19-dev libclang-19-dev libclang-cpp19-dev  (to compile cells)"
else
	AC_MSG_RESULT([$LLVM_CONFIG])
	LLVM_LIBDIR=`$LLVM_CONFIG --libdir`
	dnl Warnings about these headers are not for us. gcc must not look into /usr/include earlier than it does.
	LLVM_CPPFLAGS="-isystem `$LLVM_CONFIG --includedir`"
	test "$LLVM_CPPFLAGS" != "-isystem /usr/include" || LLVM_CPPFLAGS=
	LLVM_CPPFLAGS="$LLVM_CPPFLAGS -D__STDC_CONSTANT_MACROS -D__STDC_FORMAT_MACROS -D__STDC_LIMIT_MACROS"
	LLVM_CXXFLAGS="-std=c++17 -fno-exceptions -fno-rtti"
	LLVM_LIBS="-L$LLVM_LIBDIR -lclang-cpp -lLLVM-$LLVM_VERSION_MAJOR"
	test -e "$LLVM_LIBDIR/libLLVM-$LLVM_VERSION_MAJOR.so" || LLVM_LIBS="-L$LLVM_LIBDIR -lclang-cpp -lLLVM"
	LLVM_C_LIBS=`echo "$LLVM_LIBS" | sed 's/-lclang-cpp //'`
	dnl Makes bitcode of what device operations mean, for the compiler of hot device code.
	LLVM_CLANG="$LLVM_LIBDIR/../bin/clang"
	if test ! -x "$LLVM_CLANG"; then
		missing="$missing
  clang-$LLVM_VERSION_MAJOR  (to compile hot device code)"
	fi
	dnl The headers that clang itself brings (stddef.h, stdarg.h, ...); every cell needs them.
	CLANG_RESOURCE_DIR=
	for d in "$LLVM_LIBDIR/clang/$LLVM_VERSION_MAJOR" "$LLVM_LIBDIR/clang/`$LLVM_CONFIG --version`"; do
		test -f "$d/include/stddef.h" && CLANG_RESOURCE_DIR=$d
	done
	if test -z "$CLANG_RESOURCE_DIR"; then
		missing="$missing
  libclang-common-$LLVM_VERSION_MAJOR-dev  (clang's own headers)"
	fi
fi
AC_SUBST([LLVM_CPPFLAGS])
AC_SUBST([LLVM_CXXFLAGS])
AC_SUBST([LLVM_LIBS])
AC_SUBST([LLVM_C_LIBS])
AC_SUBST([LLVM_CLANG])
AC_SUBST([LLVM_LIBDIR])
AC_SUBST([LLVM_VERSION_MAJOR])
AC_SUBST([CLANG_RESOURCE_DIR])
])
