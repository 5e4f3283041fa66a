import { type Node, parseSync } from "oxc-parser";

/** A text of the admin's pages, and where it is. */
export type FoundText = { readonly text: string; readonly line: number };

export type AdminTexts = {
  /** What is given to `t` and `rich`. */
  readonly said: readonly FoundText[];
  /** What looks like a text for people and is not given to them. */
  readonly bare: readonly FoundText[];
};

/** Attributes whose value is always for people, one word included; and properties. */
const shownAttributes =
  /^(action|alt|aria-label|areaLabel|failedTitle|fallback|heading|hint|label|optional|placeholder|summary|text|title|what)$/;
const shownProperties = /^(description|heading|hint|label|note|placeholder|text|title)$/;
/** What is the same in every language. */
const properNames: ReadonlySet<string> = new Set([
  ...["Bearer", "Discord", "English", "Gemini", "GitHub", "Google", "Slack", "Telegram", "Webhook"],
  ...["CN", "CSV", "HTTP", "INV", "JSON", "URI", "UTC", "VAT"],
]);
/** Attributes and properties that only programs read. */
const programNames = /^(class|id|name|path|href|operation|reads|kind|icon|key|type|style|width|zone|timeZone)$/;
/** Calls whose texts only programs read. */
const programCalls =
  /^(addEventListener|apiGet|apiPost|createElement|encodeURIComponent|endsWith|getElementById|includes|indexOf|join|lastIndexOf|localeCompare|parseFromString|querySelector|querySelectorAll|removeEventListener|replace|replaceAll|setAttribute|split|startsWith|useRefresh)$/;
const codeTags = /^(code|kbd|pre)$/;
const twoLetters = /\p{L}{2}/u;

/** Words with a space between them, or one that begins a sentence; not an address, a name in code, or markup. */
function looksSaid(text: string): boolean {
  const trimmed = text.trim();
  return (
    twoLetters.test(trimmed) &&
    !properNames.has(trimmed) &&
    !/^[/#.?&<-]|^curl |^\{"|^https?:\/\/\S*$|^(?:Africa|America|Asia|Europe)\/|^[\w.-]+@[\w.-]+$|^script, style/.test(
      trimmed,
    ) &&
    /\p{L} |\s\p{L}{2}|^\p{Lu}[-\p{Ll}]/u.test(trimmed)
  );
}

type Place = {
  /** The attribute or property that the value belongs to. */
  readonly name: string | null;
  readonly isProgram: boolean;
  readonly isCode: boolean;
  /** Whether what is here is shown as it is: a child of an element, or the value of a shown attribute. */
  readonly isShown: boolean;
};

const start: Place = { name: null, isProgram: false, isCode: false, isShown: false };

function nameOf(node: Node): string {
  switch (node.type) {
    case "Identifier":
    case "JSXIdentifier":
      return node.name;
    case "Literal":
      return String(node.value);
    case "MemberExpression":
      return nameOf(node.property);
    default:
      return "";
  }
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flatMap((value: unknown): unknown[] => (Array.isArray(value) ? value : [value]))
    .filter(isNode);
}

/** The literals that an argument can be: one, or those of a choice. */
function literalsOf(node: Node): string[] {
  if (node.type === "ConditionalExpression") {
    return [...literalsOf(node.consequent), ...literalsOf(node.alternate)];
  }
  return node.type === "Literal" && typeof node.value === "string" ? [node.value] : [];
}

class TextReader {
  readonly said: FoundText[] = [];
  readonly bare: FoundText[] = [];
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  #at(text: string, { start: offset }: Node): FoundText {
    return { text: text.trim(), line: this.#source.slice(0, offset).split("\n").length };
  }

  #judge(text: string, node: Node, place: Place): void {
    const isSaid = looksSaid(text) || (place.isShown && twoLetters.test(text) && !properNames.has(text.trim()));
    if (isSaid && !place.isProgram && !place.isCode) {
      this.bare.push(this.#at(text, node));
    }
  }

  #readAll(nodes: readonly Node[], place: Place = start): void {
    for (const each of nodes) {
      this.read(each, place);
    }
  }

  read(node: Node, place: Place = start): void {
    for (const [inner, innerPlace] of this.#partsOf(node, place)) {
      this.read(inner, innerPlace);
    }
  }

  /** What is in a node, with its places, after the texts of the node itself were judged. */
  #partsOf(node: Node, place: Place): (readonly [Node, Place])[] {
    switch (node.type) {
      case "ImportDeclaration":
      case "ExportAllDeclaration":
      case "TaggedTemplateExpression":
        return [];
      case "CallExpression":
        this.#readCall(node, place);
        return [];
      case "NewExpression":
        // An error that begins with a small letter is for engineers.
        return node.arguments.map((each) => {
          const isInner = each.type === "Literal" && typeof each.value === "string" && /^\p{Ll}/u.test(each.value);
          return [each, { ...start, isProgram: isInner }];
        });
      case "JSXElement": {
        const isCode = codeTags.test(nameOf(node.openingElement.name));
        const inner = { ...start, isCode, isShown: true };
        return [[node.openingElement, start], ...node.children.map((each) => [each, inner] as const)];
      }
      case "JSXAttribute": {
        const name = nameOf(node.name);
        const inner = { ...start, name, isProgram: programNames.test(name), isShown: shownAttributes.test(name) };
        return node.value === null ? [] : [[node.value, inner]];
      }
      case "Property": {
        const name = nameOf(node.key);
        const isProgram = programNames.test(name) && name !== "name";
        const inner = { ...start, name, isProgram, isShown: shownProperties.test(name) };
        return [...(node.computed ? [[node.key, start] as const] : []), [node.value, inner]];
      }
      case "JSXText":
        this.#judge(node.value, node, place);
        return [];
      case "Literal":
        if (typeof node.value === "string") {
          this.#judge(node.value, node, place);
        }
        return [];
      default:
        return this.#partsOfExpression(node, place);
    }
  }

  #partsOfExpression(node: Node, place: Place): (readonly [Node, Place])[] {
    switch (node.type) {
      case "TemplateLiteral": {
        const text = node.quasis.map(({ value }) => value.cooked ?? "").join("…");
        if (!/^[/?]|=…|[/…]\/$/.test(text) && looksSaid(text)) {
          this.#judge(text, node, place);
        }
        return node.expressions.map((each) => [each, start]);
      }
      case "BinaryExpression":
        // What is compared is not shown.
        return [node.left, node.right].map((each) => [each, { ...start, isProgram: true }]);
      case "ConditionalExpression":
        return [
          [node.test, start],
          [node.consequent, place],
          [node.alternate, place],
        ];
      case "LogicalExpression":
        return [node.left, node.right].map((each) => [each, place]);
      case "MemberExpression":
        return [
          [node.object, start],
          ...(node.computed ? [[node.property, { ...start, isProgram: true }] as const] : []),
        ];
      case "JSXExpressionContainer":
      case "ParenthesizedExpression":
      case "TSAsExpression":
      case "TSSatisfiesExpression":
      case "TSNonNullExpression":
        return [[node.expression, place]];
      default:
        // Types say nothing.
        return node.type.startsWith("TS") ? [] : childrenOf(node).map((each) => [each, start]);
    }
  }

  #readCall(node: Extract<Node, { type: "CallExpression" }>, place: Place): void {
    const name = nameOf(node.callee);
    const [first, ...others] = node.arguments;
    this.read(node.callee, start);
    if (first !== undefined && node.callee.type === "Identifier" && /^(t|rich)$/.test(name)) {
      this.said.push(...literalsOf(first).map((text) => ({ ...this.#at(text, first), text })));
      this.#readAll(others);
      return;
    }
    const isProgram = programCalls.test(name) || place.isProgram;
    this.#readAll(node.arguments, { ...start, isProgram });
  }
}

/** The texts in a module of the admin. @throws Error if it can't be parsed */
export function adminTextsOf(path: string, source: string): AdminTexts {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) {
    throw new Error(`${path}: ${errors[0]?.message}`);
  }
  const reader = new TextReader(source);
  reader.read(program);
  return reader;
}
