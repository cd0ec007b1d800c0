/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Surfaces for device code of C++ cells: clang's headers have textures only. A value of 1, 2 or 4
 * elements of 1, 2, 4 or 8 bytes goes through registers of its size. The host's half needs
 * declarations.
 */
#ifndef CGPU_SURFACE_H
#define CGPU_SURFACE_H

/* What an instruction has registers of, for elements of so many bytes. */
template <unsigned size> struct cgpu_texel;
template <> struct cgpu_texel<1> {
	typedef unsigned char element;
	typedef unsigned short in_register;
};
template <> struct cgpu_texel<2> {
	typedef unsigned short element;
	typedef unsigned short in_register;
};
template <> struct cgpu_texel<4> {
	typedef unsigned int element;
	typedef unsigned int in_register;
};
template <> struct cgpu_texel<8> {
	typedef unsigned long long element;
	typedef unsigned long long in_register;
};

/* An element of a vector like float4; a number is one itself. */
template <class T> __host__ __device__ decltype(T().x) cgpu_element_of(int);
template <class T> __host__ __device__ T cgpu_element_of(long);

#define CGPU_SURFACE_TRAITS(T)                                                                     \
	constexpr unsigned size = sizeof(cgpu_element_of<T>(0)), n = sizeof(T) / size;             \
	static_assert((size == 1 || size == 2 || size == 4 || size == 8) &&                        \
			      (n == 1 || n == 2 || n == 4) && n * size <= 16,                      \
		      "a surface has numbers and vectors of 1, 2 or 4 of them")

#ifdef __CUDA_ARCH__
#define CGPU_IN_1(letter) letter(v[0])
#define CGPU_IN_2(letter) letter(v[0]), letter(v[1])
#define CGPU_IN_4(letter) letter(v[0]), letter(v[1]), letter(v[2]), letter(v[3])
#define CGPU_WHERE [s] "l"(s), [a] "r"(a), [b] "r"(b), [c] "r"(c)
#define CGPU_TEXELS_1 "{%0}"
#define CGPU_TEXELS_2 "{%0, %1}"
#define CGPU_TEXELS_4 "{%0, %1, %2, %3}"

#define CGPU_SURFACE_LOAD(geometry, at, vector, bits, n, letter, mode)                             \
	asm volatile("suld.b." geometry vector bits mode " " CGPU_TEXELS_##n ", [%[s], " at "];"   \
		     : CGPU_IN_##n("=" letter)                                                     \
		     : CGPU_WHERE                                                                  \
		     : "memory")
#define CGPU_SURFACE_STORE(geometry, at, vector, bits, n, letter, mode)                            \
	asm volatile("sust.b." geometry vector bits mode " [%[s], " at "], " CGPU_TEXELS_##n ";"   \
		     :                                                                             \
		     : CGPU_IN_##n(letter), CGPU_WHERE                                             \
		     : "memory")
#define CGPU_SURFACE_EACH_MODE(does, geometry, at, vector, bits, n, letter)                        \
	if (mode == cudaBoundaryModeTrap)                                                          \
		does(geometry, at, vector, bits, n, letter, ".trap");                              \
	else if (mode == cudaBoundaryModeClamp)                                                    \
		does(geometry, at, vector, bits, n, letter, ".clamp");                             \
	else                                                                                       \
		does(geometry, at, vector, bits, n, letter, ".zero");
#define CGPU_SURFACE_EACH_SIZE(does, geometry, at, vector, n)                                      \
	if constexpr (size == 1) {                                                                 \
		CGPU_SURFACE_EACH_MODE(does, geometry, at, vector, ".b8", n, "h")                  \
	} else if constexpr (size == 2) {                                                          \
		CGPU_SURFACE_EACH_MODE(does, geometry, at, vector, ".b16", n, "h")                 \
	} else if constexpr (size == 4) {                                                          \
		CGPU_SURFACE_EACH_MODE(does, geometry, at, vector, ".b32", n, "r")                 \
	} else {                                                                                   \
		CGPU_SURFACE_EACH_MODE(does, geometry, at, vector, ".b64", n, "l")                 \
	}
#define CGPU_SURFACE_EACH(does, geometry, at)                                                      \
	if constexpr (n == 1) {                                                                    \
		CGPU_SURFACE_EACH_SIZE(does, geometry, at, "", 1)                                  \
	} else if constexpr (n == 2) {                                                             \
		CGPU_SURFACE_EACH_SIZE(does, geometry, at, ".v2", 2)                               \
	} else if constexpr (size < 8) {                                                           \
		CGPU_SURFACE_EACH_SIZE(does, geometry, at, ".v4", 4)                               \
	}

#define CGPU_SURFACE_READ(T, geometry, at)                                                         \
	{                                                                                          \
		CGPU_SURFACE_TRAITS(T);                                                            \
		typename cgpu_texel<size>::in_register v[n];                                       \
		union {                                                                            \
			typename cgpu_texel<size>::element all[n];                                 \
			T value;                                                                   \
		} made;                                                                            \
                                                                                                   \
		CGPU_SURFACE_EACH(CGPU_SURFACE_LOAD, geometry, at)                                 \
		for (unsigned i = 0; i < n; i++)                                                   \
			made.all[i] = static_cast<typename cgpu_texel<size>::element>(v[i]);       \
		return made.value;                                                                 \
	}
#define CGPU_SURFACE_WRITE(T, geometry, at)                                                        \
	{                                                                                          \
		CGPU_SURFACE_TRAITS(T);                                                            \
		typename cgpu_texel<size>::in_register v[n];                                       \
		union {                                                                            \
			T value;                                                                   \
			typename cgpu_texel<size>::element all[n];                                 \
		} given = { value };                                                               \
                                                                                                   \
		for (unsigned i = 0; i < n; i++)                                                   \
			v[i] = given.all[i];                                                       \
		CGPU_SURFACE_EACH(CGPU_SURFACE_STORE, geometry, at)                                \
	}
#else
#define CGPU_SURFACE_READ(T, geometry, at) ;
#define CGPU_SURFACE_WRITE(T, geometry, at) ;
#endif

/* a, b and c are what the geometry has of a place; `at` is how PTX wants it. */
#define CGPU_SURFACE_GEOMETRY(name, geometry, at)                                                  \
	template <class T>                                                                         \
	__device__ T cgpu_load_##name(cudaSurfaceObject_t s, int a, int b, int c,                  \
				      cudaSurfaceBoundaryMode mode)                                \
		CGPU_SURFACE_READ(T, geometry, at) template <class T>                              \
		__device__ void cgpu_store_##name(T value, cudaSurfaceObject_t s, int a, int b,    \
						  int c, cudaSurfaceBoundaryMode mode)             \
			CGPU_SURFACE_WRITE(T, geometry, at)

CGPU_SURFACE_GEOMETRY(1d, "1d", "{%[a]}")
CGPU_SURFACE_GEOMETRY(2d, "2d", "{%[a], %[b]}")
CGPU_SURFACE_GEOMETRY(3d, "3d", "{%[a], %[b], %[c], %[c]}")
CGPU_SURFACE_GEOMETRY(a1d, "a1d", "{%[b], %[a]}")
CGPU_SURFACE_GEOMETRY(a2d, "a2d", "{%[c], %[a], %[b], %[b]}")

#define CGPU_PLACE(...) __VA_ARGS__
#define CGPU_SURFACE(name, geometry, parameters, a, b, c)                                          \
	template <class T>                                                                         \
	__device__ T surf##name##read(cudaSurfaceObject_t surface, parameters,                     \
				      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)         \
	{                                                                                          \
		return cgpu_load_##geometry<T>(surface, a, b, c, mode);                            \
	}                                                                                          \
	template <class T>                                                                         \
	__device__ void surf##name##read(T *ret, cudaSurfaceObject_t surface, parameters,          \
					 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)      \
	{                                                                                          \
		*ret = cgpu_load_##geometry<T>(surface, a, b, c, mode);                            \
	}                                                                                          \
	template <class T>                                                                         \
	__device__ void surf##name##write(T value, cudaSurfaceObject_t surface, parameters,        \
					  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)     \
	{                                                                                          \
		cgpu_store_##geometry<T>(value, surface, a, b, c, mode);                           \
	}

CGPU_SURFACE(1D, 1d, CGPU_PLACE(int x), x, 0, 0)
CGPU_SURFACE(2D, 2d, CGPU_PLACE(int x, int y), x, y, 0)
CGPU_SURFACE(3D, 3d, CGPU_PLACE(int x, int y, int z), x, y, z)
CGPU_SURFACE(1DLayered, a1d, CGPU_PLACE(int x, int layer), x, layer, 0)
CGPU_SURFACE(2DLayered, a2d, CGPU_PLACE(int x, int y, int layer), x, y, layer)
CGPU_SURFACE(Cubemap, a2d, CGPU_PLACE(int x, int y, int face), x, y, face)
CGPU_SURFACE(CubemapLayered, a2d, CGPU_PLACE(int x, int y, int layer_and_face), x, y,
	     layer_and_face)

#undef CGPU_SURFACE
#undef CGPU_PLACE
#undef CGPU_SURFACE_GEOMETRY
#undef CGPU_SURFACE_WRITE
#undef CGPU_SURFACE_READ
#undef CGPU_SURFACE_EACH
#undef CGPU_SURFACE_EACH_SIZE
#undef CGPU_SURFACE_EACH_MODE
#undef CGPU_SURFACE_STORE
#undef CGPU_SURFACE_LOAD
#undef CGPU_TEXELS_1
#undef CGPU_TEXELS_2
#undef CGPU_TEXELS_4
#undef CGPU_WHERE
#undef CGPU_IN_1
#undef CGPU_IN_2
#undef CGPU_IN_4
#undef CGPU_SURFACE_TRAITS

#endif
