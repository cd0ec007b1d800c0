char two[2] = "abc";
