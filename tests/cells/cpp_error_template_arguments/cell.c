template <class T> struct box { T v; };
template <int N> struct sized { int v[N]; };
box<int> good{ 1 };
//---
box<int, int> b;
//---
box c;
//---
int n = 3;
sized<n> s;
//---
box<> l;
//---
sized<int> t;
