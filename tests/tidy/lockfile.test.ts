import { describe, expect, test } from "bun:test";
import { listFiles, readText } from "./tree.ts";

const kinds = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "overrides"] as const;

type Manifest = { readonly name?: string } & { readonly [kind in (typeof kinds)[number]]?: Record<string, string> };

type LockFile = {
  readonly lockfileVersion: number;
  readonly workspaces: Readonly<Record<string, Manifest>>;
  readonly packages: Readonly<Record<string, readonly unknown[]>>;
};

/** A package.json with its folder; the root of the tree is the empty text, as in the lock file. */
type Workspace = { readonly folder: string; readonly manifest: Manifest };

type Requirement = { readonly folder: string; readonly name: string; readonly version: string };

/** Under another name a second version of a package can stand beside the first; it is one version anyway. */
const exactVersion = /^(npm:(@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(-[\w.-]+)?(\+[\w.-]+)?$/;

function requirementsOf({ folder, manifest }: Workspace): Requirement[] {
  return kinds.flatMap((kind) =>
    Object.entries(manifest[kind] ?? {}).map(([name, version]) => ({ folder, name, version })),
  );
}

/** Dependencies that a later install may resolve to something else. Workspaces refer to each other, not to versions. */
function findLoose(workspaces: readonly Workspace[]): string[] {
  const ownNames = new Set(workspaces.map(({ manifest }) => manifest.name));
  return workspaces
    .flatMap(requirementsOf)
    .filter(({ name, version }) => (ownNames.has(name) ? version !== "workspace:*" : !exactVersion.test(version)))
    .map(
      ({ folder, name, version }) => `${folder || "."}/package.json: "${name}": "${version}": pin one exact version`,
    );
}

/** Packages that two workspaces need in different versions. */
function findSplit(workspaces: readonly Workspace[]): string[] {
  const versions = Map.groupBy(workspaces.flatMap(requirementsOf), ({ name }) => name);
  return [...versions]
    .filter(([, uses]) => new Set(uses.map(({ version }) => version)).size > 1)
    .map(([name, uses]) => `${name}: ${uses.map(({ folder, version }) => `${version} in ${folder}`).join(", ")}`);
}

/** Differences between what the workspaces ask for and what the lock file says that they ask for. */
function findStale(workspaces: readonly Workspace[], lock: LockFile): string[] {
  const asked = workspaces.map(
    ({ folder, manifest }): Workspace => ({ folder, manifest: { ...manifest, overrides: {} } }),
  );
  const locked = Object.entries(lock.workspaces).map(([folder, manifest]): Workspace => ({ folder, manifest }));
  const lines = (list: readonly Workspace[]): string[] =>
    list.flatMap(requirementsOf).map(({ folder, name, version }) => `${folder}: ${name} ${version}`);
  const [wanted, known] = [lines(asked), lines(locked)];
  return [
    ...wanted.filter((line) => !known.includes(line)).map((line) => `${line}: missing in bun.lock, run bun install`),
    ...known.filter((line) => !wanted.includes(line)).map((line) => `${line}: only in bun.lock, run bun install`),
  ];
}

/** Packages that come from elsewhere than the default registry, or that nothing proves to be unchanged. */
function findUnproven(lock: LockFile): string[] {
  return Object.entries(lock.packages)
    .filter(([, [resolution]]) => !String(resolution).includes("@workspace:"))
    .filter(([, [, source, , integrity]]) => source !== "" || !/^sha512-/.test(String(integrity)))
    .map(([name]) => `${name}: not from the default registry, or without a checksum`);
}

function readWorkspaces(): Workspace[] {
  return listFiles()
    .filter((path) => /(^|\/)package\.json$/.test(path))
    .map((path) => ({
      folder: path.replace(/\/?package\.json$/, ""),
      manifest: JSON.parse(readText(path) ?? "") as Manifest,
    }));
}

const readLock = (): LockFile => Bun.JSONC.parse(readText("bun.lock") ?? "") as LockFile;

describe("the tree", () => {
  test("has the text lock file, and Bun is configured to keep it so", () => {
    expect(listFiles()).toContain("bun.lock");
    expect(readLock().lockfileVersion).toBeGreaterThanOrEqual(1);
    expect(Bun.TOML.parse(readText("bunfig.toml") ?? "")).toMatchObject({
      install: { saveTextLockfile: true, exact: true, linker: "isolated" },
    });
  });

  test("pins every dependency exactly", () => {
    expect(readWorkspaces().flatMap(requirementsOf).length).toBeGreaterThan(0);
    expect(findLoose(readWorkspaces())).toEqual([]);
  });

  test("uses one version of a package in all workspaces", () => {
    expect(findSplit(readWorkspaces())).toEqual([]);
  });

  test("has a lock file that says what the workspaces say", () => {
    expect(findStale(readWorkspaces(), readLock())).toEqual([]);
  });

  test("takes every package from the default registry, with a checksum", () => {
    expect(Object.keys(readLock().packages).length).toBeGreaterThan(0);
    expect(findUnproven(readLock())).toEqual([]);
  });
});

const workspace = (folder: string, dependencies: Record<string, string>): Workspace => ({
  folder,
  manifest: { name: `@sluice/${folder}`, dependencies },
});

describe("a loose dependency is reported", () => {
  test.each([
    "^1.2.3",
    "~1.2.3",
    "1.2",
    "1.x",
    "*",
    "latest",
    ">=1.0.0",
    "1.2.3 || 2.0.0",
    "npm:other@^1.0.0",
    "file:../a",
  ])("%s", (version) => {
    expect(findLoose([workspace("web", { zod: version })])).toHaveLength(1);
  });

  test.each(["1.2.3", "18.4.0-beta.17", "1.0.0+build.5", "npm:@scope/other@1.2.3"])("%s is exact", (version) => {
    expect(findLoose([workspace("web", { zod: version })])).toEqual([]);
  });

  test("in every kind of dependency", () => {
    const manifest = Object.fromEntries(kinds.map((kind) => [kind, { zod: "^4.0.0" }]));
    expect(findLoose([{ folder: "web", manifest }])).toHaveLength(kinds.length);
  });

  test("when a workspace asks for a version of another workspace", () => {
    const [web, deploy] = [workspace("web", {}), workspace("deploy", { "@sluice/web": "0.1.0" })];
    expect(findLoose([web, deploy])).toHaveLength(1);
    expect(findLoose([web, workspace("deploy", { "@sluice/web": "workspace:*" })])).toEqual([]);
  });
});

test("two versions of a package are reported with the workspaces that ask for them", () => {
  const workspaces = [workspace("web", { zod: "4.6.7" }), workspace("deploy", { zod: "4.6.8" })];
  expect(findSplit(workspaces)).toEqual(["zod: 4.6.7 in web, 4.6.8 in deploy"]);
  expect(findSplit([workspace("web", { zod: "4.6.7" }), workspace("deploy", { zod: "4.6.7" })])).toEqual([]);
});

test("an outdated lock file is reported", () => {
  const lock = { lockfileVersion: 2, workspaces: { web: { dependencies: { zod: "4.6.6" } } }, packages: {} };
  expect(findStale([workspace("web", { zod: "4.6.7" })], lock)).toHaveLength(2);
  expect(findStale([workspace("web", { zod: "4.6.6" })], lock)).toEqual([]);
});

test("a package from elsewhere, or without a checksum, is reported", () => {
  const packages = {
    proven: ["proven@1.0.0", "", {}, "sha512-aa=="],
    elsewhere: ["elsewhere@1.0.0", "mirror", {}, "sha512-aa=="],
    unproven: ["unproven@github:a/b", "", {}],
    own: ["@sluice/web@workspace:web"],
  };
  expect(findUnproven({ lockfileVersion: 2, workspaces: {}, packages }).map((line) => line.split(":")[0])).toEqual([
    "elsewhere",
    "unproven",
  ]);
});
