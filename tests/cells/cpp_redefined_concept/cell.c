template <class T> concept small = sizeof(T) <= 4;
template <small T> int take(T) { return sizeof(T); }
take(3)
//---
template <class T> concept small = sizeof(T) <= 8;
small<double>
//---
template <small T> int take(T) { return sizeof(T); }
take(3.0)
