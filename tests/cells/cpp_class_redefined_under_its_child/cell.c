struct base { int a = 1; int get() const { return a; } };
struct child : base { int b = 2; int both() const { return a + b; } };
child c;
c.both()
//---
struct base { int a = 10; long more = 5; int get() const { return a; } };
base().get()
//---
struct child : base { int b = 2; long both() const { return a + b + more; } };
child d;
d.both()
