bool yes = 5; _Bool no = 0.0;
yes
//---
no || !yes
