%%cpp
struct base { virtual int v() const { return 1; } virtual ~base() = default; };
struct child : base { int a = 5; int v() const override { return a; } };
child c;
inline int call(const base &b) { return b.v(); }
call(c)
//---
%%cpp
struct base { virtual int v() const { return 10; } virtual ~base() = default; };
call(c) + 100 * call(base())
//---
%%cpp
struct base { virtual int v() const { return 10; } virtual int w() const { return 11; } virtual ~base() = default; };
call(base())
//---
%%cpp
struct base { virtual int v() const { return 10; } virtual int w() const { return 11; } virtual ~base() = default; };
base().w()
