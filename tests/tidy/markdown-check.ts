import { posix } from "node:path";
import type { SourceFile } from "./tree.ts";

/** A page without what is inside its fences, line for line, so that numbers of lines stay. */
function linesOf(text: string): string[] {
  let fence: string | null = null;
  return text.split("\n").map((line) => {
    const [, mark = null] = line.match(/^\s*(```+|~~~+)/) ?? [];
    if (fence !== null) {
      fence = mark?.startsWith(fence) === true ? null : fence;
      return "";
    }
    fence = mark;
    return mark === null && !/^ {4}/.test(line) ? line : "";
  });
}

const withoutCode = (line: string): string => line.replace(/`[^`]*`/g, (code) => " ".repeat(code.length));

/** The names under which the headings of a page can be linked to. */
function anchorsOf(text: string): Set<string> {
  const seen = new Map<string, number>();
  const anchors = new Set<string>();
  for (const line of linesOf(text)) {
    const [, title] = line.match(/^#{1,6}\s+(.+?)\s*#*$/) ?? [];
    if (title !== undefined) {
      const slug = title
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(" ", "-");
      const count = seen.get(slug) ?? 0;
      seen.set(slug, count + 1);
      anchors.add(count === 0 ? slug : `${slug}-${count}`);
    }
  }
  return anchors;
}

const folderOf = (path: string): string => (path.includes("/") ? path.slice(0, path.lastIndexOf("/") + 1) : "");

/** Links and pictures that lead to no file of the tree, or to no heading of it. */
export function findBrokenLinks(
  page: SourceFile,
  paths: ReadonlySet<string>,
  read: (path: string) => string,
): string[] {
  return linesOf(page.text).flatMap((line, index) => {
    const said = withoutCode(line);
    const inText = [...said.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)];
    const inMarkup = [...said.matchAll(/\b(?:src|srcset|href)="([^"]+)"/g)];
    return [...inText, ...inMarkup].flatMap(([, target = ""]) => {
      if (/^[a-z][a-z0-9+.-]*:/i.test(target)) {
        return [];
      }
      const [file = "", anchor] = target.split("#");
      const to = file === "" ? page.path : posix.join(folderOf(page.path), decodeURI(file)).replace(/\/$/, "");
      const isFolder = [...paths].some((path) => path.startsWith(`${to}/`));
      const place = `${page.path}:${index + 1}: ${target}`;
      if (!paths.has(to) && !isFolder) {
        return [`${place}: this file does not exist`];
      }
      return anchor === undefined || anchorsOf(read(to)).has(anchor) ? [] : [`${place}: this heading does not exist`];
    });
  });
}

const cellsOf = (row: string): number =>
  row
    .trim()
    .replace(/^\||(?<!\\)\|$/g, "")
    .split(/(?<!\\)\|/).length;

/** Rows without a header above them, and rows that have another number of cells than their header. */
export function findBrokenTables(page: SourceFile): string[] {
  const found: string[] = [];
  let columns: number | null = null;
  const lines = linesOf(page.text);
  for (const [index, line] of lines.entries()) {
    const isRow = line.trimStart().startsWith("|");
    if (!isRow) {
      columns = null;
      continue;
    }
    const place = `${page.path}:${index + 1}`;
    if (columns === null) {
      columns = cellsOf(line);
      const under = lines[index + 1] ?? "";
      if (!/^\s*\|(\s*:?-+:?\s*\|)+\s*$/.test(under)) {
        found.push(`${place}: a table begins with a head and a line of dashes`);
        columns = Number.NaN;
      }
    } else if (!Number.isNaN(columns) && cellsOf(line) !== columns) {
      found.push(`${place}: ${cellsOf(line)} cells, the head has ${columns}`);
    }
  }
  return found;
}

const isPathLike = /^[\w@.*{},-]+(?:\/[\w@.*{},-]+)*\/?$/;
const fileEnding = /\.(?:tsx?|js|css|sql|sh|md|json|conf|service|svg|html|py|example)$/;
/** Names without a folder are checked if they can only be a file of ours. */
const sourceName = /\w\.(?:tsx?|sql|sh|md)$/;

/** Words with a slash are paths if they begin at the top, end like a file, or end like a folder. */
const isFolderOrFile = (named: string, isWhole: boolean): boolean =>
  isWhole || fileEnding.test(named) || /^\w.*\/$/.test(named);

/**
 * Paths between backticks that do not exist in the tree. Below a folder of the top they begin there; others may be
 * shortened at their front.
 */
export function findLostPaths(page: SourceFile, paths: ReadonlySet<string>): string[] {
  const tops = new Set([...paths].filter((path) => path.includes("/")).map((path) => path.split("/", 1)[0] ?? ""));
  const all = [...paths];
  const isThere = (named: string): boolean => {
    const path = named.replace(/\/$/, "");
    const [first = ""] = path.split("/", 1);
    const isWhole = path.includes("/") && tops.has(first);
    const own = folderOf(page.path);
    const glob = new Bun.Glob(`${path}{,/**}`);
    const short = new Bun.Glob(`**/${path}{,/**}`);
    return all.some((each) => glob.match(each) || ((!isWhole || each.startsWith(own || " ")) && short.match(each)));
  };
  return linesOf(page.text).flatMap((line, index) =>
    [...line.matchAll(/`([^`]+)`/g)].flatMap(([, named = ""]) => {
      const [first = ""] = named.split("/", 1);
      const isJudged =
        isPathLike.test(named) &&
        !named.includes("...") &&
        (named.includes("/") ? isFolderOrFile(named, tops.has(first)) : sourceName.test(named));
      return isJudged && !isThere(named) ? [`${page.path}:${index + 1}: \`${named}\` is not in the tree`] : [];
    }),
  );
}
