int x = square_root(4);
//---
puts(strngth);
