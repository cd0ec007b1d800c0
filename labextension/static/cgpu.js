// SPDX-License-Identifier: Apache-2.0
/*
 * The language CUDA of JupyterLab's editors: the C++ that JupyterLab has, with CUDA's words marked, and a cell's magics kept
 * from its parser.
 *
 * This file is what module federation calls a remote entry, written by hand: JupyterLab calls init() with the packages that
 * extensions share, and get() for the plugin. It loads no other file, so nothing has to be built.
 */
(() => {
	"use strict";

	/* ---- tables ---- */

	/* Words that get a colour, by its name in COLOURS. */
	const WORDS = {
		keyword: `__global__ __device__ __host__ __shared__ __constant__ __managed__ __restrict__ __launch_bounds__
			__cluster_dims__ __noinline__ __forceinline__ __grid_constant__`,
		type: `void bool _Bool char char8_t char16_t char32_t wchar_t short int long signed unsigned float double
			size_t ssize_t ptrdiff_t intptr_t uintptr_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t
			uint64_t dim3`,
		builtin: "threadIdx blockIdx blockDim gridDim warpSize",
		launch: "<<< >>>",
	};

	/* Of the theme; one for types is what it calls variable-3. */
	const COLOURS = {
		keyword: { color: "var(--jp-mirror-editor-keyword-color)", fontWeight: "bold" },
		type: { color: "var(--jp-mirror-editor-variable-3-color)" },
		builtin: { color: "var(--jp-mirror-editor-builtin-color)" },
		launch: { color: "var(--jp-mirror-editor-keyword-color)", fontWeight: "bold" },
		magic: { color: "var(--jp-mirror-editor-keyword-color)", fontWeight: "bold" },
	};

	/* All magics of the kernel, by what is code behind the name. */
	const MAGICS = {
		all: "time timeit memcheck profile racecheck nosnapshot",
		cell: "trace on_restart", /* all behind %%name, the lines below %name */
		lines: "expect ptx sass regs cpp cuda cu", /* the lines below */
		none: `who whos list gpu mem limit park arch focus run undo redo interrupt snapshot restore snapshots reset pkg
			cflags cuda_group_save cuda_group_run cuda_group_delete ldflags nvflags std opt doctor history hist
			replay help lsmagic writefile file load cd pwd env html markdown latex svg exit quit load_ext
			reload_ext sh bash`, /* nothing in a cell behind %%name */
	};

	/* Nodes of the C++ parser whose words mean nothing. */
	const NO_WORDS = new Set(["LineComment", "BlockComment", "String", "RawString", "CharLiteral", "SystemLibString",
		"PreprocArg", "FieldIdentifier"]);
	const SHIFT = "BitOp"; /* what that parser makes of the first two characters of <<< and of >>> */

	const CPP = "text/x-c++src";
	const MODE = "text/x-c++hdr"; /* what the kernel says of its cells, kernel/requests/info.c */
	const PACKAGES = ["@jupyterlab/codemirror", "@codemirror/language", "@codemirror/view", "@lezer/common"];

	/* Returns a Map from each word of a table to its row. */
	function byWord(table) {
		return new Map(Object.entries(table).flatMap(([row, words]) => words.split(/\s+/).map(word => [word, row])));
	}

	const wordRow = byWord(WORDS), magicRow = byWord(MAGICS);

	/* ---- magics ---- */

	const QUESTION = /^\s*(\?+\s*%{0,2}\w+|%{0,2}\w+\?+)\s*$/;
	const PERCENT = /^\s*(?:\/\/)?(%%?([A-Za-z]\w*)?):?\s*/;

	/* Parses a line as the kernel does; undefined: it is none of a magic. Else `name` and `args` are offsets into it. */
	function magicOfLine(line, leading) {
		const start = line.search(/\S/), percent = line.match(PERCENT), question = line.match(QUESTION);

		if (line.startsWith("//%", start))
			return percent[2] && magicRow.has(percent[2]) ? magicOfPercent(line, percent) : undefined;
		if (!leading || start < 0)
			return undefined;
		if (question)
			return { name: line.indexOf(question[1]), nameEnd: line.trimEnd().length, args: line.length };
		if (line[start] === "!")
			return { name: start, nameEnd: start + 1, args: line.length };
		return percent && line[start] === "%" && (percent[2] || percent[0].length === line.length)
			? magicOfPercent(line, percent) : undefined;
	}

	function magicOfPercent(line, percent) {
		const row = magicRow.get(percent[2]), isCell = percent[1].startsWith("%%"), name = percent[0].indexOf(percent[1]);
		const hasCode = row === "all" || (row === "cell" && isCell);

		return { name, nameEnd: name + percent[1].length, args: hasCode ? percent[0].length : line.length,
			takesAll: row === "none" && isCell };
	}

	/*
	 * Returns what of a cell is no code: [{from, to, nameFrom, nameTo}]. A line is one of a magic only before the first C
	 * token, but //%name on any line (kernel/magics/magic-script.c).
	 */
	function magicsOf(text) {
		const found = [], last = text.lastIndexOf("//%");
		let leading = true, inComment = false;

		for (let from = 0, end; from < text.length; from = end + 1) {
			if (!leading && from > last)
				break;
			end = text.indexOf("\n", from);
			if (end < 0)
				end = text.length;
			const line = text.slice(from, end), magic = inComment ? undefined : magicOfLine(line, leading);
			if (magic) {
				found.push({ from, to: magic.takesAll ? text.length : from + magic.args,
					nameFrom: from + magic.name, nameTo: from + magic.nameEnd });
				if (magic.takesAll)
					break;
			} else if (leading) {
				[leading, inComment] = afterLine(line.trim(), inComment);
			}
		}
		return found;
	}

	/* Behind a line that is of no magic: whether the leading block goes on, and whether a comment is open. */
	function afterLine(line, inComment) {
		if (!inComment && (!line || line.startsWith("//")))
			return [true, false];
		if (!inComment && !line.startsWith("/*"))
			return [false, false];
		const end = line.indexOf("*/", inComment ? 0 : 2);
		return end < 0 ? [true, true] : [end + 2 === line.length, false];
	}

	/* ---- the language ---- */

	/* Returns a parser that is given a cell as the kernel's compiler is: with blanks in place of magics. */
	function cellParser(Parser, cpp) {
		return new class extends Parser {
			createParse(input, fragments, ranges) {
				const isWhole = ranges.length === 1 && ranges[0].from === 0 && ranges[0].to === input.length;
				const text = isWhole ? input.read(0, input.length) : "", magics = magicsOf(text);
				let code = text;

				if (!magics.length)
					return cpp.createParse(input, fragments, ranges);
				for (const { from, to } of magics)
					code = code.slice(0, from) + code.slice(from, to).replace(/[^\n]/g, " ") + code.slice(to);
				/* Of an earlier tree, `fragments` have no node that begins in what is blank now, or was. */
				return cpp.createParse({ length: code.length, lineChunks: false, chunk: from => code.slice(from),
					read: (from, to) => code.slice(from, to) }, fragments, ranges);
			}
		}();
	}

	function hasNoWords(node) {
		for (; node; node = node.parent)
			if (NO_WORDS.has(node.name))
				return true;
		return false;
	}

	/* Returns the extension of CodeMirror that marks words, launches and the names of magics in what is seen. */
	function marks({ syntaxTree }, { Decoration, EditorView, ViewPlugin }) {
		const mark = Object.fromEntries(
			Object.keys(COLOURS).map(name => [name, Decoration.mark({ class: `cm-cgpu-${name}` })]));
		/* The parser's own marks lie inside. */
		const theme = EditorView.baseTheme(Object.fromEntries(
			Object.entries(COLOURS).map(([name, style]) => [`.cm-cgpu-${name}, .cm-cgpu-${name} span`, style])));

		function* wordsIn(state, tree, from, to) {
			for (const { 0: word, index } of state.sliceDoc(from, to).matchAll(/[A-Za-z_]\w*|<<<|>>>/g)) {
				const name = wordRow.get(word), start = from + index;
				const node = name && tree.resolveInner(start, 1);

				if (name === "launch" ? node.name === SHIFT : name && !hasNoWords(node))
					yield mark[name].range(start, start + word.length);
			}
		}

		function build(view) {
			const tree = syntaxTree(view.state), magics = magicsOf(view.state.doc.toString());
			const found = magics.map(({ nameFrom, nameTo }) => mark.magic.range(nameFrom, nameTo));

			for (const { from, to } of view.visibleRanges)
				for (const word of wordsIn(view.state, tree, from, Math.min(to, tree.length)))
					if (!magics.some(magic => magic.from <= word.from && word.from < magic.to))
						found.push(word);
			return Decoration.set(found, true);
		}

		const plugin = ViewPlugin.define(view => ({
			decorations: build(view),
			update(u) {
				if (u.docChanged || u.viewportChanged || syntaxTree(u.startState) !== syntaxTree(u.state))
					this.decorations = build(u.view);
			},
		}), { decorations: value => value.decorations });

		return [plugin, theme];
	}

	/* ---- the extension ---- */

	function activate(languages, language, view, common) {
		languages.addLanguage({
			name: "CUDA",
			displayName: "CUDA",
			alias: [MODE],
			mime: "text/x-cuda",
			extensions: ["cu", "cuh"],
			async load() {
				const { support } = await languages.getLanguage(CPP), cpp = support.language;
				const cuda = new language.Language(cpp.data, cellParser(common.Parser, cpp.parser), [], "cuda");

				return new language.LanguageSupport(cuda, [support.support, marks(language, view)]);
			},
		});
	}

	/* Returns the version of a package that is loaded, else the newest; they are the same where nobody brings his own. */
	async function load(scope, name) {
		const versions = Object.entries(scope[name] ?? {});
		const newer = (a, b) => a.localeCompare(b, "en", { numeric: true }) > 0;

		if (!versions.length)
			throw new Error(`${name} is not shared`);
		const [, chosen] = versions.reduce((a, b) => (!a[1].loaded && (b[1].loaded || newer(b[0], a[0])) ? b : a));
		return (await chosen.get())();
	}

	/* What is amiss with JupyterLab's packages or languages costs the colours, not JupyterLab. */
	const complain = why => console.warn(`cgpu: cells of CUDA are shown as C++, since ${why.message}`);

	async function plugins(scope) {
		try {
			const [codemirror, ...others] = await Promise.all(PACKAGES.map(name => load(scope, name)));

			return [{
				id: "cgpu:cuda",
				description: "CUDA in cells and in files",
				autoStart: true,
				requires: [codemirror.IEditorLanguageRegistry],
				activate(app, languages) {
					try {
						activate(languages, ...others);
					} catch (why) {
						complain(why);
					}
				},
			}];
		} catch (why) {
			complain(why);
			return [];
		}
	}

	let shared;

	window._JUPYTERLAB = window._JUPYTERLAB ?? {};
	window._JUPYTERLAB.cgpu = {
		init(scope) {
			shared = scope;
		},
		async get() {
			const found = await plugins(shared);

			return () => ({ __esModule: true, default: found });
		},
	};
})();
