import { posix } from "node:path";
import { parseSource } from "./source.ts";
import type { SourceFile } from "./tree.ts";

/** Means "the service of every feature" in a feature's row. */
export const everyService = "every service";

export type BoundaryTable = {
  /** Package name of each workspace > its folder. */
  readonly packages: ReadonlyMap<string, string>;
  /** Workspace folder > workspace folders it may import. */
  readonly workspaces: Readonly<Record<string, readonly string[]>>;
  /** Folder of control-plane/src (`admin/audit` for a room within a room) > folders it may import. */
  readonly features: Readonly<Record<string, readonly string[]>>;
  /** Folder > the files that others may import, beside model.ts, errors.ts and port.ts at its top. */
  readonly doors: Readonly<Record<string, readonly string[]>>;
  /** Folders of control-plane/src whose files may all be imported by those who may import the folder. */
  readonly open: readonly string[];
  /** Files and folders of control-plane/src that may import everything and are imported by nobody else. */
  readonly composition: readonly string[];
  /** Files that may import what they find only when they run. */
  readonly computed: readonly string[];
};

const applicationRoot = "control-plane/src/";
const typesFile = /^(model|errors|port)\.ts$/;

/** The workspace that a path belongs to, or null for files at the root of the tree. */
function workspaceOf(path: string): string | null {
  const [first = "", second = ""] = path.split("/");
  if (!path.includes("/")) {
    return null;
  }
  return first === "packages" ? `${first}/${second}` : first;
}

/** The package part of a bare specifier: `@scope/name/sub` > `@scope/name`. */
export function packageOf(specifier: string): string {
  const parts = specifier.split("/");
  return parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
}

/** Where an import leads: a path of the tree, a package, or what is wrong with its form. */
export function resolveImport(path: string, specifier: string | null): { to: string; isPath: boolean } | string {
  if (specifier === null) {
    return "an import must name its target literally, so that it can be checked";
  }
  if (/^([#/~]|file:|https?:)/.test(specifier)) {
    return `"${specifier}": import by relative path or by package name`;
  }
  if (!specifier.startsWith(".")) {
    return { to: packageOf(specifier), isPath: false };
  }
  const to = posix.join(posix.dirname(path), specifier.replace(/\?\w+$/, ""));
  return posix.extname(to) === "" ? `"${specifier}": name the file with its ending` : { to, isPath: true };
}

function workspaceViolation(table: BoundaryTable, path: string, target: { to: string; isPath: boolean }) {
  const from = workspaceOf(path);
  const to = target.isPath ? workspaceOf(target.to) : table.packages.get(target.to);
  if (from === null || to === undefined) {
    return null;
  }
  if (from === to) {
    return target.isPath ? null : "import files of the same workspace by relative path";
  }
  if (target.isPath) {
    return `leaves ${from}; import another workspace by its package name`;
  }
  const allowed = table.workspaces[from];
  if (allowed === undefined) {
    return `${from} has no row in the table of workspaces`;
  }
  return to !== null && allowed.includes(to) ? null : `${from} may not import ${to}`;
}

/** The feature, by the deepest folder that has a row, and the rest of the path; a file at the root has no feature. */
function featureOf(table: BoundaryTable, path: string): { feature: string | null; rest: string } {
  const inside = path.slice(applicationRoot.length);
  if (table.composition.some((folder) => folder.endsWith("/") && inside.startsWith(folder))) {
    return { feature: null, rest: inside.slice(0, inside.indexOf("/") + 1) };
  }
  const folders = inside.split("/").slice(0, -1);
  for (let depth = folders.length; depth > 0; depth -= 1) {
    const feature = folders.slice(0, depth).join("/");
    if (depth === 1 || feature in table.features) {
      return { feature, rest: inside.slice(feature.length + 1) };
    }
  }
  return { feature: null, rest: inside };
}

/** Whether others may import this file of a feature; service.ts is the door of a feature that lists none. */
const isDoor = (table: BoundaryTable, feature: string, rest: string): boolean =>
  (table.doors[feature] ?? ["service.ts"]).includes(rest);

function featureViolation(table: BoundaryTable, path: string, target: string): string | null {
  const from = featureOf(table, path);
  const to = featureOf(table, target);
  if (from.feature === null || from.feature === to.feature) {
    return null;
  }
  if (to.feature === null) {
    return `${from.feature} may not import the composition of the program`;
  }
  const allowed = table.features[from.feature];
  if (allowed === undefined) {
    return null; // Reported once for the file, not for each of its imports.
  }
  if (table.open.includes(to.feature)) {
    return allowed.includes(to.feature) ? null : `${from.feature} may not import ${to.feature}`;
  }
  if (allowed.includes(everyService)) {
    const doors = (table.doors[to.feature] ?? ["service.ts"]).join(", ");
    return isDoor(table, to.feature, to.rest) ? null : `${from.feature} may import only ${doors} of ${to.feature}`;
  }
  if (!allowed.includes(to.feature)) {
    return `${from.feature} may not import ${to.feature}`;
  }
  return typesFile.test(to.rest) || isDoor(table, to.feature, to.rest)
    ? null
    : `${to.rest} is private to ${to.feature}`;
}

function rowViolation(table: BoundaryTable, path: string): string | null {
  if (!path.startsWith(applicationRoot)) {
    return null;
  }
  const { feature, rest } = featureOf(table, path);
  if (feature === null) {
    return table.composition.includes(rest)
      ? null
      : `only ${table.composition.join(", ")} are at the root of control-plane/src`;
  }
  return feature in table.features ? null : `${feature} has no row in the table of features`;
}

/** Every import of the files that the table does not allow, as `path:line -> target: reason`. */
export function findBoundaryViolations(table: BoundaryTable, files: readonly SourceFile[]): string[] {
  const violations: string[] = [];
  for (const file of files) {
    const missingRow = rowViolation(table, file.path);
    if (missingRow !== null) {
      violations.push(`${file.path}: ${missingRow}`);
    }
    for (const { specifier, line } of parseSource(file).imports) {
      if (specifier === null && table.computed.includes(file.path)) {
        continue;
      }
      const target = resolveImport(file.path, specifier);
      if (typeof target === "string") {
        violations.push(`${file.path}:${line}: ${target}`);
        continue;
      }
      const isInside = target.isPath && target.to.startsWith(applicationRoot) && file.path.startsWith(applicationRoot);
      const violation = isInside
        ? featureViolation(table, file.path, target.to)
        : workspaceViolation(table, file.path, target);
      if (violation !== null) {
        violations.push(`${file.path}:${line} -> ${target.to}: ${violation}`);
      }
    }
  }
  return violations;
}

const pureFile = /(^packages\/(contracts|messages-conversion|dialect-conversion)\/src\/|\/model\.ts$)/;
const impurePackage = /^(bun$|bun:|node:|elysia$|@elysiajs\/|drizzle-orm|postgres$|ws$)/;
const impureTarget = /\/(service|store|routes|[\w-]+-store)\.ts$/;

/** Pure code that reaches for the outside: `model.ts` files and the packages that promise to be pure. */
export function findPurityViolations(files: readonly SourceFile[]): string[] {
  const violations: string[] = [];
  for (const file of files.filter(({ path }) => pureFile.test(path) && !path.startsWith("tests/"))) {
    for (const { specifier, line } of parseSource(file).imports) {
      if (specifier !== null && (impurePackage.test(specifier) || impureTarget.test(specifier))) {
        violations.push(`${file.path}:${line} -> ${specifier}: this file holds types and pure rules only`);
      }
    }
  }
  return violations;
}
