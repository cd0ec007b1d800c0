_Static_assert(sizeof(int) == 4, "int has 32 bits");
//---
_Static_assert(sizeof(char) == 2, "char has 16 bits");
