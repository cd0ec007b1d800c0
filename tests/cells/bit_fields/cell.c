struct flags { unsigned lo : 3, mid : 5; int sign : 4; } f = { 1, 31, -3 };
f.lo = 7; f.lo++;
f.sign
//---
f.lo + f.mid
