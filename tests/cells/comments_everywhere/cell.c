int /* a */ x /* b */ = // c
	4 /* "not a string */ + 1; // 'nor a character
x /**/
