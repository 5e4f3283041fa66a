import { type Comment, type Node, type ParseResult, parseSync, Visitor } from "oxc-parser";
import type { SourceFile } from "./tree.ts";

/** One place where a file names another module. */
export type ModuleImport = {
  /** Null when it is computed at run time. */
  readonly specifier: string | null;
  /** The named imports, by the names that they have there. */
  readonly names: readonly string[];
  readonly isTypeOnly: boolean;
  readonly line: number;
};

/** A template or a string, with the tag in front of it when there is one. */
export type TextPiece = { readonly tag: string | null; readonly text: string; readonly line: number };

/** A call such as `sql.unsafe(...)`; the receiver is its last name, or null for one that has none. */
export type MethodCall = { readonly receiver: string | null; readonly name: string; readonly line: number };

export type ParsedSource = {
  readonly imports: readonly ModuleImport[];
  readonly pieces: readonly TextPiece[];
  readonly methodCalls: readonly MethodCall[];
  /** The text with comments, strings, templates and regular expressions blanked; offsets and lines stay. */
  readonly code: string;
  /** The text with everything but the content of comments blanked; documentation comments are blanked too. */
  readonly remarks: string;
  /** The line of an offset, counted from 1. */
  lineAt(offset: number): number;
};

type Span = { readonly start: number; readonly end: number };

/** Offsets of the line ends of one text, in which the line of an offset, counted from 1, is looked up. */
class LineTable {
  readonly #ends: number[] = [];

  constructor(text: string) {
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
      this.#ends.push(at);
    }
  }

  lineAt(offset: number): number {
    let low = 0;
    let high = this.#ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ends[middle] ?? 0) < offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low + 1;
  }
}

const blanks = (text: string): string =>
  text.includes("\n") ? text.replace(/[^\n]+/g, (line) => " ".repeat(line.length)) : " ".repeat(text.length);

function blankSpans(text: string, spans: readonly Span[]): string {
  let result = "";
  let at = 0;
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    if (start >= at) {
      result += text.slice(at, start) + blanks(text.slice(start, end));
      at = end;
    }
  }
  return result + text.slice(at);
}

/** Keeps only the text of comments: neither their delimiters nor the stars at the beginning of lines. */
function remarksOf(text: string, comments: readonly Comment[]): string {
  let result = "";
  let at = 0;
  for (const { start, end, type, value } of comments) {
    const isDocumentation = type === "Block" && value.startsWith("*");
    const said = isDocumentation ? blanks(value) : value.replace(/^([ \t]*)\*/gm, "$1 ");
    result += blanks(text.slice(at, start)) + `  ${said}`.padEnd(end - start);
    at = end;
  }
  return result + blanks(text.slice(at));
}

/** The last name of a tag or callee: `tx` of tx`..`, `unsafe` of `sql.unsafe`. */
function lastName(node: Node): string | null {
  if (node.type === "Identifier") {
    return node.name;
  }
  if (node.type === "MemberExpression" && node.property.type === "Identifier") {
    return node.property.name;
  }
  return node.type === "CallExpression" ? lastName(node.callee) : null;
}

const literalText = (node: Node): string | null =>
  node.type === "Literal" && typeof node.value === "string"
    ? node.value
    : node.type === "TemplateLiteral" && node.expressions.length === 0
      ? (node.quasis[0]?.value.cooked ?? null)
      : null;

/** Everything the rules need to know about a file, found in one walk over its syntax. */
class SourceReader {
  readonly imports: ModuleImport[] = [];
  readonly pieces: TextPiece[] = [];
  readonly methodCalls: MethodCall[] = [];
  readonly literals: Span[] = [];
  readonly #lines: LineTable;

  constructor(lines: LineTable) {
    this.#lines = lines;
  }

  #line(node: Span): number {
    return this.#lines.lineAt(node.start);
  }

  #import(node: Span, source: Node, isTypeOnly: boolean, names: readonly string[] = []): void {
    this.imports.push({ specifier: literalText(source), names, isTypeOnly, line: this.#line(node) });
  }

  read(program: Parameters<Visitor["visit"]>[0]): void {
    const tagged = new Set<Node>();
    new Visitor({
      ImportDeclaration: (node) => {
        const named = node.specifiers.flatMap((entry) => (entry.type === "ImportSpecifier" ? [entry.imported] : []));
        const names = named.map((name) => ("name" in name ? name.name : name.value));
        this.#import(node, node.source, node.importKind === "type", names);
      },
      ExportNamedDeclaration: (node) => {
        if (node.source) {
          this.#import(node, node.source, node.exportKind === "type");
        }
      },
      ExportAllDeclaration: (node) => this.#import(node, node.source, node.exportKind === "type"),
      ImportExpression: (node) => this.#import(node, node.source, false),
      TSImportType: (node) => this.#import(node, node.source, true),
      TSExternalModuleReference: (node) => this.#import(node, node.expression, false),
      CallExpression: (node) => {
        const [argument] = node.arguments;
        const name = lastName(node.callee);
        if (name === "require" && argument) {
          this.#import(node, argument, false);
        } else if (node.callee.type === "MemberExpression" && name !== null) {
          this.methodCalls.push({ receiver: lastName(node.callee.object), name, line: this.#line(node) });
        }
      },
      TaggedTemplateExpression: (node) => {
        tagged.add(node.quasi);
        this.#piece(lastName(node.tag), node.quasi.quasis[0]?.value.raw ?? "", node);
      },
      TemplateLiteral: (node) => {
        if (!tagged.has(node)) {
          this.#piece(null, node.quasis[0]?.value.raw ?? "", node);
        }
      },
      TemplateElement: (node) => this.literals.push(node),
      JSXText: (node) => this.literals.push(node),
      Literal: (node) => {
        if (typeof node.value === "string" || "regex" in node) {
          this.literals.push(node);
        }
        if (typeof node.value === "string") {
          this.#piece(null, node.value, node);
        }
      },
    }).visit(program);
  }

  #piece(tag: string | null, text: string, node: Span): void {
    this.pieces.push({ tag, text, line: this.#line(node) });
  }
}

/** Forms of imports that only the syntax tree has: calls, types of modules, required ones, and exports of nothing. */
const hiddenImport = /\bimport\s*\(|\brequire\b|\bexport\s*\{\s*\}/;
const typeStatement = /^(import|export)\s+type\b(?!\s*(from|,))/;

/** The imports of a file without hidden ones, from the parser's own list of them. */
function importsOf({ module }: ParseResult, text: string, lines: LineTable): ModuleImport[] {
  const statements = new Map<number, ModuleImport>();
  const add = (start: number, end: number, specifier: string, names: readonly string[]): void => {
    const isTypeOnly = typeStatement.test(text.slice(start, end));
    statements.set(start, { specifier, names, isTypeOnly, line: lines.lineAt(start) });
  };
  for (const { start, end, moduleRequest, entries } of module.staticImports) {
    const names = entries.flatMap(({ importName }) => (importName.kind === "Name" ? [importName.name ?? ""] : []));
    add(start, end, moduleRequest.value, names);
  }
  for (const { start, end, entries } of module.staticExports) {
    const request = entries.find(({ moduleRequest }) => moduleRequest !== null)?.moduleRequest;
    // An import that is exported further down is listed as both.
    if (request && !statements.has(start)) {
      add(start, end, request.value, []);
    }
  }
  return [...statements.values()].toSorted((a, b) => a.line - b.line);
}

/** What a rule asks for first is worked out and kept: the syntax tree is expensive, and some rules only read comments. */
class LazySource implements ParsedSource {
  readonly #text: string;
  readonly #result: ParseResult;
  #reader: SourceReader | null = null;
  #imports: readonly ModuleImport[] | null = null;
  #code: string | null = null;
  #lines: LineTable | null = null;

  constructor(text: string, result: ParseResult) {
    this.#text = text;
    this.#result = result;
  }

  get #read(): SourceReader {
    if (this.#reader === null) {
      this.#reader = new SourceReader(this.#lineTable);
      this.#reader.read(this.#result.program);
    }
    return this.#reader;
  }

  get #lineTable(): LineTable {
    this.#lines ??= new LineTable(this.#text);
    return this.#lines;
  }

  get imports(): readonly ModuleImport[] {
    this.#imports ??= hiddenImport.test(this.#text)
      ? this.#read.imports.toSorted((a, b) => a.line - b.line)
      : importsOf(this.#result, this.#text, this.#lineTable);
    return this.#imports;
  }

  get pieces(): readonly TextPiece[] {
    return this.#read.pieces;
  }

  get methodCalls(): readonly MethodCall[] {
    return this.#read.methodCalls;
  }

  get code(): string {
    this.#code ??= blankSpans(this.#text, [...this.#result.comments, ...this.#read.literals]);
    return this.#code;
  }

  get remarks(): string {
    return remarksOf(this.#text, this.#result.comments);
  }

  lineAt(offset: number): number {
    return this.#lineTable.lineAt(offset);
  }
}

const parsed = new WeakMap<SourceFile, ParsedSource>();

/**
 * Parses a file; the result is kept for as long as the file object lives.
 * @throws Error when the file does not parse: what can't be parsed can't be checked
 */
export function parseSource(file: SourceFile): ParsedSource {
  const known = parsed.get(file);
  if (known) {
    return known;
  }
  const result = parseSync(file.path, file.text);
  const [error] = result.errors;
  if (error) {
    throw new Error(`${file.path} does not parse: ${error.message}`);
  }
  const source = new LazySource(file.text, result);
  parsed.set(file, source);
  return source;
}

/** Whether the text is a complete list of statements, as far as syntax goes. */
export function parsesAsStatements(text: string): boolean {
  return parseSync("fragment.tsx", `async function* fragment() { for (;;) {\n${text}\n} }`).errors.length === 0;
}
