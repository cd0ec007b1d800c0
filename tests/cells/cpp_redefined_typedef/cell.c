typedef int number;
number n = 7;
number half(number x) { return x / 2; }
half(n)
//---
typedef double number;
number m = 7;
m / 2
//---
number half(number x) { return x / 2; }
half(7)
