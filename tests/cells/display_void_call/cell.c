void quiet(void) { }
quiet()
//---
(void)5
