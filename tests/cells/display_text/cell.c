char *s = "line\n\"q\"";
s
//---
char buf[8] = "abc";
buf
//---
"literal"
