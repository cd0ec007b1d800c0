int strlen = 1, memcpy = 2, memcmp = 3, memset = 4, write = 5, read = 6, wcslen = 7;
//---
#include <iostream>
#include <map>
#include <string>
std::map<std::string, std::wstring> words = { { "one", L"1" }, { std::string(40, 'x') + "two", L"22" } };
std::string other = words.rbegin()->first;
other += "three";
std::cout << other << std::endl;
words["one"].size() + strlen + memcpy + memcmp + memset + write + read + wcslen
//---
char from[100] = "text", to[100];
struct { char s[100]; } a = { "inside" }, b;
b = a;
printf("%s %d\n", b.s, strlen + memcpy + memcmp);
//---
int puts(double x) { return printf("%g\n", x); }
puts(2.5);
printf("text\n");
//---
%%cpp
printf("text\n");
puts(1.5);
