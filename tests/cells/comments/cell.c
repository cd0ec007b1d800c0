/* before */ int /* in */ a /* between */ = /* before value */ 3 /* after */; // end
a /* last */ // expression
/* behind */
//---
char *s = "/* no comment */ // nor this <<<1,2>>>(3)"; char c = '"', d = '\'', e = '\\';
s[0]
//---
int\
 spliced = 4; // a comment \
 that goes on
spliced
//---
// nothing but a comment
//---

