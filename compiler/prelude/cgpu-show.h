/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The value of a C++ cell's last expression. What C has too is passed through, and shown as a C
 * cell shows it; strings, containers, what can be written to a stream and classes that C does not
 * have become text here.
 */
#ifndef CGPU_SHOW_H
#define CGPU_SHOW_H

#if __cplusplus >= 202002L
#include <charconv>
#include <compare>
#include <concepts>
#include <cstdio>
#include <cstring>
#include <cxxabi.h>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>

namespace cgpu_show
{

constexpr unsigned elements_max = 100;

template <class T> void put(std::string &out, const T &value);

struct member_list {
	std::string &out;
	bool any = false;
};

/* Their bodies are made by the compiler, which knows the type
 * (compiler/clang/tree/clang-members.hh). */
template <class T> void each_member(const T &value, member_list &to);
template <class T> const char *enumerator(T value); /* null: the value has no name */

template <class T>
concept made = std::is_class_v<T>;
template <class T>
concept text = made<T> && std::convertible_to<const T &, std::string_view>;
template <class T, class C>
concept text_of = made<T> && std::convertible_to<const T &, std::basic_string_view<C>>;
template <class T>
concept wide_text =
	text_of<T, wchar_t> || text_of<T, char8_t> || text_of<T, char16_t> || text_of<T, char32_t>;
template <class T>
concept stream = std::derived_from<T, std::ios_base>;
template <class T>
concept failure = std::derived_from<T, std::exception>;
template <class T>
concept order = std::same_as<T, std::strong_ordering> || std::same_as<T, std::weak_ordering> ||
		std::same_as<T, std::partial_ordering>;
/* What stands for an element of a vector<bool> or a bitset. */
template <class T>
concept bit =
	made<T> && std::convertible_to<const T &, bool> && requires(T value) { value.flip(); };
/* A pointer that owns. */
template <class T>
concept owner = made<T> && requires(const T &value) {
	typename T::element_type;
	*value;
	value.get();
} && std::is_pointer_v<decltype(std::declval<const T &>().get())>;
template <class T>
concept reference = made<T> && requires(const T &value) {
	{ value.get() } -> std::same_as<typename T::type &>;
};
template <class T>
concept streamed = made<T> && requires(std::ostream &o, const T &value) { o << value; };
template <class T>
concept begins_by_member = requires(const T &value) { value.begin() != value.end(); };
template <class T>
concept begins_by_function = requires(const T &value) { begin(value) != end(value); };
template <class T>
concept sequence = made<T> && (begins_by_member<T> || begins_by_function<T>);
template <class T>
concept lazy_sequence =
	made<T> && std::copyable<T> && requires(T &value) { value.begin() != value.end(); };
template <class T>
concept map = sequence<T> && requires { typename T::mapped_type; };
/* A stack or a queue. */
template <class T>
concept adaptor = made<T> && requires(const T &value) {
	typename T::container_type;
	value.empty();
};
template <class T>
concept tuple = made<T> && requires { std::tuple_size<T>::value; };
template <class T>
concept handle = made<T> && requires(const T &value) {
	value.has_value();
	*value;
};
template <class T>
concept alternatives = made<T> && requires(const T &value) {
	value.valueless_by_exception();
	value.index();
};
template <class T>
concept plain = std::is_arithmetic_v<T> || std::is_pointer_v<T> || std::is_enum_v<T> ||
		std::is_null_pointer_v<T> || std::is_member_pointer_v<T>;

/* Other classes are shown by their members. */
template <class T>
constexpr bool has_text =
	std::is_null_pointer_v<T> || std::is_member_pointer_v<T> || text<T> || wide_text<T> ||
	failure<T> || order<T> || bit<T> || streamed<T> || sequence<T> || lazy_sequence<T> ||
	adaptor<T> || tuple<T> || reference<T> || handle<T> || alternatives<T>;

inline void put_character(std::string &out, unsigned char c, char quote)
{
	char code[8];

	if (c == quote || c == '\\')
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

inline void put_text(std::string &out, std::string_view value)
{
	out += '"';
	for (unsigned char c : value)
		put_character(out, c, '"');
	out += '"';
}

inline void put_code_point(std::string &out, char32_t c, char quote)
{
	if (c < 0x80) {
		put_character(out, (unsigned char)c, quote);
		return;
	}
	if (c >= 0x10000) {
		out += (char)(0xf0 | c >> 18);
		out += (char)(0x80 | (c >> 12 & 0x3f));
	} else if (c >= 0x800) {
		out += (char)(0xe0 | c >> 12);
	} else {
		out += (char)(0xc0 | c >> 6);
	}
	if (c >= 0x800)
		out += (char)(0x80 | (c >> 6 & 0x3f));
	out += (char)(0x80 | (c & 0x3f));
}

template <class C> constexpr const char *prefix_of()
{
	if constexpr (std::is_same_v<C, wchar_t>)
		return "L";
	else if constexpr (std::is_same_v<C, char8_t>)
		return "u8";
	else if constexpr (std::is_same_v<C, char16_t>)
		return "u";
	else
		return std::is_same_v<C, char32_t> ? "U" : "";
}

template <class C> void put_wide_text(std::string &out, std::basic_string_view<C> value)
{
	(out += prefix_of<C>()) += '"';
	for (std::size_t i = 0; i < value.size(); i++) {
		char32_t c = (char32_t)value[i];

		if constexpr (sizeof(C) == 1) {
			put_character(out, (unsigned char)c, '"');
			continue;
		}
		if (sizeof(C) == 2 && c >= 0xd800 && c < 0xdc00 && i + 1 < value.size())
			c = 0x10000 + ((c - 0xd800) << 10) + ((char32_t)value[++i] - 0xdc00);
		put_code_point(out, c, '"');
	}
	out += '"';
}

template <class T> void put_wide(std::string &out, const T &value)
{
	if constexpr (text_of<T, wchar_t>)
		put_wide_text(out, std::wstring_view(value));
	else if constexpr (text_of<T, char8_t>)
		put_wide_text(out, std::u8string_view(value));
	else if constexpr (text_of<T, char16_t>)
		put_wide_text(out, std::u16string_view(value));
	else
		put_wide_text(out, std::u32string_view(value));
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

template <class T> void put_enum(std::string &out, T value)
{
	const char *name = enumerator(value);

	if (name)
		(out += name) += " (";
	put_number(out, (std::underlying_type_t<T>)value);
	if (name)
		out += ')';
}

/* Of a member its place in the class; of a function that is not virtual its address. */
template <class T> void put_member_pointer(std::string &out, T value)
{
	std::ptrdiff_t first;

	std::memcpy(&first, &value, sizeof(first));
	if (value == nullptr)
		out += "NULL";
	else if constexpr (std::is_member_object_pointer_v<T>)
		put_number(out += "offset ", first);
	else if (first & 1)
		put_number(out += "virtual function ", first / (std::ptrdiff_t)sizeof(void *));
	else
		put_address(out, (const void *)first);
}

template <class T> void put_plain(std::string &out, T value)
{
	if constexpr (std::is_same_v<T, bool>) {
		out += value ? "true" : "false";
	} else if constexpr (std::is_same_v<T, char> || *prefix_of<T>()) {
		(out += prefix_of<T>()) += '\'';
		if constexpr (std::is_same_v<T, char>)
			put_character(out, (unsigned char)value, '\'');
		else
			put_code_point(out, (char32_t)value, '\'');
		out += '\'';
	} else if constexpr (std::is_null_pointer_v<T>) {
		out += "nullptr";
	} else if constexpr (std::is_same_v<T, const char *> || std::is_same_v<T, char *>) {
		value ? put_text(out, value) : (void)(out += "NULL");
	} else if constexpr (std::is_enum_v<T>) {
		put_enum(out, value);
	} else if constexpr (std::is_pointer_v<T>) {
		value ? put_address(out, (const void *)value) : (void)(out += "NULL");
	} else if constexpr (std::is_member_pointer_v<T>) {
		put_member_pointer(out, value);
	} else {
		put_number(out, value);
	}
}

template <class T> void put_elements(std::string &out, T &value)
{
	unsigned n = 0;

	out += '{';
	for (auto &&one : value) {
		if (n++ == elements_max) {
			out += ", ...";
			break;
		}
		out += n > 1 ? ", " : "";
		if constexpr (map<std::remove_const_t<T>>) {
			put(out, one.first);
			out += ": ";
			put(out, one.second);
		} else {
			put<std::remove_cvref_t<decltype(one)>>(out, one);
		}
	}
	out += '}';
}

template <class T, std::size_t... I>
void put_tuple(std::string &out, const T &value, std::index_sequence<I...>)
{
	out += '{';
	((out += I ? ", " : "", put(out, get<I>(value))), ...);
	out += '}';
}

/* Its container is protected. */
template <class T> struct opened : T {
	static auto &of(const T &value)
	{
		return value.*&opened::c;
	}
};

template <class T> void put_failure(std::string &out, const T &value)
{
	char *name = abi::__cxa_demangle(typeid(value).name(), nullptr, nullptr, nullptr);

	((out += name ? name : typeid(value).name()) += ": ") += value.what();
	std::free(name);
}

template <class T> void put_order(std::string &out, T value)
{
	out += value < 0 ? "less" : value > 0 ? "greater" : value == 0 ? "equal" : "unordered";
}

template <class T> void put_member(member_list &to, const char *name, const T &value)
{
	to.out += to.any ? ", " : "{";
	to.any = true;
	if (*name)
		((to.out += '.') += name) += " = ";
	put<std::remove_cv_t<T>>(to.out, value);
}

template <class T> void put_base(member_list &to, const T &value)
{
	if constexpr (has_text<T>)
		put_member(to, "", value);
	else
		each_member(value, to);
}

inline void put_name(member_list &to, const char *name)
{
	to.out += to.any ? ", " : "";
	to.out += name;
}

template <class T> void put_members(std::string &out, const T &value)
{
	member_list to{ out };
	std::size_t at = out.size();

	each_member(value, to);
	out += to.any ? "}" : out.size() == at ? "{}" : "";
}

template <class T> void put_array(std::string &out, const T &value)
{
	if constexpr (std::is_same_v<std::remove_cv_t<std::remove_extent_t<T>>, char>)
		put_text(out, std::string_view(value, strnlen(value, sizeof(value))));
	else
		put_elements(out, value);
}

template <class T> void put_class(std::string &out, const T &value)
{
	if constexpr (sequence<T>) {
		put_elements(out, value);
	} else if constexpr (lazy_sequence<T>) {
		T copy(value);

		put_elements(out, copy);
	} else if constexpr (adaptor<T>) {
		put(out, opened<T>::of(value));
	} else if constexpr (reference<T>) {
		put(out, value.get());
	} else if constexpr (tuple<T>) {
		put_tuple(out, value, std::make_index_sequence<std::tuple_size<T>::value>());
	} else if constexpr (handle<T>) {
		value.has_value() ? put(out, *value) : (void)(out += "nothing");
	} else if constexpr (alternatives<T>) {
		value.valueless_by_exception() ? (void)(out += "nothing")
					       : visit([&](auto &held) { put(out, held); }, value);
	} else {
		put_members(out, value);
	}
}

template <class T> void put(std::string &out, const T &value)
{
	if constexpr (plain<T>) {
		put_plain(out, value);
	} else if constexpr (std::is_array_v<T>) {
		put_array(out, value);
	} else if constexpr (text<T>) {
		put_text(out, std::string_view(value));
	} else if constexpr (wide_text<T>) {
		put_wide(out, value);
	} else if constexpr (failure<T>) {
		put_failure(out, value);
	} else if constexpr (order<T>) {
		put_order(out, value);
	} else if constexpr (bit<T>) {
		out += (bool)value ? "true" : "false";
	} else if constexpr (owner<T>) {
		put_plain(out, value.get());
	} else if constexpr (streamed<T>) {
		std::ostringstream stream;

		stream << value;
		out += stream.str();
	} else if constexpr (std::is_class_v<T> || std::is_union_v<T>) {
		put_class(out, value);
	} else if constexpr (requires { (float)value; }) {
		put_number(out, (float)value);
	} else {
		out += "...";
	}
}

inline void show_text(const std::string &out)
{
	cgpu_display_value("text", "t", out.data(), out.size());
}

/* The output of a stream is all that it is called for. */
template <class T>
	requires stream<T>
void show(const T &)
{
}

/* As the pointer that it holds is shown. */
template <class T>
	requires owner<T>
auto show(const T &value) -> decltype(value.get())
{
	return value.get();
}

template <class T>
	requires(has_text<T> && !stream<T> && !owner<T>)
void show(const T &value)
{
	std::string out;

	put(out, value);
	show_text(out);
}

/* What has no text as a whole comes back. */
template <class T>
	requires(!has_text<T> && !stream<T> && !owner<T>)
const T &show(const T &value)
{
	return value;
}

template <class T> void show_whole(const T &value)
{
	std::string out;

	put(out, value);
	show_text(out);
}

/* What a lambda can be made into is not asked. */
template <class T> void show_lambda(const T &value)
{
	std::string out;

	put_members(out, value);
	show_text(out);
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
