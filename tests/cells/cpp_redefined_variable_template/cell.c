template <class T> constexpr T pi = T(3.0);
double round_area(double r) { return pi<double> * r * r; }
round_area(2)
//---
template <class T> constexpr T pi = T(3.25);
pi<int> + pi<float>
//---
round_area(2)
//---
template <> constexpr int pi<int> = 22;
pi<int> + pi<double>
