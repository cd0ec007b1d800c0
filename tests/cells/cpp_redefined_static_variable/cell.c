static int hits = 0;
static void hit(int n = 1) { hits += n; }
hit(); hit(4);
hits
//---
static int hits = 100;
//---
hit();
hits
//---
static void hit(int n = 1) { hits -= n; }
hit(); hit(50);
hits
