#include <string>
template <class T> std::string name_of() { return "some"; }
name_of<int>() + name_of<double>()
//---
template <> std::string name_of<int>() { return "int"; }
name_of<int>() + " " + name_of<double>()
//---
template <> std::string name_of<int>() { return "whole"; }
name_of<int>() + " " + name_of<double>()
//---
template <class T> std::string name_of() { return "any"; }
name_of<int>() + " " + name_of<double>()
