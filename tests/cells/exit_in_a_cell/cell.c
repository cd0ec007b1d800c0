int kept = 1;
//---
kept = 2; exit(0);
//---
kept
