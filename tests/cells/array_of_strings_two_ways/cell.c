char fixed[][4] = { "one", "two" }; char *loose[] = { "three", "four" };
fixed[1]
//---
strlen(loose[0]) + sizeof fixed
