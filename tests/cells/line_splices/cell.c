int lo\
ng_name = 3; // a comment \
that goes on; long_name = 4;
long_name
