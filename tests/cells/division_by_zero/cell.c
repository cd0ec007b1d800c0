int zero = 0;
//---
1 / zero
