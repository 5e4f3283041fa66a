import { isCodeLine, looksLikeCode } from "./commented-code.ts";
import { parseSource } from "./source.ts";
import { isCode, type SourceFile } from "./tree.ts";

/**
 * Where a pattern is looked for: in the path, in the whole text, in code without comments and strings, or in what
 * comments say (documentation comments apart).
 */
type View = "path" | "text" | "code" | "remarks";

export type Ban = {
  readonly name: string;
  /** What to do instead, as a sentence for the one whose test failed. */
  readonly instead: string;
  readonly view: View;
  readonly pattern: RegExp;
  /** For a pattern in code: what the text of a file must hold. It saves parsing the others. */
  readonly hint?: RegExp;
  /** Files in which the ban holds; everywhere when absent. */
  readonly where?: (path: string) => boolean;
  /** A second check of a match, for patterns that alone would report too much. */
  readonly confirm?: (match: string) => boolean;
};

/** Joins two halves, so that this file can name what it bans without containing it. */
const joined = (...halves: string[]): string => halves.join("");

const isTest = (path: string): boolean => path.startsWith("tests/");
const inProduct = (path: string): boolean => !isTest(path);

/** Folders in which a number is money or quota more often than not. */
const moneyFolder =
  /^(control-plane\/src\/(gateway\/(quota|settle)|ledger|models|payments|usage\/(log|settlement))\/|packages\/contracts\/src\/money)/;
const inMoneyFolder = (path: string): boolean => moneyFolder.test(path);

const moneyName = "(?:price|quota|amount|cost|balance|usd|multiplier|money|budget|charge)";

const lockFile = (path: string): boolean => path === "bun.lock";

/** Their bytes are what the runner compares, so not even a comment in them can change. */
const appliedMigration = /^control-plane\/src\/db\/migrations\//;

/**
 * What may not be in the tree, each with what to do instead. Biome's own rules are not repeated; these are the words
 * and habits that it does not cover, or covers only in part.
 */
export const bans: readonly Ban[] = [
  {
    name: "empty names of files",
    instead: "Name the file for what it does; a name that fits everything collects everything.",
    view: "path",
    pattern: new RegExp(
      `(^|[/._-])(utils?|helpers?|misc|managers?|impl|${joined("comm", "on")}(?=[/.]|$))(?=[/._-]|$)`,
      "gi",
    ),
  },
  {
    name: "empty names in code",
    instead: "Name it for what it does or what it knows, with a noun of the product.",
    view: "code",
    pattern:
      /\b(?:function\*?|class|const|let|var|type|interface)\s+(?:\w*(?:[Uu]tils?|[Hh]elpers?|Misc|Managers?|Impl)(?=[A-Z_\d]|\b)|(?:misc|manager)(?=[A-Z_\d]|\b)|common\b)/g,
    hint: /[Uu]til|[Hh]elper|[Mm]isc|[Mm]anager|Impl|common/,
  },
  {
    name: "notes to do later",
    instead: "Do it now, or open an issue; the code says what is, not what should be.",
    view: "text",
    pattern: new RegExp(
      `\\b(${joined("FIX", "ME")}|${joined("TO", "DO")}|${joined("X", "XX")}|${joined("HA", "CK")})\\b`,
      "g",
    ),
    where: (path) => !lockFile(path),
  },
  {
    name: "registry hosts",
    instead: "Leave the registry to the settings of the machine; the repository names packages and versions only.",
    view: "text",
    pattern: new RegExp(
      joined("\\bregistry\\.(npm", "js|yarn", "pkg|npm", "mirror)|\\bnpm\\.pkg\\.|\\b_auth", "Token\\b"),
      "gi",
    ),
  },
  {
    name: "download addresses in the lock file",
    instead: "Install from the default registry and commit the text lock file that Bun writes.",
    view: "text",
    pattern: /\bhttps?:|\bgit\+|\bgit:\/\//g,
    where: lockFile,
  },
  {
    name: "files of other package managers, and the binary lock file",
    instead: "The text bun.lock is the one lock file, bunfig.toml the one place for settings of the installer.",
    view: "path",
    pattern:
      /(^|\/)(bun\.lockb|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|\.npmrc|\.yarnrc.*)$/g,
  },
  {
    name: "paths of one machine",
    instead: "Build the path from import.meta.dir, a temporary folder or the configuration.",
    view: "text",
    pattern: new RegExp(joined("(?<![\\w.$}*-])/(wo", "rk|ho", "me/[a-z_][\\w.-]*|Us", "ers/[\\w.-]+)/"), "g"),
    where: (path) => !lockFile(path),
  },
  {
    name: "commented-out code",
    instead: "Delete it; the history keeps it.",
    view: "remarks",
    pattern: looksLikeCode,
    confirm: isCodeLine,
  },
  {
    name: "markup from strings",
    instead: "Build elements through the framework, which escapes text.",
    view: "code",
    pattern: /\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write(?:ln)?)\b/g,
    hint: /HTML|document/,
    where: inProduct,
  },
  {
    name: "token for an API key",
    instead: 'Say "API key"; a token is what a model reads and writes.',
    view: "text",
    pattern: new RegExp(joined("api", "[ _-]?tokens?(?![a-z])"), "gi"),
    where: (path) => !lockFile(path),
  },
  {
    name: "made-up texts that take a second to prepare",
    instead: "Use anyCharacter and anyWebAddress of tests/support/values/any-character.ts.",
    view: "text",
    pattern: new RegExp(joined('\\bunit: "bin', 'ary"|\\bfc\\.web', "Url\\("), "g"),
    where: isTest,
  },
  {
    name: "floats that hold money",
    instead: "Keep money as bigint and prices as Decimal; packages/contracts/src/money.ts converts exactly.",
    view: "code",
    pattern: new RegExp(
      [
        "\\bparseFloat\\b",
        "\\.toFixed\\s*\\(",
        `\\bNumber\\s*\\([^()\\n]*${moneyName}`,
        `\\bMath\\.(?:ceil|floor|round|trunc)\\s*\\([^()\\n]*${moneyName}`,
      ].join("|"),
      "gi",
    ),
    hint: /parseFloat|toFixed|Number|Math/i,
    where: inMoneyFolder,
  },
  {
    name: "stiff English",
    instead:
      'Say "anyone who" or name the one who acts; "again", or what starts over; "does not exist"; "belongs in"; "of its own" or whose it is; "is quarantined" or "is set aside". CONTRIBUTING.md lists more.',
    view: "text",
    pattern: new RegExp(
      `\\b(${[
        joined("who", "ever"),
        joined("an", "ew"),
        joined("there is", " no such"),
        joined("belongs? in", "to"),
        joined("(?:the|an) o", "wn"),
        joined("puts? as", "ide"),
      ].join("|")})\\b`,
      "gi",
    ),
    where: (path) => path !== "CONTRIBUTING.md" && !appliedMigration.test(path),
  },
];

function viewOf({ view, hint }: Ban, file: SourceFile): string | null {
  if (view === "path") {
    return file.path;
  }
  if (view === "text") {
    return file.text;
  }
  return isCode(file.path) && (hint?.test(file.text) ?? true) ? parseSource(file)[view] : null;
}

/** Everything in the file that the ban forbids, as `path:line: "what": ban. What to do instead.` */
export function findBanned(ban: Ban, file: SourceFile): string[] {
  const view = (ban.where?.(file.path) ?? true) ? viewOf(ban, file) : null;
  if (view === null) {
    return [];
  }
  const matches = [...view.matchAll(ban.pattern)].filter(([match]) => ban.confirm?.(match) ?? true);
  return matches.map((match) => {
    const place = ban.view === "path" ? file.path : `${file.path}:${view.slice(0, match.index).split("\n").length}`;
    return `${place}: "${match[0].trim()}": ${ban.name}. ${ban.instead}`;
  });
}
