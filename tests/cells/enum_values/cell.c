enum color { RED, GREEN = 5, BLUE } c = BLUE;
c
//---
RED + GREEN + BLUE
