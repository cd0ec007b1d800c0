class safe { int code = 1234; friend int crack(const safe &s); friend class thief; };
int crack(const safe &s) { return s.code; }
safe s;
crack(s)
//---
int crack(const safe &s) { return s.code % 10; }
crack(s)
//---
class thief { public: static int steal(const safe &s) { return -s.code; } };
thief::steal(s)
