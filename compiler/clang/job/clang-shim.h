/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clang in this process, behind a C interface: the only place where C meets C++. It compiles one
 * translation unit to an object in memory, reports diagnostics and file-scope names through
 * callbacks, builds precompiled headers, and completes code. Of cells it knows only this:
 * file-scope names are those whose `#line` file is job.name; functions and variables that an
 * included file defines are part of the object only if the #include is in such a line; statements
 * and declarations are mixed; and when the last of them is an expression without `;`, its value is
 * passed to cgpu_display_value().
 *
 * With options for C++ the reported names are extern "C" functions, variables at file scope, whose
 * names are not mangled, and types, as C text.
 *
 * Callbacks run inside the call that was given them; texts live for the callback only.
 */
#ifndef CGPU_COMPILER_CLANG_SHIM_H
#define CGPU_COMPILER_CLANG_SHIM_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Options, parsed once from a clang command line; each compilation starts from a copy. */
struct clang_options;

enum clang_severity { CLANG_NOTE, CLANG_WARNING, CLANG_ERROR };

enum clang_diagnostic_kind {
	CLANG_OTHER,
	CLANG_CLASH,
	CLANG_PREVIOUS,
	CLANG_INSTANTIATION,
	CLANG_INSTANTIATED,
	CLANG_CAPTURES_GLOBAL,
	CLANG_UNCONVERTED,
	CLANG_UNPOPPED,
	CLANG_OTHER_TARGET,
	CLANG_LAUNCH,
	CLANG_SHARED_INIT,
	CLANG_NO_FILE,
	CLANG_FEW_ARGUMENTS,
	CLANG_UNKNOWN,
	CLANG_ODD_IN_C,
	CLANG_OF_CPP,
	CLANG_BITS_OF_TYPEOF,
};

struct clang_diagnostic {
	enum clang_severity severity;
	enum clang_diagnostic_kind kind; /* from clang's number: clang-diagnostics.def */
	const char *message;
	/* The first name that it is about, as spelled, or the file that is not found; NULL:
	 * none. */
	const char *name;
	const char *guess; /* clang's suggestion for a misspelt name; NULL: none */
	/* The class or enum without a definition that it is about; NULL: none. */
	const char *incomplete;
	unsigned wanted;  /* for a call with too few arguments: their minimum */
	const char *flag; /* "-Wparentheses" or "" */
	bool in_syntax;   /* from the parser, not about meaning */
	const char *file; /* as #line says; "" without a place */
	unsigned line, column;
	bool is_of_flags;      /* in a file that a flag includes, or about that flag */
	bool in_system_header; /* in a header of the C++ library or CUDA, not in a file of the user
				*/
	const char *source;    /* the line of a file that is included; NULL elsewhere */
	const char *hint;      /* a hint that clang's message lacks; NULL */
	/* The macro whose text contains this place, as the cell spells it; NULL: none. */
	const char *macro;
	/* "<vector>": the header of the standard library with the missing name; NULL: none. */
	const char *header;
	const char *include_file; /* the including file, as in #line; NULL: not included */
	unsigned include_line;
	long offset;                 /* in the job's text; -1 when elsewhere */
	long range_begin, range_end; /* the first range in the job's text; -1 for none */
};

enum clang_symbol_kind {
	CLANG_VARIABLE,
	CLANG_FUNCTION,
	CLANG_TYPEDEF,
	CLANG_MACRO,
	CLANG_CONSTANT,
	CLANG_TAG
};

struct clang_symbol {
	enum clang_symbol_kind kind;
	/* Its #line file is the job's name; others come from headers: typedefs, and all kinds when
	 * a header is built. */
	bool in_cell;
	bool in_include; /* not in_cell, but defined by a file that the cell includes */
	bool is_definition;
	/* For a C cell: a variable that keeps the session's value, if it has one, until the cell
	 * reaches its definition. */
	bool waits;
	bool is_thread_local;
	bool is_c;         /* for a C++ cell: extern "C", meant for C */
	bool is_entry;     /* for a C++ cell: a kernel, by the name of its stub */
	bool is_on_device; /* for a C++ cell: a variable with a stand-in on the host */
	bool has_label;    /* for a C++ cell: a function whose symbol differs from its name */
	/* Bytes of the job's text that are the declaration, with the comment right above;
	 * written_begin < 0: it is not in there. */
	long written_begin, written_end;
	const char *name;
	const char *type; /* "double [16]"; for a macro: the first word of its body */
	/* "double x[16]": for a variable, function or typedef, without storage class; for a
	 * header's function with parameter names. */
	const char *declaration;
	const char *type_code; /* of a variable */
	/* The literal value of a numeric C constant; NULL: for all else. */
	const char *value;
	uint64_t layout; /* for a C variable or function, see common/code/unit.h */
	uint64_t size;
	unsigned line, column;
};

/* The text of a kernel has its body if this macro is defined, else a `;`. */
#define CLANG_ANEW "CGPU_ANEW"
/* The text of another function whose body later cells get has a `;` if this macro is defined. */
#define CLANG_DECLARED "CGPU_DECLARED"

/* The annotation of `extern const int n` of an earlier cell, with its value. */
#define CLANG_VALUE "cgpu_value"

/* The word in a `#pragma` that makes a name of headers the session's
 * (compiler/clang/cells/clang-own.hh). */
#define CLANG_OWN "cgpu_own"

/* A piece of a C++ cell for later ones: a declaration at file scope, or a directive. */
struct clang_piece {
	const char *key;  /* a later piece with the same key replaces it; unique in a cell */
	const char *name; /* the plain name; "" for none */
	const char *text;
	long written_begin, written_end; /* as in struct clang_symbol */
	unsigned line;
};

/*
 * The last line of such a declaration's text, with its layout (clang_declaration_layout() in
 * compiler/clang/tree/clang-types.hh). A text without it: the layout is not known.
 */
#define CLANG_LAYOUT "/* layout %016" PRIx64 " */"
#define CLANG_LAYOUT_READ "/* layout %" SCNx64

/* A declaration of a C++ cell, at file scope or in a namespace. */
struct clang_definition {
	const char *key, *name; /* of the piece that it would be */
	uint64_t layout;        /* 0: not known */
	long end;               /* end in the text, with its `;` or `}` */
};

/* A CUDA kernel (`__global__` function), or an instance of a template of one, with a stub in the
 * host object. */
struct clang_kernel {
	const char *ptx_name; /* its symbol in the PTX */
	const char *stub;     /* its symbol in the object */
	unsigned line;
};

enum clang_effort {
	CLANG_FULL, /* clang's own pipeline, whatever the options */
	CLANG_LOOPS,
	CLANG_NESTED, /* loops within loops: also vectorised and unrolled */
	CLANG_LIGHT,  /* optimised, but with unoptimised code generation */
	CLANG_ONCE,   /* straight-line code that runs once: not optimised */
	CLANG_CPP,    /* C++: as CLANG_LOOPS, whatever it contains */
	CLANG_STEPS,  /* for a debugger: not optimised, whatever the options */
	CLANG_EFFORTS
};

struct clang_job {
	const struct clang_options *options;
	const char *header;       /* precompiled, in place of the options' own; NULL for that */
	const char *name;         /* of the text, and of the cell in #line */
	const char *const *files; /* other names in #line whose lines count as the cell's */
	size_t n_files;
	const char *text; /* NUL-terminated */
	size_t len;
	const char *behind; /* declarations behind the text of a C++ cell; NULL: none */
	/* For a C cell: the name of the function of its statements. For a C++ cell: a function that
	 * they call; NULL: none. */
	const char *run;
	/* For a C++ cell: the prefix of functions made of statements at file scope, followed by a
	 * number. */
	const char *statements;
	/*
	 * For a C++ cell with `instance`: the prefix of the symbols of inline functions and
	 * template instances that units share, and those that the session has, a line each, without
	 * the prefix.
	 */
	const char *instances;
	const char *given;
	enum clang_effort effort;
	bool functions_only; /* for a C cell: its variables exist elsewhere, its statements have run
			      */
	bool checked;        /* each memory access calls the functions of runtime/memcheck/ */
	void *context;
	void (*diagnostic)(void *context, const struct clang_diagnostic *d);
	void (*symbol)(void *context, const struct clang_symbol *s); /* may be NULL */
	/* For a C++ cell without errors; may be NULL. */
	void (*piece)(void *context, const struct clang_piece *p);
	/* For a C++ cell with errors: its valid declarations; may be NULL. */
	void (*definition)(void *context, const struct clang_definition *d);
	/*
	 * For a C++ cell without errors: a declaration of an earlier cell that is behind one of its
	 * own; file: as in #line. May be NULL.
	 */
	void (*dependent)(void *context, const char *file, uint64_t layout);
	/*
	 * For a C cell, also after errors: an item at its top level, from `begin` to `end` of the
	 * text. function: the function that it defines, with its body from `body`; NULL: none. May
	 * be NULL.
	 */
	void (*item)(void *context, unsigned begin, unsigned body, unsigned end,
		     const char *function);
	/* For a C cell, also after errors: a branch of #if that is not taken, [begin, end) of the
	 * text; may be NULL. */
	void (*skipped)(void *context, unsigned begin, unsigned end);
	/* For a cell, also after errors: a directive outside of all brackets, by its text behind
	 * "#pragma"; may be NULL. */
	void (*pragma)(void *context, const char *text);
	/* For a C++ cell: the symbol of a weak variable that its own text defines, or of its guard;
	 * may be NULL. */
	void (*own_variable)(void *context, const char *symbol);
	/* For a C++ cell: the unit's code of this symbol is for other units, too. NULL: the unit
	 * shares no code. */
	void (*instance)(void *context, const char *symbol);
	/*
	 * Like `instance`: a template instance from headers alone that the cell uses and no header
	 * has; the key is for clang_shim_build_instances(). May be NULL.
	 */
	void (*instantiated)(void *context, const char *key);
	/* For clang_shim_build_instances() alone. */
	void (*refused)(void *context, const char *key);
	void (*kernel)(void *context, const struct clang_kernel *k); /* like `piece` */
	/* Like `piece`: a function whose symbol in the object differs from its name, and its
	 * type. */
	void (*function)(void *context, const char *symbol, const char *type, unsigned line);
	/* For a C++ cell: has_device_code will be set. Called once, as soon as it is known; may be
	 * NULL. */
	void (*device_code)(void *context);
	/*
	 * For a C++ cell, also after errors: an edit that replaces [begin, end) of the text, so
	 * that its lambdas capture what they name. Edits do not overlap. May be NULL.
	 */
	void (*edit)(void *context, unsigned begin, unsigned end, const char *with);
	/* Like `edit`: device code launches a kernel whose body is missing; file: where it is
	 * declared, as in #line. */
	void (*launched)(void *context, const char *file);
	/* For each source file of a header; may be NULL. */
	void (*file)(void *context, const char *path);
};

struct clang_result {
	char *object; /* malloc-ed; NULL when the job was only parsed */
	size_t object_len;
	char *display_type; /* malloc-ed; NULL when nothing is displayed */
	char *display_type_code;
	/* For a C++ cell: where its last expression begins in the text, shown or not; 0: there is
	 * none. */
	long display_offset;
	bool has_run; /* for a C cell: job.run exists; for a C++ cell: its statements call it */
	/* For a C++ cell: clang_shim_compile_device() must be called, with options for a device. */
	bool has_device_code;
};

struct clang_completion {
	const char *text;      /* what is inserted */
	const char *kind;      /* function, variable, type, macro, keyword, member, file, folder */
	const char *type;      /* result or value type, "" if none */
	const char *signature; /* "double pow(double x, double y)" */
	unsigned priority;     /* smaller is better */
};

/* What a name means. */
struct clang_description {
	const char *kind;   /* "function", "macro", "local variable", "member" */
	const char *parent; /* "struct pair" for a member, "enum color" for a constant; "": none */
	/* The declaration, with the names of its parameters; a line for each of n_overloads. */
	const char *code;
	size_t n_overloads;
	/* Bytes of `code` that are the parameter at the cursor; equal: none. */
	unsigned mark_begin, mark_end;
	const char *comment; /* as Markdown (compiler/clang/tree/clang-comment.hh); "": none */
	const char *source;  /* its definition as written, "" if that is not to be had */
	const char *file;    /* as in #line; "": built into the compiler */
	unsigned line;
	const char *name; /* of the function that is called; NULL: the name that was asked for */
	long parameter;   /* index of the parameter at the cursor; -1: none */
	void *clang;      /* for clang_shim_comment() */
};

/* A variable that an expression names. */
struct clang_expression_name {
	const char *name;
	unsigned line; /* on which it is declared; 0: it has no other of its name */
};

/* An expression as a program: the parts of a record of common/code/expression.h. */
struct clang_expression {
	const char *type, *type_code;
	unsigned kind; /* of the result */
	const struct clang_expression_name *locals;
	size_t n_locals;
	const char *const *variables;
	size_t n_variables;
	const char *code;
	size_t code_len;
	const char *refusal; /* why there is no program; NULL: there is */
};

void clang_shim_init(void);
const char *clang_shim_version(void);

/*
 * Parses options. argv is a command line of the clang driver, argv[0] its name. On failure NULL,
 * with the driver's error in text (cut to size). Free with clang_options_free().
 */
struct clang_options *clang_options_new(const char *const *argv, size_t n, char *text, size_t size);
void clang_options_free(struct clang_options *o);
/*
 * Declares that these options are cgpu's own, without any of the user: code generation may use a
 * shorter pipeline than clang's, which supports all options.
 */
void clang_options_are_own(struct clang_options *o);
/* Tells whether a precompiled header is there, and whole (compiler/cache/sealed-file.h). */
bool clang_shim_header_is_whole(const char *path);
/* Tells each path of the headers that one is chained to, the nearest one first; NULL: to nobody.
 * Returns how many there are. */
size_t clang_shim_header_chain(const char *path, void (*tell)(const char *path));
/* Returns the precompiled header in use; "" for none. */
const char *clang_options_header(const struct clang_options *o);
/* Sets the precompiled header to use from here on. */
void clang_options_set_header(struct clang_options *o, const char *path);
/* Sets directives for the beginning of each text, behind the header. Copied. */
void clang_options_set_macros(struct clang_options *o, const char *text);
/*
 * Returns the cc1 command line, one argument a line, as far as a precompiled header depends on it,
 * so without the folder for debugging information. malloc-ed.
 */
char *clang_options_describe(const struct clang_options *o);

/* The name of a structure at the end of a C++ header's text: at this point the virtual tables that
 * its classes need are defined. */
#define CLANG_HEADER_END "cgpu_header_end"
/* Precompiles job->text into the file at path, which has no seal yet; reports all its names. 0, or
 * -1 after diagnostics. */
int clang_shim_build_header(const struct clang_job *job, const char *path);
/*
 * Precompiles instances of templates of job->header, which must not move, into the file at path:
 * job->text has their keys (`instantiated`), a line each. Keys without an instance are passed to
 * job->refused. 0, or -1 when some have errors, which are passed, too.
 */
int clang_shim_build_instances(const struct clang_job *job, const char *path);

/* Compiles to an object. 0, or -1 after diagnostics. Release the result with
 * clang_result_release(). */
int clang_shim_compile(const struct clang_job *job, struct clang_result *ret);
/*
 * Compiles the device code of a C++ cell to PTX, malloc-ed. 0, or -1 after diagnostics. It may run
 * on a thread of its own while another one is in clang_shim_compile(), from the callback
 * device_code on.
 */
int clang_shim_compile_device(const struct clang_job *job, char **ret_ptx, size_t *ret_len);
/*
 * Uses idle time: destroys the last compilation, and begins the next one ahead, with these options
 * and this header as in a job. options NULL: begins none.
 */
void clang_shim_rest(const struct clang_options *options, const char *header);
/* Does the same for a C++ cell, in steps of some milliseconds: false when all is done. */
bool clang_shim_rest_cpp(const struct clang_options *options, const char *header);
/* Parses only; symbols are reported even after errors. 0, or -1 when there were errors. */
int clang_shim_parse(const struct clang_job *job);
void clang_result_release(struct clang_result *r);

/*
 * Calls found() for members, locals, keywords and names of the text itself (not of headers) that
 * start with prefix. line and column of job->text (from 1) are where the prefix starts. In the path
 * of an #include the prefix is all of it that was typed, with its `<` or `"`, and the place behind
 * it; the names of files and folders in it are found, closed with `>` or `"`, or `/`.
 */
void clang_shim_complete(const struct clang_job *job, const char *prefix, unsigned line,
			 unsigned column,
			 void (*found)(void *context, const struct clang_completion *c));

/*
 * Calls found() with the expression that job->text declares CLANG_EXPRESSION by,
 * `typedef __typeof__((EXPRESSION)) *CLANG_EXPRESSION;`, in front of line and column. It is not
 * called when the expression is none: job->diagnostic says why.
 */
#define CLANG_EXPRESSION "cgpu_expression"
void clang_shim_express(const struct clang_job *job, unsigned line, unsigned column,
			void (*found)(void *context, const struct clang_expression *e));

/*
 * Calls found() with what the name means that ends at line and column of job->text, once for all
 * overloads; with the name "", for each function that the call may mean in whose arguments the
 * place is. It is not called where clang knows nothing.
 */
void clang_shim_describe(const struct clang_job *job, const char *name, unsigned line,
			 unsigned column,
			 void (*found)(void *context, const struct clang_description *d));
/* Passes the text of a comment, with its marks, as Markdown, "" if it says nothing; within the call
 * that a description is passed to. */
void clang_shim_comment(const struct clang_description *d, const char *text, size_t len,
			void *context, void (*found)(void *context, const char *comment));

#ifdef __cplusplus
}
#endif

#endif
