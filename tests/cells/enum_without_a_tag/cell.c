enum { WIDTH = 4, HEIGHT = WIDTH * 2 };
int area[WIDTH][HEIGHT];
//---
sizeof area / sizeof(int) + HEIGHT
