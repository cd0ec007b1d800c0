#include <string>
double area(double w, double h) { return w * h; }
std::string text = "3";
//---
area(2, text)
//---
area(text.size())
//---
area(1, 2, 3)
