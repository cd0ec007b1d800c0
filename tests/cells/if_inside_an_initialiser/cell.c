int v[] =
#if 1
{ 1, 2 };
#else
{ 3 };
#endif
v
