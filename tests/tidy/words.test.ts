import { describe, expect, test } from "bun:test";
import { beyondKnown } from "./ratchet.ts";
import { listFiles, readText, type SourceFile } from "./tree.ts";
import { type Ban, bans, findBanned } from "./word-bans.ts";

/** Examples are written with a bar inside the banned words, so that this file does not hold them itself. */
const example = (text: string): string => text.replaceAll("|", "");

type Examples = {
  /** Path and text of files that the ban must report. */
  readonly bad: readonly (readonly [path: string, text: string])[];
  readonly good: readonly (readonly [path: string, text: string])[];
};

const prices = "control-plane/src/models/service.ts";

const examples: Readonly<Record<string, Examples>> = {
  "empty names of files": {
    bad: [
      ["web/src/ut|ils/date.ts", ""],
      ["web/src/date-help|er.ts", ""],
      ["tests/support/help|ers.ts", ""],
      ["packages/comm|on/src/a.ts", ""],
      ["web/src/comm|on.ts", ""],
      ["web/src/mi|sc.ts", ""],
      ["control-plane/src/gateway/quota-man|ager.ts", ""],
      ["control-plane/src/gateway/quota-im|pl.ts", ""],
    ],
    good: [
      ["control-plane/src/accounts/common-passwords.ts", ""],
      ["web/src/simple.ts", ""],
    ],
  },
  "empty names in code": {
    bad: [
      ["a.ts", "class QuotaMan|ager {}"],
      ["a.ts", "const dateUt|ils = {};"],
      ["a.ts", "function help|er() {}"],
      ["a.ts", "interface StoreIm|pl {}"],
      ["a.ts", "const comm|on = 1;"],
    ],
    good: [
      ["a.ts", "const commonPasswords = []; const simple = implies; type Utility = 1;"],
      ["a.ts", 'const a = "class QuotaManager"; // function helper'],
    ],
  },
  "notes to do later": {
    bad: [
      ["a.ts", "// TO|DO: round"],
      ["README.md", "FIX|ME"],
      ["a.sql", "-- X|XX"],
      ["a.css", "/* HA|CK */"],
    ],
    good: [["a.sh", "mktemp XXXXXX; shackle; todo_list"]],
  },
  "tests that run alone or not at all": {
    bad: [
      ["tests/unit/a.test.ts", 'test.on|ly("a", () => {});'],
      ["tests/unit/a.test.ts", 'describe.on|ly("a", () => {});'],
      ["tests/unit/a.test.ts", 'test.sk|ip("a", () => {});'],
      ["tests/unit/a.test.ts", 'it.to|do("a");'],
    ],
    good: [["tests/unit/a.test.ts", 'test.each([1])("only", () => {}); stream.skip(1);']],
  },
  "silenced compiler": {
    bad: [
      ["a.ts", "// @ts-|ignore\nconst a = 1;"],
      ["a.ts", "// @ts-no|check"],
    ],
    good: [["a.ts", "// @ts-expect-error: ids of different kinds do not mix\nuse(id);"]],
  },
  "casts to any": {
    bad: [
      ["a.ts", "const a = b as a|ny;"],
      ["a.ts", "const a = new Map<a|ny>();"],
    ],
    good: [["a.ts", 'const a = b as Any; // as any one\nconst c = "as any";']],
  },
  "suppressions without a reason": {
    bad: [
      ["a.ts", "// biome-ig|nore lint/suspicious/noConsole"],
      ["a.ts", "// biome-ig|nore lint/suspicious/noConsole:"],
      ["a.ts", "// biome-ig|nore lint/suspicious/noConsole: <explanation>"],
      ["a.ts", "// biome-ig|nore lint/suspicious/noConsole: needed"],
    ],
    good: [["a.ts", "// biome-ig|nore lint/suspicious/noConsole: the starter talks to the person at the terminal."]],
  },
  "registry hosts": {
    bad: [
      ["bun.lock", '"a": ["a@1.0.0", "https://registry.np|mjs.org/a"]'],
      ["bunfig.toml", 'registry = "https://registry.yarnp|kg.com"'],
      ["deploy/install.sh", "curl registry.npmm|irror.com"],
      [".ci/run", "_authTo|ken=1"],
    ],
    good: [["README.md", "The package registry of the machine is used."]],
  },
  "download addresses in the lock file": {
    bad: [
      ["bun.lock", '"a": ["a@https://host.example/a.tgz", {}]'],
      ["bun.lock", '"a": ["a@git+ssh://host.example/a", {}]'],
    ],
    good: [
      ["bun.lock", '"http-proxy-agent": ["http-proxy-agent@1.0.0", "", {}, "sha512-ab=="]'],
      ["README.md", "https://host.example"],
    ],
  },
  "files of other package managers, and the binary lock file": {
    bad: [
      ["bun.lockb", ""],
      ["web/package-lock.json", ""],
      [".npmrc", ""],
    ],
    good: [["bun.lock", ""]],
  },
  "paths of one machine": {
    bad: [
      ["a.ts", 'const a = "/wo|rk/main/a";'],
      ["README.md", "cd /ho|me/someone/project"],
      ["a.ts", "// see /Us|ers/someone/project"],
    ],
    good: [
      ["a.ts", 'const a = join(root, "work/main"); const b = "/var/lib/sluice/"; const c = `$|{root}/work/a`;'],
      ["README.md", "host.example/work/a and /home/ alone"],
    ],
  },
  "commented-out code": {
    bad: [
      ["a.ts", "// const a = 1;"],
      ["a.ts", "//await settle(hold);"],
      ["a.ts", "settle(hold); // release(hold);"],
      ["a.ts", "// if (isDrained) {\n//   stop();\n// }"],
      ["a.ts", "/*\n * total += cost;\n */"],
      ["a.ts", '// import { a } from "./a.ts";'],
      ["a.ts", "// export const a = 1;"],
      ["a.ts", "// } else {"],
      ["a.tsx", "const a = <p>{/* <Price value={a} /> */}</p>;"],
    ],
    good: [
      ["a.ts", "// return what was held; then the job ends"],
      [
        "a.ts",
        "// The hold is released here (see settle); nothing is charged.\n// if the client left, settle is called once;",
      ],
      ["a.ts", "/** Called as `settle(hold);`\n * const a = settle(hold);\n */"],
      ["a.ts", "// for each channel once;\n// a lease, a hold and a row;\n// import of all keys;"],
      ["a.ts", 'const a = "// const b = 1;";'],
    ],
  },
  "markup from strings": {
    bad: [
      ["web/src/a.ts", "node.inner|HTML = text;"],
      ["web/src/a.tsx", "const a = <p inner|HTML={text} />;"],
    ],
    good: [
      ["tests/e2e/a.e2e.ts", "const text = await page.inner|HTML(name);"],
      ["web/src/a.ts", "node.textContent = text; // never innerHTML"],
    ],
  },
  "code from strings": {
    bad: [
      ["a.ts", "ev|al(text);"],
      ["a.ts", "globalThis.ev|al(text);"],
      ["a.ts", "const a = new Func|tion(text);"],
    ],
    good: [["a.ts", 'await page.$eval(name); retrieval(text); const a = "eval(text)"; type F = Function;']],
  },
  "environment read outside the configuration": {
    bad: [
      ["control-plane/src/relay/service.ts", "const a = process.e|nv;"],
      ["web/src/a.ts", "const a = Bun.e|nv.PORT;"],
      ["control-plane/src/platform/log.ts", 'import { e|nv } from "node:process";'],
    ],
    good: [
      ["control-plane/src/platform/config.ts", "const a = process.e|nv;"],
      ["tests/bench/main.ts", "const a = process.e|nv;"],
      ["web/vite.config.ts", "const a = process.e|nv;"],
      ["control-plane/src/relay/service.ts", "// process.env is read in config.ts\nconst a = config.env;"],
    ],
  },
  "token for an API key": {
    bad: [
      ["a.ts", "const api|Token = 1;"],
      ["a.sql", "create table api|_tokens ()"],
      ["README.md", "Create an API| token."],
    ],
    good: [["a.ts", "const promptTokens = 1; const apiKey = 2; // each API tokenises in its own way"]],
  },
  "floats that hold money": {
    bad: [
      [prices, "const a = parse|Float(text);"],
      [prices, "const a = Num|ber(row.inputPrice);"],
      ["control-plane/src/ledger/service.ts", "const a = Num|ber(balance);"],
      ["control-plane/src/payments/settle/settle-paid.ts", "const a = Math.|round(plan.priceUsd * 100);"],
      ["packages/contracts/src/money.ts", "const a = price.to|Fixed(2);"],
    ],
    good: [
      [prices, "const a = Number(row.version); const b = Math.ceil(bytes / 4); const quota = BigInt(text);"],
      ["control-plane/src/admin/campaigns/service.ts", "const a = Number(row.quota);"],
    ],
  },
  "stiff English": {
    bad: [
      ["a.ts", "// Who|ever asks gets it."],
      ["README.md", "Delete both to begin an|ew."],
    ],
    good: [
      ["CONTRIBUTING.md", "| again | an|ew |"],
      ["a.ts", "const a = new Map(); // A new one, however it came."],
    ],
  },
};

/** Files that break a ban, by its name; the lists may only shrink. */
const known: Readonly<Record<string, readonly string[]>> = {};

const report = (ban: Ban, [path, text]: readonly [string, string]): string[] =>
  findBanned(ban, { path: example(path), text: example(text) });

const tree: SourceFile[] = listFiles().flatMap((path) => {
  const text = readText(path);
  return text === null ? [] : [{ path, text }];
});

test("every ban has examples, and only bans have", () => {
  expect(Object.keys(examples)).toEqual(bans.map(({ name }) => name));
});

describe.each(bans.map((ban): [string, Ban] => [ban.name, ban]))("%s", (name, ban) => {
  test("are not in the tree", () => {
    const violations = tree.flatMap((file) => findBanned(ban, file));
    expect(beyondKnown(violations, known[name] ?? [])).toEqual([]);
  });

  test.each(examples[name]?.bad ?? [])("are reported in %s: %s", (path, text) => {
    const [found = ""] = report(ban, [path, text]);
    expect(found).toEndWith(`${ban.name}. ${ban.instead}`);
    expect(found).toStartWith(example(path));
  });

  test.each(examples[name]?.good ?? [])("are not seen in %s: %s", (path, text) => {
    expect(report(ban, [path, text])).toEqual([]);
  });
});

test("a report names the line", () => {
  const [ban] = bans.filter(({ name }) => name === "casts to any");
  expect(ban && report(ban, ["a.ts", "const a = 1;\n\nconst b = a as a|ny;"])[0]).toStartWith("a.ts:3:");
});
