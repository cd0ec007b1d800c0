/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of options is parsed once for each text of flags, language and GPU architecture, and kept
 * in a linked list until the compiler ends. The prelude's precompiled header and a text file with
 * its names are sealed files (compiler/cache/sealed-file.h): one that is damaged is made anew,
 * whenever that is seen. Their names on disk hold a hash of the cc1 command line, clang's version,
 * and size and time of the main headers. A prelude that fails to compile with the user's -D and -U
 * is compiled without them; they then become directives behind it.
 */
#define _GNU_SOURCE
#include "compiler/session/options.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/buffer.h"
#include "common/base/cache-folder.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem-pool.h"
#include "common/base/own-prefix.h"
#include "common/cuda/device-target.h"
#include "common/cuda/without-cuda.h"
#include "common/text/allowed-flags.h"
#include "common/text/flag-words.h"
#include "compiler/cache/sealed-file.h"
#include "compiler/clang/job/clang-shim.h"
#include "compiler/session/session.h"
#include "config.h"

#define ARGUMENTS_MAX 400
#define CUDA_HEADER "include/cuda_runtime_api.h"
#define HEADERS_GONE                                                                               \
	"CUDA's headers are not where they were when cgpu was built. `./bootstrap install` in "    \
	"its source folder brings them back; "                                                     \
	"or name the folder that has include/cuda.h in CGPU_CUDA. Then restart the kernel"

struct options_set {
	struct options_set *next;
	enum options_language language;
	unsigned sm; /* for device code */
	char *cflags;
	struct clang_options *clang;
};

/* Returns the folder that the variable names; else that of own_prefix_folder(). */
static char *pick(const char *variable, const char *name, const char *file, const char *otherwise)
{
	const char *value = getenv(variable);

	return value && *value ? strdup(value) : own_prefix_folder(name, file, otherwise);
}

int options_init(struct options *o, struct error *err)
{
	cleanup_buffer struct buffer header = BUFFER_INIT;

	*o = (struct options){ 0 };
	o->prelude = pick("CGPU_PRELUDE", "include", "cgpu.h", CGPU_PRELUDE_DIR);
	o->cuda_root = pick("CGPU_CUDA", "cuda", CUDA_HEADER, CGPU_CUDA_ROOT);
	o->clang_root = own_prefix_folder("clang", "include/stddef.h", CGPU_CLANG_RESOURCE_DIR);
	if (!o->prelude || !o->cuda_root || !o->clang_root)
		return error_set(err, ERROR_MEMORY, "out of memory at start");
	buffer_printf(&header, "%s/" CUDA_HEADER, o->cuda_root);
	if (!HAVE_CUDA || access(buffer_text(&header), R_OK)) {
		free(o->cuda_root);
		o->cuda_root = NULL;
		o->no_cuda = HAVE_CUDA ? HEADERS_GONE : BUILT_WITHOUT_CUDA;
	}
	return 0;
}

void options_release(struct options *o)
{
	while (o->sets) {
		struct options_set *set = o->sets;

		o->sets = set->next;
		clang_options_free(set->clang);
		free(set->cflags);
		free(set);
	}
	free(o->prelude);
	free(o->cuda_root);
	free(o->clang_root);
	*o = (struct options){ 0 };
}

/* A command line for the clang driver that is being built. */
struct arguments {
	const char *at[ARGUMENTS_MAX];
	size_t n;
	struct mem_pool pool; /* for words that are made for it */
	bool failed;
};

static void add(struct arguments *a, const char *word)
{
	a->failed |= !word || a->n == ARGUMENTS_MAX;
	if (!a->failed)
		a->at[a->n++] = word;
}

static void add_all(struct arguments *a, const char *const *words)
{
	for (size_t i = 0; words[i]; i++)
		add(a, words[i]);
}

/* Adds -isystem FOLDER/NAME. */
static void add_folder(struct arguments *a, const char *folder, const char *name)
{
	cleanup_buffer struct buffer word = BUFFER_INIT;

	buffer_printf(&word, "-isystem%s%s", folder, name);
	add(a, buffer_check(&word, NULL) ? NULL : mem_pool_strdup(&a->pool, buffer_text(&word)));
}

/*
 * Adds the options of the language. Calls within a C++ unit may be inlined, since its functions are
 * replaced as a whole. C++ is CUDA C++ where there is CUDA, compiled for host and device.
 * -fno-cxx-modules keeps declarations apart in a precompiled header that differ only in their
 * target; templates that a header instantiates are instantiated when it is made, not by each cell.
 */
static void add_language(const struct options *o, struct arguments *a,
			 enum options_language language)
{
	static const char *const c[] = { "-x", "c", "-std=gnu17", "-fsemantic-interposition",
					 NULL };
	static const char *const plain[] = { "-x", "c++", NULL };
	static const char *const cuda[] = { "-x",         "cuda",
					    "-nocudainc", "-nocudalib",
					    "-fgpu-rdc",  "-Wno-unknown-cuda-version",
					    "-Xclang",    "-fcuda-allow-variadic-functions",
					    "-Xclang",    "-target-sdk-version=12.5",
					    NULL }; /* launches as in CUDA since 9.2 */
	/* `for (;;) ...` runs until it is interrupted, although C++ assumes that loops end. */
	static const char *const cpp[] = {
		"-std=gnu++20",     "-fno-finite-loops", "-fpch-instantiate-templates", "-Xclang",
		"-fno-cxx-modules", "-Xclang",           "-fincremental-extensions",    NULL
	};

	if (language == OPTIONS_C) {
		add_all(a, c);
		return;
	}
	add_all(a, o->cuda_root ? cuda : plain);
	if (o->cuda_root)
		add(a, language == OPTIONS_DEVICE ? "--cuda-device-only" : "--cuda-host-only");
	add_all(a, cpp);
}

/* Adds the include folders. The prelude has C headers named like the toolkit's; C++ uses the
 * toolkit's own. */
static void add_headers(const struct options *o, struct arguments *a,
			enum options_language language)
{
	bool cuda_cpp = o->cuda_root && language != OPTIONS_C;

	if (cuda_cpp) {
		add_folder(a, o->clang_root, "/include/cuda_wrappers");
		add_folder(a, o->cuda_root, "/include/cccl");
		add_folder(a, o->cuda_root, "/include");
	}
	add_folder(a, o->prelude, "");
	if (cuda_cpp)
		add_folder(a, o->prelude, "/absent");
	if (o->cuda_root && !cuda_cpp)
		add_folder(a, o->cuda_root, "/include");
	add(a, "-iquote.");
	if (o->cuda_root)
		add(a, "-DCGPU_WITH_CUDA");
}

/* Drops a standard of the other language: %cflags -std=c11 is for C cells, -std=c++23 for C++
 * ones. */
static size_t drop_other_standard(const char **argv, size_t n, enum options_language language)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		bool is_cpp = strstr(argv[i], "++") != NULL;

		if (strncmp(argv[i], "-std=", 5) || is_cpp == (language != OPTIONS_C))
			argv[kept++] = argv[i];
	}
	return kept;
}

/* Recognises -DNAME=VALUE, -DNAME, -UNAME. */
static bool is_macro(const char *flag)
{
	return !strncmp(flag, "-D", 2) || !strncmp(flag, "-U", 2);
}

/* Turns the macros among the flags into directives; the other words stay. */
static size_t take_macros(const char **words, size_t n, struct buffer *macros)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		bool defines;
		const char *name, *equals;

		if (!is_macro(words[i])) {
			words[kept++] = words[i];
			continue;
		}
		defines = words[i][1] == 'D';
		name = words[i] + 2;
		if (!*name && i + 1 < n)
			name = words[++i];
		equals = strchr(name, '=');
		if (!defines)
			buffer_printf(macros, "#undef %s\n", name);
		else if (equals)
			buffer_printf(macros, "#define %.*s %s\n", (int)(equals - name), name,
				      equals + 1);
		else
			buffer_printf(macros, "#define %s 1\n", name);
	}
	return kept;
}

static const char *const every_language[] = {
	CGPU_CLANG_PROGRAM,
	"-O2",
	"-fPIC",
	"-fno-plt",
	"-fno-omit-frame-pointer",
	/* A write to null is then a fault with an address, not a trap. */
	"-fno-delete-null-pointer-checks",
	"-fdata-sections",             /* a redefined variable replaces its old place alone */
	"-fno-strict-aliasing",        /* a cell may read the bits of a float as an int */
	"-fno-optimize-sibling-calls", /* the last call of a cell also has its line in a report */
	"-gdwarf-4",
	"-g",
	"-gomit-unreferenced-methods",
	"-femulated-tls",
	"-fno-color-diagnostics",
	/* Inspection shows the comment above a declaration, of whatever form. */
	"-fparse-all-comments",
	"-fretain-comments-from-system-headers",
	"-D_GNU_SOURCE=",
	"-Wall",
	"-Wno-unused",
	"-Wno-missing-braces",
	"-Wno-main",
	"-Wno-gnu-designator",
	"-Wno-gnu-folding-constant",
	"-Wno-pragma-once-outside-header",
	"-Wno-gcc-compat",
	"-Wno-unknown-pragmas",
	"-Wno-unknown-attributes",
	"-Wno-stack-exhausted", /* the stack is larger than clang knows */
	"-Wno-error=implicit-int",
	"-Wno-deprecated-non-prototype",
	"-Wno-deprecated-enum-float-conversion", /* C++20 warns about what CUDA programs do */
	"-Wno-deprecated-enum-enum-conversion",
	"-Wno-deprecated-anon-enum-enum-conversion",
	"-Wno-deprecated-volatile",
	"-Wno-reorder-init-list", /* allow designated initialisers as in C */
	"-Wno-c99-designator",
	NULL,
};

/* Adds the options for device code; libdevice has the mathematical functions. */
static void add_device(const struct options *o, struct arguments *a, unsigned sm)
{
	cleanup_buffer struct buffer arch = BUFFER_INIT, version = BUFFER_INIT,
				     library = BUFFER_INIT;

	buffer_printf(&arch, "--cuda-gpu-arch=sm_%u",
		      sm < DEVICE_TARGET_CLANG_NEWEST ? sm : DEVICE_TARGET_CLANG_NEWEST);
	buffer_printf(&version, "--cuda-feature=+ptx%u", DEVICE_TARGET_CLANG_PTX);
	buffer_printf(&library, "%s/nvvm/libdevice/libdevice.10.bc", o->cuda_root);
	add(a, "-S");
	add(a, "-O3"); /* as nvcc: loops are unrolled more */
	add(a, mem_pool_strdup(&a->pool, buffer_text(&arch)));
	/* Without it, clang takes the version of a toolkit that it finds on the machine. */
	add(a, mem_pool_strdup(&a->pool, buffer_text(&version)));
	add(a, "-Xclang");
	add(a, "-mlink-builtin-bitcode");
	add(a, "-Xclang");
	add(a, mem_pool_strdup(&a->pool, buffer_text(&library)));
}

/* Adds the user's flags. macros: takes -D and -U as directives instead; NULL: they stay options. */
static void add_flags(struct arguments *a, const char *cflags, enum options_language language,
		      struct buffer *macros)
{
	char *flags = mem_pool_strdup(&a->pool, cflags);
	const char **words = a->at + a->n, *word;
	size_t n;

	/* These passes double the time of a cell with loops, so they run only when the user sets a
	 * level of optimisation. */
	if (!strstr(cflags, "-O") && language != OPTIONS_DEVICE) {
		add(a, "-fno-vectorize");
		add(a, "-fno-slp-vectorize");
		add(a, "-fno-unroll-loops");
		words = a->at + a->n;
	}
	a->failed |= !flags;
	if (a->failed)
		return;
	while ((word = flag_words_next(&flags)))
		add(a, word);
	if (a->failed)
		return;
	n = (size_t)(a->at + a->n - words);
	a->n -= n;
	n = drop_other_standard(words, n, language);
	a->n += macros ? take_macros(words, n, macros) : n;
}

/* Returns the magic that the flags are of, most likely. */
static const char *magic_of(enum options_language language)
{
	return language == OPTIONS_C ? "%cflags" : "%%cpp";
}

static struct clang_options *parse(const struct options *o, const char *cflags,
				   enum options_language language, unsigned sm,
				   struct buffer *macros, struct error *err)
{
	struct arguments a = { .pool = MEM_POOL_INIT };
	struct clang_options *clang = NULL;
	struct error problem = ERROR_INIT;
	char complaint[700];

	if (allowed_flags_check_line(ALLOWED_FLAGS_CLANG, cflags, &problem)) {
		error_set(err, ERROR_COMPILE, "%s: %s", magic_of(language), problem.text);
		return NULL;
	}
	add_all(&a, every_language);
	add(&a, "-resource-dir");
	add(&a, o->clang_root);
	add_language(o, &a, language);
	add_headers(o, &a, language);
	if (language == OPTIONS_DEVICE)
		add_device(o, &a, sm);
	else
		add(&a, "-c");
	add_flags(&a, cflags, language, macros);
	add(&a, "cell.c");
	if (a.failed) {
		error_set(err, ERROR_MEMORY, "out of memory for compiler options");
	} else {
		clang = clang_options_new(a.at, a.n, complaint, sizeof(complaint));
		if (!clang)
			error_set(err, ERROR_COMPILE, "%s %s: %s", magic_of(language),
				  cflags + strspn(cflags, " "), complaint);
	}
	mem_pool_release(&a.pool);
	return clang;
}

static void hash_text(uint64_t h[2], const void *data, size_t len)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < len; i++) {
		h[0] = (h[0] ^ p[i]) * 0x100000001b3ull;
		h[1] = (h[1] + p[i]) * 0x9e3779b97f4a7c15ull ^ (h[1] >> 29);
	}
}

/* Hashes size and time of a header, in place of its content, since a package update may replace
 * it. */
static void hash_file(uint64_t h[2], const char *folder, const char *name)
{
	cleanup_buffer struct buffer path = BUFFER_INIT;
	struct stat st;
	int64_t facts[3] = { 0 };

	buffer_printf(&path, "%s/%s", folder, name);
	if (!stat(buffer_text(&path), &st)) {
		facts[0] = st.st_size;
		facts[1] = st.st_mtim.tv_sec;
		facts[2] = st.st_mtim.tv_nsec;
	}
	hash_text(h, buffer_text(&path), path.len);
	hash_text(h, facts, sizeof(facts));
}

int options_header_key(const struct options *o, const struct clang_options *clang, const char *text,
		       char key[40], struct error *err)
{
	uint64_t h[2] = { 0xcbf29ce484222325ull, 0x84222325cbf29ce4ull };
	cleanup_free char *all = clang_options_describe(clang);

	if (!all)
		return error_set(err, ERROR_MEMORY, "out of memory for compiler options");
	hash_text(h, all, strlen(all));
	hash_text(h, text, strlen(text));
	hash_text(h, clang_shim_version(), strlen(clang_shim_version()));
	hash_file(h, o->prelude, "cgpu.h");
	hash_file(h, o->prelude, "cgpu-cuda.h");
	hash_file(h, o->prelude, "cgpu-device.h");
	hash_file(h, o->prelude, "cgpu-legacy.h");
	hash_file(h, o->prelude, "cgpu-surface.h");
	hash_file(h, o->prelude, "common/cell-timing.h");
	hash_file(h, o->prelude, "common/launch-glue.h");
	hash_file(h, "/usr/include", "stdio.h");
	hash_file(h, "/usr/include", "features.h");
	hash_file(h, o->cuda_root ? o->cuda_root : "", CUDA_HEADER);
	snprintf(key, 40, "%016llx%016llx", (unsigned long long)h[0], (unsigned long long)h[1]);
	return 0;
}

struct header_build {
	struct buffer names, complaint;
	bool of_flags; /* the complaint is of a file that a flag names */
};

/* Writes one name per line: its kind, the name, a tab, the text to show. */
static void write_name(void *context, const struct clang_symbol *s)
{
	struct header_build *names = context;
	static const char kinds[] = {
		[CLANG_VARIABLE] = 'v', [CLANG_FUNCTION] = 'f', [CLANG_TYPEDEF] = 't',
		[CLANG_MACRO] = 'm',    [CLANG_CONSTANT] = 'e', [CLANG_TAG] = 's',
	};

	buffer_printf(&names->names, "%c%s\t%s\n", kinds[s->kind], s->name,
		      s->kind == CLANG_MACRO ? s->type : s->declaration);
}

void options_complain(const struct clang_diagnostic *d, struct buffer *complaint)
{
	/* Flags stand in a text of clang's, whose name is in such brackets. */
	bool is_missing = d->kind == CLANG_NO_FILE && d->name && *d->file == '<';

	if (d->severity != CLANG_ERROR || complaint->len)
		return;
	if (!d->is_of_flags)
		buffer_printf(complaint, "%s:%u: %s", d->file, d->line, d->message);
	else if (is_missing)
		buffer_printf(complaint, "the flag -include %s names a file that is not there. %s",
			      d->name, OPTIONS_FLAGS_OFF);
	else
		buffer_printf(complaint,
			      "a file that a flag names, as -include does, does not compile: "
			      "%s:%u: %s. %s",
			      d->file, d->line, d->message, OPTIONS_FLAGS_OFF);
}

static void note_complaint(void *context, const struct clang_diagnostic *d)
{
	struct header_build *names = context;

	names->of_flags |= d->severity == CLANG_ERROR && !names->complaint.len && d->is_of_flags;
	options_complain(d, &names->complaint);
}

static int build(const struct clang_options *clang, const char *header, const char *names_path,
		 struct error *err)
{
	static const char text[] = "#include \"cgpu.h\"\n";
	cleanup_buffer struct buffer new_header = BUFFER_INIT;
	struct header_build names = { BUFFER_INIT, BUFFER_INIT, false };
	struct clang_job job = { .options = clang,
				 .name = "prelude",
				 .text = text,
				 .len = sizeof(text) - 1,
				 .context = &names,
				 .diagnostic = note_complaint,
				 .symbol = write_name };
	int failed;

	buffer_printf(&new_header, "%s.%d", header, (int)getpid());
	if (buffer_check(&new_header, err))
		return -1;
	sealed_file_discard(buffer_text(&new_header));
	failed = clang_shim_build_header(&job, buffer_text(&new_header));
	if (failed) {
		error_set(err, ERROR_COMPILE, "%s%s",
			  names.of_flags ? "" : "the headers that every cell sees do not compile: ",
			  buffer_text(&names.complaint));
		sealed_file_discard(buffer_text(&new_header));
	} else {
		failed = buffer_check(&names.names, err) ||
			 sealed_file_write(names_path, names.names.data, names.names.len, err) ||
			 sealed_file_seal(buffer_text(&new_header), header, err);
	}
	buffer_release(&names.names);
	buffer_release(&names.complaint);
	return failed ? -1 : 0;
}

/* Adds the names of the header to the session. 1: there is no whole list of them. */
static int read_names(const char *path, struct compiler_session *session, struct error *err)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	char *rest = NULL;

	/* Another set of flags has the same headers. */
	if (session->headers.n)
		return 0;
	if (!sealed_file_read(path, &text))
		return 1;
	for (char *line = strtok_r(text.data, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		char *tab = strchr(line, '\t');

		if (!tab)
			continue;
		*tab = 0;
		if (header_names_add(&session->headers, &session->names, *line, line + 1, tab + 1,
				     err))
			return -1;
	}
	header_names_sort(&session->headers);
	return 0;
}

static int use_header(const struct options *o, struct clang_options *clang,
		      struct compiler_session *session, struct error *err)
{
	cleanup_buffer struct buffer folder = BUFFER_INIT, header = BUFFER_INIT,
				     names = BUFFER_INIT;
	char key[40];
	int r = 1;

	if (options_header_key(o, clang, "", key, err) || cache_folder(&folder, err))
		return -1;
	buffer_printf(&header, "%s/prelude-%s.pch", buffer_text(&folder), key);
	buffer_printf(&names, "%s/prelude-%s.names", buffer_text(&folder), key);
	if (buffer_check(&header, err) || buffer_check(&names, err))
		return -1;
	if (clang_shim_header_is_whole(buffer_text(&header)))
		r = read_names(buffer_text(&names), session, err);
	if (r > 0) {
		log_info("precompiling the prelude into %s", buffer_text(&header));
		if (build(clang, buffer_text(&header), buffer_text(&names), err))
			return -1;
		r = read_names(buffer_text(&names), session, err);
	}
	if (r)
		return r < 0 ? -1
			     : error_set(err, ERROR_SYSTEM, "cannot read %s", buffer_text(&names));
	clang_options_set_header(clang, buffer_text(&header));
	return 0;
}

/*
 * Makes the options. The prelude sees the user's macros, so that NDEBUG or _FILE_OFFSET_BITS take
 * effect in it. A macro that breaks it (-DN=100: N is a parameter somewhere) is defined behind it.
 */
static struct clang_options *make(const struct options *o, const char *cflags,
				  struct compiler_session *session, struct error *err)
{
	cleanup_buffer struct buffer macros = BUFFER_INIT;
	struct clang_options *clang = parse(o, cflags, OPTIONS_C, 0, NULL, err);
	struct error problem = ERROR_INIT;

	if (!clang)
		return NULL;
	if (!use_header(o, clang, session, &problem)) {
		if (!*cflags)
			clang_options_are_own(clang);
		return clang;
	}
	clang_options_free(clang);
	clang = problem.code == ERROR_COMPILE ? parse(o, cflags, OPTIONS_C, 0, &macros, err) : NULL;
	if (clang && macros.len && !buffer_check(&macros, NULL) &&
	    !use_header(o, clang, session, &problem)) {
		clang_options_set_macros(clang, buffer_text(&macros));
		return clang;
	}
	clang_options_free(clang);
	error_set(err, problem.code, "%s", problem.text);
	return NULL;
}

static struct clang_options *find(const struct options *o, enum options_language language,
				  unsigned sm, const char *cflags)
{
	for (const struct options_set *set = o->sets; set; set = set->next)
		if (set->language == language && set->sm == sm && !strcmp(set->cflags, cflags))
			return set->clang;
	return NULL;
}

/* Stores the options and takes clang over; NULL, with the error set, stays NULL. */
static const struct clang_options *keep(struct options *o, enum options_language language,
					unsigned sm, const char *cflags,
					struct clang_options *clang, struct error *err)
{
	struct options_set *set;
	char *copy;

	if (!clang)
		return NULL;
	set = calloc(1, sizeof(*set));
	copy = strdup(cflags);
	if (!set || !copy) {
		error_set(err, ERROR_MEMORY, "out of memory for compiler options");
		free(set);
		free(copy);
		clang_options_free(clang);
		return NULL;
	}
	*set = (struct options_set){ o->sets, language, sm, copy, clang };
	o->sets = set;
	return clang;
}

const struct clang_options *options_get(struct options *o, const char *cflags,
					struct compiler_session *session, struct error *err)
{
	struct clang_options *found = find(o, OPTIONS_C, 0, cflags);

	if (!found)
		return keep(o, OPTIONS_C, 0, cflags, make(o, cflags, session, err), err);
	/* The header may have been damaged meanwhile. */
	if (!clang_shim_header_is_whole(clang_options_header(found)) &&
	    use_header(o, found, session, err))
		return NULL;
	return found;
}

static const struct clang_options *get(struct options *o, const char *cflags,
				       enum options_language language, unsigned sm,
				       struct error *err)
{
	const struct clang_options *found = find(o, language, sm, cflags);
	struct clang_options *made = found ? NULL : parse(o, cflags, language, sm, NULL, err);

	if (made && !*cflags)
		clang_options_are_own(made);
	return found ? found : keep(o, language, sm, cflags, made, err);
}

const struct clang_options *options_get_cpp(struct options *o, const char *cflags,
					    struct error *err)
{
	return get(o, cflags, OPTIONS_CPP, 0, err);
}

const struct clang_options *options_get_device(struct options *o, const char *cflags, unsigned sm,
					       struct error *err)
{
	return get(o, cflags, OPTIONS_DEVICE, sm, err);
}
