%%cpp
enum class color { red, green };
inline color other(color c) { return c == color::red ? color::green : color::red; }
//---
%%cpp
enum class color { red, green };
(int)other(color::red)
//---
%%cpp
enum class color { red, blue, green };
(int)other(color::red)
