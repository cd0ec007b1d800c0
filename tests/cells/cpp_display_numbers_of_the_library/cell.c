#include <bitset>
#include <complex>
#include <ratio>
#include <cstddef>
#include <numbers>
std::complex<double>(1, -2.5)
//---
std::bitset<8>(0b10110)
//---
std::byte{ 0x41 }
//---
std::numbers::pi
//---
using namespace std::complex_literals;
1.0 + 2i
//---
std::complex<float> c[2] = { { 1, 2 }, { 3 } };
c
