__attribute__((section(".mydata"))) int placed = 5;
//---
placed + 1
