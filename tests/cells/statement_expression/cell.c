int x = ({ int a = 3, b = 4; a * b; });
x + ({ int y = x; y++; y; })
