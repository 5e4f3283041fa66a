import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "../../..");
const pages = join(root, "docs/operating");
const runbook = readdirSync(pages)
  .map((name) => readFileSync(join(pages, name), "utf8"))
  .join("\n");

const sources = ["control-plane/src", "node-agent/src", "packages/contracts/src"]
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
  .join("\n");

const named = (pattern: RegExp): string[] => [...new Set([...runbook.matchAll(pattern)].map(([, name = ""]) => name))];

/** The agent adds the prefix to the names of its metrics. */
const isMetric = (name: string): boolean =>
  sources.includes(`"${name}"`) || sources.includes(name) || sources.includes(`"${name.replace("sluice_node_", "")}"`);

test("the runbook names only metrics that the programs have", () => {
  const metrics = named(/`?(?:max\()?(sluice_[a-z_]+)/g);
  expect(metrics.length).toBeGreaterThan(15);
  expect(metrics.filter((name) => !isMetric(name))).toEqual([]);
});

test("the runbook names only events that the programs write", () => {
  const events = named(/`((?:[a-z_]+)\.[a-z_]+)`/g).filter(
    (name) => !/\.(sh|txt|json|yaml|conf|env|md|ts)$/.test(name),
  );
  expect(events.length).toBeGreaterThan(30);
  // Those of commands are written by SQL.
  const isWritten = (name: string) => sources.includes(`"${name}"`) || sources.includes(`'${name}'`);
  expect(events.filter((name) => !isWritten(name))).toEqual([]);
});

test("the runbook knows every alarm of money and usage", () => {
  const errors = [
    ...sources.matchAll(/log\.error\("((?:money|billing|payments|usage|spool|settlement|channel)\.[a-z_]+)"/g),
  ];
  expect(errors.length).toBeGreaterThan(5);
  expect(errors.map(([, name = ""]) => name).filter((name) => !runbook.includes(`\`${name}\``))).toEqual([]);
});

test("the runbook names only existing scripts, commands and paths of the backend", () => {
  const scripts = named(/`?(deploy\/[a-z-]+\/[a-z-]+\.(?:sh|conf))/g);
  expect(scripts.length).toBeGreaterThan(4);
  expect(scripts.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const { scripts: commands } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(named(/bun run ([a-z][a-z:-]*)/g).filter((name) => !(name in commands))).toEqual([]);
  const paths = named(/(?:GET|POST) (\/backend\/[a-z/-]+)/g);
  const isPath = (path: string) =>
    sources.includes(path) || sources.includes(`}${path.slice(path.lastIndexOf("/", path.length - 2))}`);
  expect(paths.filter((path) => !isPath(path))).toEqual([]);
});
