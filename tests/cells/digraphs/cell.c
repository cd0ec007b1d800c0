int a<:3:> = <% 1, 2, 3 %>;
%:define SECOND a<:1:>
int f(void) <% return SECOND; %>
f()
