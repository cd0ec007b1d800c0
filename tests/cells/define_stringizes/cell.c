#define TEXT(x) #x
#define EXPANDED(x) TEXT(x)
#define N 3
puts(TEXT(N)); puts(EXPANDED(N)); puts(TEXT(a  "b\n" c));
