# SPDX-License-Identifier: Apache-2.0
"""What earlier cells have declared does not keep a cell from compiling that means something of its own, and needs none of it."""
from playing import play, refuse


def test_a_name_of_the_cell_that_is_a_macro_of_an_earlier_one(fresh_kernel):
    play(fresh_kernel, "#define x f\n#define f(a) f + f(a)\n#define N 100",
         # Names inside of functions: the macros go on for later cells.
         ("int sum(int N) { int f = 1, x = 2; return f + x + N; }\nsum(3)", "6"), ("N", "100"),
         # A name that the cell declares is its own from then on.
         "enum fred { a, e = 54, f = 73, x, N };", ("x + N", "149"), ("int f = 5;\nf", "5"),
         "#define X 3", "struct { enum { X, Y } q; } s;", ("X + 10 * Y", "10"))


def test_in_cpp_too(fresh_kernel):
    play(fresh_kernel, "#define N 100\n#define M N",
         ("%%cpp\nstruct S { int N; int M() const { return N; } };\nS{4}.M()", "4"), ("%%cpp\nS s{5}; s.N + s.M()", "10"),
         ("%%cpp\nconstexpr int N = 3;\nint a[N]; sizeof(a)", "12"), ("N", "3"))


def test_the_first_errors_are_told_when_that_does_not_help(fresh_kernel):
    play(fresh_kernel, "#define SIZE 10 +\n#define TWICE(x) ((x) + (x)")
    refuse(fresh_kernel, "int n = SIZE;", "In[2]:1:13: error: expected expression")
    refuse(fresh_kernel, "int n = TWICE(3);", "In[3]:1:17: error: expected ')'")
    play(fresh_kernel, ("SIZE 1", "11"))


def test_programs_one_after_the_other_in_one_session(fresh_kernel):
    play(fresh_kernel,
         ("#define g f\n#define f(a) a*g\nint main(void) { int f = 0; return f(2); }\nmain()", "0"),
         ("struct { enum { X } x; } s;\nint main() { return X; }\nmain()", "0"),
         ("#define X 6 / 2\nint main() { return X - 3; }\nmain()", "0"),
         ("enum fred { a, b, e = 54, f = 73, g, h };\nint main() { return f + g; }\nmain()", "147"),
         ("int x;\nint x = 3;\nint main() { x = 0; return x; }\nmain()", "0"),
         ("#define x(y) #y\nint main(void) { char *p = x(hello) \" you\"; return *p == 'h'; }\nmain()", "1"),
         ("int main() { int f = 1, x = 2, X = 3; return f + x + X; }\nmain()", "6"))


def test_a_pasted_program_of_cpp_runs_when_it_is_called(fresh_kernel):
    said = fresh_kernel.run("#include <iostream>\n"
                            'int main(int argc, char **argv) { std::cout << "ran " << argc; return 3; }').ok()
    assert said.stdout == "" and "main() is defined" in said.stderr
    assert fresh_kernel.run("main();").ok().stdout == "ran 1"
    assert fresh_kernel.run("%run a b").stdout == "ran 3"
    whole = fresh_kernel.run("%run 'a b' c\n#include <string>\n#include <iostream>\n"
                             "int main(int n, char **words) { std::cout << n << std::string(words[1]); return 4; }").ok()
    assert whole.stdout == "3a b" and not whole.stderr and "exit status 4" in whole.shown
