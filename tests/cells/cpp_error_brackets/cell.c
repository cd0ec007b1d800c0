auto f = [](int x) { return (x + 1; };
//---
class c { public: int a; void b() { a = 1; };
//---
template <class T struct box {};
//---
std::vector<int> v = { 1, 2;
