__LINE__
//---

printf("%d %s\n", __LINE__, __FILE__);
