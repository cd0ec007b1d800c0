%%cpp
template <class T> T twice(T x) { return 2 * x; }
template <class T> T four(T x) { return twice(twice(x)); }
constexpr int square(int x) { return x * x; }
template <int N> struct box { int v[square(N)]; };
template <class T> class stack {
	T v[10];
	int n = 0;
      public:
	void push(T x) { v[n++] = x; }
	T pop() { return v[--n]; }
};
stack<int> st;
four(1) + sizeof(box<2>)
//---
%%cpp
template <class T> T twice(T x) { return 3 * x; }
four(1)
//---
%%cpp
constexpr int square(int x) { return x * x * x; }
sizeof(box<2>)
//---
%%cpp
template <class T> class stack {
	T v[10];
	int n = 0;
      public:
	void push(T x) { v[n++] = x + 1; }
	T pop() { return v[--n]; }
};
st.push(6);
st.pop()
//---
%%cpp
st.push(6);
st.pop() + 100 * four(1) + 10000 * sizeof(box<2>)
