struct money { int cents; };
money operator+(money a, money b) { return { a.cents + b.cents }; }
money sum3(money a, money b, money c) { return a + b + c; }
sum3({ 1 }, { 2 }, { 3 })
//---
money operator+(money a, money b) { return { a.cents + b.cents + 100 }; }
sum3({ 1 }, { 2 }, { 3 })
//---
#include <iostream>
std::ostream &operator<<(std::ostream &o, money m) { return o << m.cents << " ct"; }
sum3({ 1 }, { 2 }, { 3 })
//---
std::ostream &operator<<(std::ostream &o, money m) { return o << m.cents / 100.0 << " EUR"; }
sum3({ 1 }, { 2 }, { 3 })
