char *none = NULL;
none
//---
(void *)0
