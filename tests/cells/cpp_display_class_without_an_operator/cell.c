class account { int held = 5; std::string owner = "ann"; public: double rate = 0.5; };
account()
//---
struct base { int a = 1; };
struct child : base { int b = 2; };
child()
//---
struct empty {};
empty()
//---
#include <vector>
struct inside { base one; int list[2][2] = { { 1, 2 }, { 3, 4 } }; std::vector<base> more{ {}, {} }; };
inside()
//---
struct shape { virtual ~shape() = default; virtual double area() const { return 1; } int id = 3; };
shape()
