#include <string>
template <class T> struct holder { T held; holder(T t) : held(t) {} };
holder(const char *) -> holder<std::string>;
holder h("text");
h.held.size()
//---
holder other("more");
other.held + h.held
//---
holder number(3);
number.held
