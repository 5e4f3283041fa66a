import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listReleases } from "../../releases/stored-releases.ts";
import { repositoryRoot } from "../../support/service/start-process.ts";
import { listFiles } from "../../tidy/tree.ts";

const readVersion = (file: string): string => JSON.parse(readFileSync(join(repositoryRoot, file), "utf8")).version;

const version = readVersion("package.json");
const headings = [...readFileSync(join(repositoryRoot, "CHANGELOG.md"), "utf8").matchAll(/^## (.*)$/gm)].map(
  ([, text = ""]) => text,
);

test("the CHANGELOG lists what is not released first, then each version with its day, newest first", () => {
  const [unreleased, ...released] = headings;
  expect(unreleased).toBe("[Unreleased]");
  expect(released.filter((text) => !/^\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}$/.test(text))).toEqual([]);
  const versions = released.map((text) => text.slice(1, text.indexOf("]")));
  expect(versions).toEqual(versions.toSorted(Bun.semver.order).reverse());
  expect(versions.filter((each) => Bun.semver.order(each, version) > 0)).toEqual([]);
});

test("each stored release before this version has its part of the CHANGELOG", async () => {
  const earlier = (await listReleases()).filter((each) => Bun.semver.order(each, version) < 0);
  expect(earlier.filter((each) => !headings.some((text) => text.startsWith(`[${each}] - `)))).toEqual([]);
});

test("every workspace has the version of the release", () => {
  const manifests = listFiles().filter((file) => /^(?:[^/]+\/|packages\/[^/]+\/)package\.json$/.test(file));
  expect(manifests.length).toBeGreaterThan(10);
  expect(manifests.filter((file) => readVersion(file) !== version)).toEqual([]);
});
