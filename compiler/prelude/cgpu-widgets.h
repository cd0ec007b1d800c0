/* SPDX-License-Identifier: Apache-2.0 */
/*
 * common/cell-widgets.h for cells: lists of widgets as arguments, the types of a function's
 * parameters by _Generic in C and by a template in C++, and lambdas as callbacks in C++.
 */
#ifndef CGPU_WIDGETS_H
#define CGPU_WIDGETS_H

#include "common/cell-widgets.h"

#ifdef __cplusplus
template <class... W> inline cgpu_widget *cgpu_vbox(W *...children)
{
	cgpu_widget *const all[] = { children... };

	return cgpu_vbox(all, (unsigned)sizeof...(children));
}

template <class... W> inline cgpu_widget *cgpu_hbox(W *...children)
{
	cgpu_widget *const all[] = { children... };

	return cgpu_hbox(all, (unsigned)sizeof...(children));
}

/* A function object as a callback: f(w), f(w, message) or f(). The copy is memory of the session.
 */
template <class F> struct cgpu_callback {
	template <class... A> static auto call(F &f, int, A... a) -> decltype(f(a...), void())
	{
		f(a...);
	}

	template <class... A> static void call(F &f, long, A...)
	{
		f();
	}

	static void changed(cgpu_widget *w, void *f)
	{
		call(*static_cast<F *>(f), 0, w);
	}

	static void heard(cgpu_comm *c, const cgpu_message *m, void *f)
	{
		call(*static_cast<F *>(f), 0, c, m);
	}
};

/* Call f(w), or f(), when a user has changed the widget, or clicked on it. */
template <class F> inline void cgpu_widget_on_change(cgpu_widget *w, F f)
{
	cgpu_widget_on_change(w, cgpu_callback<F>::changed, new F(f));
}

/* Call f(c, message) for each message of the front end, of a widget its custom ones. */
template <class F> inline void cgpu_comm_on_message(cgpu_comm *c, F f)
{
	cgpu_comm_on_message(c, cgpu_callback<F>::heard, new F(f));
}

/* Call f(c, message) when a front end opens a comm of this name. */
template <class F> inline void cgpu_comm_target(const char *name, F f)
{
	cgpu_comm_target(name, cgpu_callback<F>::heard, new F(f));
}

template <class T> struct cgpu_parameter {
	static_assert(sizeof(T) == 0, "cgpu_interact() calls functions of int, double and float");
};
template <> struct cgpu_parameter<int> {
	enum : char { letter = 'i' };
};
template <> struct cgpu_parameter<double> {
	enum : char { letter = 'd' };
};
template <> struct cgpu_parameter<float> {
	enum : char { letter = 'f' };
};

inline cgpu_range cgpu_range_of(const char *label, double least, double most, double value)
{
	return { label, least, most, value };
}
#define cgpu_range(label, least, most, value) cgpu_range_of(label, least, most, value)

template <class... P, class... R> inline cgpu_widget *cgpu_interact(void (*f)(P...), R... ranges)
{
	static_assert(sizeof...(P) == sizeof...(R), "one range for each parameter");
	const char types[] = { cgpu_parameter<P>::letter..., 0 };
	const cgpu_range all[] = { ranges... };

	return cgpu_interact(reinterpret_cast<void (*)()>(f), types, all, (unsigned)sizeof...(R));
}
#else
#define CGPU_LIST(type, ...) (type[]){ __VA_ARGS__ }, sizeof((type[]){ __VA_ARGS__ }) / sizeof(type)
#define cgpu_vbox(...) cgpu_vbox(CGPU_LIST(cgpu_widget *, __VA_ARGS__))
#define cgpu_hbox(...) cgpu_hbox(CGPU_LIST(cgpu_widget *, __VA_ARGS__))
#define cgpu_range(label, least, most, value) ((struct cgpu_range){ label, least, most, value })

/* Functions of up to four parameters, each with a letter. */
#define CGPU_TAKES(letters, ...) void (*)(__VA_ARGS__) : letters,
#define CGPU_TAKES_MORE(letters, ...)                                                              \
	CGPU_TAKES(letters "i", __VA_ARGS__, int)                                                  \
	CGPU_TAKES(letters "d", __VA_ARGS__, double) CGPU_TAKES(letters "f", __VA_ARGS__, float)
#define CGPU_TAKES_TWO_MORE(letters, ...)                                                          \
	CGPU_TAKES_MORE(letters, __VA_ARGS__)                                                      \
	CGPU_TAKES_MORE(letters "i", __VA_ARGS__, int)                                             \
	CGPU_TAKES_MORE(letters "d", __VA_ARGS__, double)                                          \
	CGPU_TAKES_MORE(letters "f", __VA_ARGS__, float)
#define CGPU_TAKES_FROM(letters, type)                                                             \
	CGPU_TAKES(letters, type)                                                                  \
	CGPU_TAKES_MORE(letters, type)                                                             \
	CGPU_TAKES_TWO_MORE(letters "i", type, int)                                                \
	CGPU_TAKES_TWO_MORE(letters "d", type, double) CGPU_TAKES_TWO_MORE(letters "f", type, float)
#define cgpu_interact(f, ...)                                                                      \
	cgpu_interact((void (*)(void))(f),                                                         \
		      _Generic((f),                                                                \
			      CGPU_TAKES_FROM("i", int) CGPU_TAKES_FROM("d", double)               \
				      CGPU_TAKES_FROM("f", float) default: ""),                    \
		      CGPU_LIST(struct cgpu_range, __VA_ARGS__))
#endif

#endif
