#define NAME(x) _Generic((x), int: "int", double: "double", char *: "text", default: "other")
puts(NAME(1)); puts(NAME(1.0)); puts(NAME("a")); puts(NAME(1.0f));
