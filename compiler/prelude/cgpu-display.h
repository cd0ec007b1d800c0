/* SPDX-License-Identifier: Apache-2.0 */
/*
 * common/cell-display.h for cells: its arrays are plain pointers here, and their types say what the
 * elements are, by _Generic in C and by a constructor in C++. An array of arrays is one of its
 * numbers.
 */
#ifndef CGPU_DISPLAY_H
#define CGPU_DISPLAY_H

#include "common/cell-display.h"

#ifdef __cplusplus
template <class T> struct cgpu_element {
	static_assert(sizeof(T) == 0, "this is no array of numbers or strings");
};
#define CGPU_ELEMENT_IS(kind, T)                                                                   \
	template <> struct cgpu_element<T> {                                                       \
		enum : unsigned { type = CGPU_ELEMENT(kind, T) };                                  \
	};
CGPU_ELEMENT_IS(CGPU_UNSIGNED, bool)
CGPU_ELEMENT_IS(((char)-1 < 0 ? CGPU_SIGNED : CGPU_UNSIGNED), char)
CGPU_ELEMENT_IS(CGPU_SIGNED, signed char)
CGPU_ELEMENT_IS(CGPU_SIGNED, short)
CGPU_ELEMENT_IS(CGPU_SIGNED, int)
CGPU_ELEMENT_IS(CGPU_SIGNED, long)
CGPU_ELEMENT_IS(CGPU_SIGNED, long long)
CGPU_ELEMENT_IS(CGPU_UNSIGNED, unsigned char)
CGPU_ELEMENT_IS(CGPU_UNSIGNED, unsigned short)
CGPU_ELEMENT_IS(CGPU_UNSIGNED, unsigned)
CGPU_ELEMENT_IS(CGPU_UNSIGNED, unsigned long)
CGPU_ELEMENT_IS(CGPU_UNSIGNED, unsigned long long)
CGPU_ELEMENT_IS(CGPU_FLOATING, float)
CGPU_ELEMENT_IS(CGPU_FLOATING, double)
CGPU_ELEMENT_IS(CGPU_FLOATING, _Float16)
CGPU_ELEMENT_IS(CGPU_STRING, char *)
CGPU_ELEMENT_IS(CGPU_STRING, const char *)
#undef CGPU_ELEMENT_IS
/* Of <cuda_fp16.h> and <cuda_bf16.h>, which a later cell may include. */
struct __half;
struct __nv_bfloat16;
template <> struct cgpu_element<__half> {
	enum : unsigned { type = CGPU_ELEMENT(CGPU_FLOATING, short) };
};
template <> struct cgpu_element<__nv_bfloat16> {
	enum : unsigned { type = CGPU_ELEMENT(CGPU_BFLOAT16, short) };
};
template <> struct cgpu_element<void> {
	enum : unsigned { type = 0 };
};
template <class T> struct cgpu_element<const T> : cgpu_element<T> {
};
template <class T, unsigned long n> struct cgpu_element<T[n]> : cgpu_element<T> {
};
template <class T, unsigned long n> struct cgpu_element<const T[n]> : cgpu_element<T> {
};

struct cgpu_data {
	const void *at;
	unsigned type;

	cgpu_data(decltype(nullptr)) : at(nullptr), type(0)
	{
	}

	template <class T> cgpu_data(T *p) : at(p), type(cgpu_element<T>::type)
	{
	}

	/* std::vector, std::array, std::span. */
	template <class C, class = decltype(((const C *)0)->data())>
	cgpu_data(const C &c) : cgpu_data(c.data())
	{
	}
};

struct cgpu_column {
	const char *name;
	cgpu_data data;

	cgpu_column(const char *name, cgpu_data data) : name(name), data(data)
	{
	}
};

template <class... C> inline void cgpu_table(unsigned long rows, const C &...columns)
{
	const cgpu_column all[] = { columns... };

	cgpu_table_show(rows, all, sizeof...(columns));
}
#else
#define CGPU_OF(kind, type)                                                                        \
	type * : CGPU_ELEMENT(kind, type), const type * : CGPU_ELEMENT(kind, type)
#define CGPU_TYPE_IN(p, others)                                                                    \
	_Generic((p),                                                                              \
		CGPU_OF(CGPU_UNSIGNED, _Bool),                                                     \
		CGPU_OF((char)-1 < 0 ? CGPU_SIGNED : CGPU_UNSIGNED, char),                         \
		CGPU_OF(CGPU_SIGNED, signed char),                                                 \
		CGPU_OF(CGPU_SIGNED, short),                                                       \
		CGPU_OF(CGPU_SIGNED, int),                                                         \
		CGPU_OF(CGPU_SIGNED, long),                                                        \
		CGPU_OF(CGPU_SIGNED, long long),                                                   \
		CGPU_OF(CGPU_UNSIGNED, unsigned char),                                             \
		CGPU_OF(CGPU_UNSIGNED, unsigned short),                                            \
		CGPU_OF(CGPU_UNSIGNED, unsigned),                                                  \
		CGPU_OF(CGPU_UNSIGNED, unsigned long),                                             \
		CGPU_OF(CGPU_UNSIGNED, unsigned long long),                                        \
		CGPU_OF(CGPU_FLOATING, float),                                                     \
		CGPU_OF(CGPU_FLOATING, double),                                                    \
		CGPU_OF(CGPU_STRING, char *),                                                      \
		char *const *: CGPU_ELEMENT(CGPU_STRING, char *),                                  \
		const char *const *: CGPU_ELEMENT(CGPU_STRING, char *),                            \
		void *: 0u,                                                                        \
		const void *: 0u,                                                                  \
		default: others)
#define CGPU_NO_ARRAY ((struct this_is_no_array_of_numbers_or_strings *)0)
/* An array of arrays has elements that decay; those of an array of pointers do not. */
#define CGPU_DECAYS(x)                                                                             \
	!__builtin_types_compatible_p(__typeof__((x)[0]), __typeof__(((void)0, (x)[0])))
#define CGPU_TYPE(x)                                                                               \
	CGPU_TYPE_IN(x, __builtin_choose_expr(CGPU_DECAYS(x), CGPU_TYPE_IN((x)[0], CGPU_NO_ARRAY), \
					      CGPU_NO_ARRAY))
#define cgpu_data(x) ((struct cgpu_data){ (x), CGPU_TYPE(x) })

#define cgpu_plot(x, y, n) cgpu_plot(cgpu_data(x), cgpu_data(y), n)
#define cgpu_scatter(x, y, n) cgpu_scatter(cgpu_data(x), cgpu_data(y), n)
#define cgpu_bar(x, y, n) cgpu_bar(cgpu_data(x), cgpu_data(y), n)
#define cgpu_histogram(values, n, bins) cgpu_histogram(cgpu_data(values), n, bins)
#define cgpu_heatmap(values, rows, columns) cgpu_heatmap(cgpu_data(values), rows, columns)
#define cgpu_surface(values, rows, columns) cgpu_surface(cgpu_data(values), rows, columns)
#define cgpu_image(pixels, width, height, channels)                                                \
	cgpu_image(cgpu_data(pixels), width, height, channels)
#define cgpu_audio(samples, n, rate) cgpu_audio(cgpu_data(samples), n, rate)
#define cgpu_audio_stereo(samples, n, rate) cgpu_audio_stereo(cgpu_data(samples), n, rate)
#define cgpu_chart_line(c, name, x, y, n) cgpu_chart_line(c, name, cgpu_data(x), cgpu_data(y), n)
#define cgpu_chart_scatter(c, name, x, y, n)                                                       \
	cgpu_chart_scatter(c, name, cgpu_data(x), cgpu_data(y), n)
#define cgpu_chart_bar(c, name, x, y, n) cgpu_chart_bar(c, name, cgpu_data(x), cgpu_data(y), n)
#define cgpu_chart_histogram(c, name, values, n, bins)                                             \
	cgpu_chart_histogram(c, name, cgpu_data(values), n, bins)
#define cgpu_chart_heatmap(c, values, rows, columns)                                               \
	cgpu_chart_heatmap(c, cgpu_data(values), rows, columns)
#define cgpu_animation_add(a, pixels) cgpu_animation_add(a, cgpu_data(pixels))
#define cgpu_column(name, x) ((struct cgpu_column){ (name), cgpu_data(x) })
#define cgpu_table(rows, ...)                                                                      \
	cgpu_table_show(rows, (struct cgpu_column[]){ __VA_ARGS__ },                               \
			sizeof((struct cgpu_column[]){ __VA_ARGS__ }) /                            \
				sizeof(struct cgpu_column))
#endif

#endif
