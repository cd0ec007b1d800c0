int index = 4, y0 = 2; double time = 1.5;
index * y0 + time
//---
index + 1
