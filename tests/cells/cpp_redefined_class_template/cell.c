template <class T> struct box { T value; T get() const { return value; } };
box<int> b{ 4 };
b.get()
//---
template <class T> struct box { T value; T get() const { return 2 * value; } };
box<int> d{ 4 };
d.get()
//---
b
