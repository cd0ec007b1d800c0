int kept = 1;
//---
kept = 2; abort();
//---
kept
