import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { parseAccounts } from "@sluice/node-agent/accounts.ts";
import { chooseAccount, createPathRules, targetOf } from "@sluice/node-agent/allowed-target.ts";
import { createLog } from "@sluice/node-agent/log.ts";

const rules = {
  allowedProviderHosts: ["api.example", "api.example:8443", "[2001:db8::1]"],
  isPrivateUpstreamAllowed: false,
};
const entry = {
  accountCode: "a",
  provider: "p",
  authType: "api_key",
  apiKey: "pk-canary-1",
  baseUrl: "https://api.example/v1",
};
const parse = (...accounts: object[]) => parseAccounts(JSON.stringify({ accounts }), rules);

describe("the base URL of an account", () => {
  test.each([
    ["https://api.example/v1", { hostname: "api.example", port: 443 }, "/v1"],
    ["https://api.example", { hostname: "api.example", port: 443 }, ""],
    ["https://API.example:8443/a/b/", { hostname: "api.example", port: 8443 }, "/a/b"],
    ["https://[2001:db8::1]/v1", { hostname: "2001:db8::1", port: 443 }, "/v1"],
  ])("%s is read", (baseUrl, destination, basePath) => {
    expect(parse({ ...entry, baseUrl })[0]).toMatchObject({
      destination: { ...destination, protocol: "https:" },
      basePath,
    });
  });

  test.each([
    ...[
      "http://api.example/v1",
      "https://u:p@api.example/v1",
      "https://api.example/v1?x=1",
      "https://api.example/v1#x",
    ],
    ...["https://api.example.evil/v1", "https://evil/v1", "https://api.example:444/v1", "https://api.example./v1"],
    ...["https://127.1/v1", "https://[::ffff:10.0.0.1]/v1", "gopher://api.example/v1", "//api.example", "", 7],
  ])("%p is refused", (baseUrl) => {
    expect(() => parse({ ...entry, baseUrl })).toThrow(/^Provider account 1 /);
  });
});

describe("an account", () => {
  test.each([
    ["without a key", { apiKey: undefined }],
    ["with an empty key", { apiKey: "" }],
    ["with a line end in its key", { apiKey: "pk-canary\r\nx" }],
    ["with a key header that it may not use", { credentialHeader: "host" }],
    ["of another kind", { authType: "service_account" }],
    ["with an invalid code", { accountCode: "a b" }],
    ["with an unknown field", { key: "x" }],
  ])("%s is refused without its key in the message", (_name, change) => {
    expect(() => parse({ ...entry, ...change })).toThrow(/^Provider account 1 .*\.$/);
    expect(() => parse({ ...entry, ...change })).not.toThrow(/canary/);
  });

  test("that is listed twice is refused", () => {
    expect(() => parse(entry, entry)).toThrow("same accountCode");
  });

  test("is the named one, else the first that can serve", () => {
    const slot = { accountCode: "s", provider: "p", authType: "oauth_refresh_token" };
    const accounts = parse(slot, entry, { ...entry, accountCode: "b" });
    expect(chooseAccount(accounts, null)?.accountCode).toBe("a");
    expect(chooseAccount(accounts, "b")?.accountCode).toBe("b");
    expect([chooseAccount(accounts, "s"), chooseAccount(accounts, ""), chooseAccount(accounts, "A")]).toEqual([
      null,
      null,
      null,
    ]);
  });
});

describe("a path", () => {
  const paths = createPathRules(["/v1/chat/completions", "/v1/models", "/v1/models/*"]);

  test.each(["/v1/chat/completions", "/v1/models", "/v1/models/gpt-4o-mini", "/v1/models/a%20b"])(
    "%s is allowed",
    (path) => {
      expect(paths.isAllowed(path)).toBe(true);
    },
  );

  test.each([
    ...[
      "/v1/chat/completions/",
      "/v1/chat",
      "/v1/modelsx",
      "/v1/models/",
      "/v1/models/a/b",
      "/v1//models",
      "/V1/models",
    ],
    ...[
      "/v1/models/%2e%2e",
      "/v1/models/%2Fa",
      "/v1/models/a%5cb",
      "/v1/models/a%00",
      "/v1/models/ä",
      "/v1/models/a\nb",
      "/",
    ],
  ])("%p is not allowed", (path) => {
    expect(paths.isAllowed(path)).toBe(false);
  });

  test("replaces /v1 after the base of the account", () => {
    const [account] = parse({ ...entry, baseUrl: "https://api.example/openai/v1/" });
    if (account?.kind !== "active") {
      throw new Error("not active");
    }
    expect(targetOf(account, "/v1/models", "?limit=2")).toBe("/openai/v1/models?limit=2");
    expect(targetOf(account, "/v1/models", "?a b")).toBeNull();
  });
});

test("a log line contains nothing that is withheld, in whatever field it came", () => {
  const lines: string[] = [];
  const log = createLog({
    level: "info",
    write: (line) => lines.push(line),
    bound: { node: "n" },
    withheld: () => ["pk-canary", "api.example"],
  });
  log.debug("quiet");
  log.error("loud", { path: "/x?pk-canary", reason: "api.example said Bearer abcdefgh1234\nand sk-abcdefghij" });
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toMatch(/canary|api\.example|abcdefgh/);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ event: "loud", node: "n", path: "/x?[withheld]" });
});

test("the example file names exactly the variables that are read", () => {
  const source = readFileSync(new URL("../../../node-agent/src/config.ts", import.meta.url), "utf8");
  const read = [...source.matchAll(/"([A-Z][A-Z_]{3,})"/g)].map(([, name]) => name);
  const example = readFileSync(new URL("../../../node-agent/env.example", import.meta.url), "utf8");
  const named = [...example.matchAll(/^#?([A-Z][A-Z_]+)=/gm)].map(([, name]) => name);
  expect([...new Set(named)].sort()).toEqual(
    [...new Set(read)].filter((name) => name !== "CREDENTIALS_DIRECTORY").sort(),
  );
});
