int scale = 3;
auto by_value = [=](int x) { return x * scale; };
auto by_reference = [&](int x) { return x * scale; };
scale = 10;
by_value(2) * 100 + by_reference(2)
//---
auto by_value = [=](int x) { return x * scale; };
by_value(2) * 100 + by_reference(2)
//---
int scale = 4;
by_value(2) * 100 + by_reference(2)
//---
double scale = 0.5;
scale
//---
by_value(2)
//---
auto by_reference = [&](int x) { return x * scale; };
by_reference(3)
