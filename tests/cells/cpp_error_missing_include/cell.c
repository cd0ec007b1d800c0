auto p = std::make_unique<int>(3);
//---
std::cout << std::setprecision(3) << 1.5 << std::endl;
//---
std::vector v{ 1, 2 };
std::sort(v.begin(), v.end());
//---
#include <vectr>
