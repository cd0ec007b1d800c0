int class = 1, new = 2, template = 3, namespace = 4, using = 5;
class += new;
class + template + namespace + using
