template <class T> struct kind { static constexpr int value = 1; };
template <class T> struct kind<T *> { static constexpr int value = 2; };
kind<int>::value * 10 + kind<int *>::value
//---
template <class T> struct kind<T *> { static constexpr int value = 7; };
kind<int>::value * 10 + kind<int *>::value
//---
template <class T> struct kind<const T> { static constexpr int value = 9; };
kind<const int>::value * 100 + kind<int>::value * 10 + kind<char *>::value
