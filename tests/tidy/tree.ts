import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** The root folder of the project. */
export const treeRoot = resolve(import.meta.dir, "../..");

type IgnoreRule = { readonly glob: Bun.Glob; readonly matchesWholePath: boolean; readonly onlyFolders: boolean };

/**
 * Reads the forms of .gitignore that the project uses: names and globs, with an optional slash at either end.
 * @throws Error on a negation, which would need git itself to be understood
 */
function parseIgnoreRules(text: string): IgnoreRule[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      if (line.startsWith("!")) {
        throw new Error(`.gitignore: "${line}": negations are not supported here, name what is to be ignored instead`);
      }
      const pattern = line.replace(/^\//, "").replace(/\/$/, "");
      const matchesWholePath = line.startsWith("/") || pattern.includes("/");
      return { glob: new Bun.Glob(pattern), matchesWholePath, onlyFolders: line.endsWith("/") };
    });
}

function isIgnored(rules: readonly IgnoreRule[], path: string, isFolder: boolean): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return rules.some((rule) => (isFolder || !rule.onlyFolders) && rule.glob.match(rule.matchesWholePath ? path : name));
}

/**
 * Every file below `root` that .gitignore does not exclude, as sorted paths with forward slashes. The folder is walked
 * instead of asking git: the tests also run where git is absent or distrusts the owner of the checkout, and a new file
 * is checked before it is added.
 */
export function listFiles(root: string = treeRoot): string[] {
  const ignoreFile = join(root, ".gitignore");
  const rules = existsSync(ignoreFile) ? parseIgnoreRules(readFileSync(ignoreFile, "utf8")) : [];
  const files: string[] = [];
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (path === ".git" || isIgnored(rules, path, entry.isDirectory())) {
        continue;
      }
      if (entry.isDirectory()) {
        folders.push(path);
      } else if (entry.isFile()) {
        files.push(path);
      }
    }
  }
  return files.sort();
}

/** The text of a file of the tree, or null when it holds binary data. */
export function readText(path: string): string | null {
  const bytes = readFileSync(join(treeRoot, path));
  return bytes.subarray(0, 8_192).includes(0) ? null : bytes.toString("utf8");
}

/** Whether the parser can read the file. */
export function isCode(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path);
}

/** A file of the tree with its text, as every rule takes it; rules never read the disk, so that tests can invent files. */
export type SourceFile = { readonly path: string; readonly text: string };

let tree: readonly SourceFile[] | null = null;

/** All files with text of the tree, read once: the files of rules share a process, and so what they have parsed. */
export function readTree(): readonly SourceFile[] {
  tree ??= listFiles().flatMap((path) => {
    const text = readText(path);
    return text === null ? [] : [{ path, text }];
  });
  return tree;
}

/** All code files of the tree. */
export function readCode(): SourceFile[] {
  return readTree().filter(({ path }) => isCode(path));
}
