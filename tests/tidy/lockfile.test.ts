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

/** A version may be preceded by an alias, as for a second version of a package; it is exact anyway. */
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

  test("has a lock file that matches the workspaces", () => {
    expect(findStale(readWorkspaces(), readLock())).toEqual([]);
  });

  test("takes every package from the default registry, with a checksum", () => {
    expect(Object.keys(readLock().packages).length).toBeGreaterThan(0);
    expect(findUnproven(readLock())).toEqual([]);
  });
});
