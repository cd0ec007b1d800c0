char word[] = "cat";
word[0] = 'b';
word
