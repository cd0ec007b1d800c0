struct celsius { double degrees; operator double() const; };
celsius::operator double() const { return degrees; }
celsius c{ 20 };
double twice = 2 * c;
twice
//---
celsius::operator double() const { return degrees * 9 / 5 + 32; }
twice = 2 * c;
twice
