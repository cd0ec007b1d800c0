/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The value of a C++ cell's last expression. What C has too is passed through, and shown as a C cell shows it; strings,
 * containers, pairs and what can be written to a stream become text here.
 */
#ifndef CGPU_SHOW_H
#define CGPU_SHOW_H

#if __cplusplus >= 202002L
#include <charconv>
#include <concepts>
#include <cstdio>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>

namespace cgpu_show
{

constexpr unsigned elements_max = 100;

template <class T> void put(std::string &out, const T &value);

template <class T> concept text = std::is_class_v<T> && std::convertible_to<const T &, std::string_view>;
template <class T> concept streamed = std::is_class_v<T> && requires(std::ostream &o, const T &value) { o << value; };
template <class T> concept pair = requires(const T &value) { value.first; value.second; };
template <class T> concept handle = std::is_class_v<T> && requires(const T &value) { value.has_value(); *value; };
template <class T> concept sequence = std::is_class_v<T> && requires(const T &value) { value.begin() != value.end(); };
template <class T> concept map = sequence<T> && requires { typename T::mapped_type; };
template <class T> concept plain = std::is_arithmetic_v<T> || std::is_pointer_v<T> || std::is_enum_v<T>;

template <class T> constexpr bool shows();

template <class T> constexpr bool shows_element()
{
	return plain<T> || shows<T>();
}

template <class T> constexpr bool shows()
{
	if constexpr (text<T> || streamed<T>)
		return true;
	else if constexpr (sequence<T>)
		return shows_element<std::remove_cvref_t<decltype(*std::declval<const T &>().begin())>>();
	else if constexpr (pair<T>)
		return shows_element<std::remove_cvref_t<decltype(std::declval<const T &>().first)>>() &&
		       shows_element<std::remove_cvref_t<decltype(std::declval<const T &>().second)>>();
	else if constexpr (handle<T>)
		return shows_element<std::remove_cvref_t<decltype(*std::declval<const T &>())>>();
	else
		return false;
}

inline void put_text(std::string &out, std::string_view value)
{
	out += '"';
	for (unsigned char c : value) {
		char code[8];

		if (c == '"' || c == '\\')
			(out += '\\') += (char)c;
		else if (c == '\n')
			out += "\\n";
		else if (c == '\t')
			out += "\\t";
		else if (c < ' ' || c == 127)
			out.append(code, (std::size_t)std::snprintf(code, sizeof(code), "\\x%02x", c));
		else
			out += (char)c;
	}
	out += '"';
}

template <class T> void put_number(std::string &out, T value)
{
	char digits[64];
	auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
	std::string_view written(digits, (std::size_t)(end - digits));

	out += written;
	if (std::is_floating_point_v<T> && written.find_first_of(".einf") == written.npos)
		out += ".0";
}

inline void put_address(std::string &out, const void *value)
{
	char digits[32];

	out.append(digits, (std::size_t)std::snprintf(digits, sizeof(digits), "%p", value));
}

template <class T> void put_plain(std::string &out, T value)
{
	if constexpr (std::is_same_v<T, bool>)
		out += value ? "true" : "false";
	else if constexpr (std::is_same_v<T, char>)
		((out += '\'') += value) += '\'';
	else if constexpr (std::is_same_v<T, const char *> || std::is_same_v<T, char *>)
		value ? put_text(out, value) : (void)(out += "NULL");
	else if constexpr (std::is_enum_v<T>)
		put_number(out, (std::underlying_type_t<T>)value);
	else if constexpr (std::is_pointer_v<T>)
		put_address(out, (const void *)value);
	else
		put_number(out, value);
}

template <class T> void put_elements(std::string &out, const T &value)
{
	unsigned n = 0;

	out += '{';
	for (const auto &one : value) {
		if (n++ == elements_max) {
			out += ", ...";
			break;
		}
		out += n > 1 ? ", " : "";
		if constexpr (map<T>) {
			put(out, one.first);
			out += ": ";
			put(out, one.second);
		} else {
			put<std::remove_cvref_t<decltype(one)>>(out, one);
		}
	}
	out += '}';
}

template <class T> void put(std::string &out, const T &value)
{
	if constexpr (plain<T>) {
		put_plain(out, value);
	} else if constexpr (text<T>) {
		put_text(out, std::string_view(value));
	} else if constexpr (streamed<T>) {
		std::ostringstream stream;

		stream << value;
		out += stream.str();
	} else if constexpr (sequence<T>) {
		put_elements(out, value);
	} else if constexpr (pair<T>) {
		out += '{';
		put(out, value.first);
		out += ", ";
		put(out, value.second);
		out += '}';
	} else {
		value.has_value() ? put(out, *value) : (void)(out += "nothing");
	}
}

template <class T> requires(shows<std::remove_cvref_t<T>>()) void show(const T &value)
{
	std::string out;

	put(out, value);
	cgpu_display_value("text", "t", out.data(), out.size());
}

template <class T> requires(!shows<std::remove_cvref_t<T>>()) const T &show(const T &value)
{
	return value;
}

} /* namespace cgpu_show */
#else
namespace cgpu_show
{

template <class T> const T &show(const T &value)
{
	return value;
}

} /* namespace cgpu_show */
#endif

#endif
