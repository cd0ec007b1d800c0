inline int level = 1;
inline int get() { return level; }
level = 5;
get()
//---
inline int level = 2;
get()
//---
inline double level = 2.5;
level
//---
get()
