enum class level : unsigned char { low = 1, high = 200 };
level::high
//---
enum flags { none = 0, a = 1, b = 2, c = 4 };
flags(a | b)
//---
level(77)
//---
namespace deep { enum class kind { one, two }; struct has { enum inner { x, y }; inner i = y; }; }
deep::kind::two
//---
deep::has()
//---
enum class negative { minus = -3 };
negative::minus
//---
(int)negative::minus
