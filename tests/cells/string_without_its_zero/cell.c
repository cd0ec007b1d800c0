char three[3] = "abc";
three
