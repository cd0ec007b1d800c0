sizeof(1L) + sizeof(1LL) + sizeof(1u)
//---
18446744073709551615ULL
