int count(void) { static int n; return ++n; }
count() + count()
//---
count()
