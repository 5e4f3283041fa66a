import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { ConfigError, configVariables, loadConfig } from "@sluice/control-plane/platform/config.ts";

const example = readFileSync(new URL("../../../deploy/env.example", import.meta.url), "utf8");
const listed = new Map(
  [...example.matchAll(/^#([A-Z][A-Z0-9_]+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
);
/** Read by the start, which has no schema. */
const startVariables = ["WORKERS", "SANDBOX", "MIMALLOC_PURGE_DELAY", "MIMALLOC_PURGE_HOLES_MIN_INTERVAL"];
/** Their value in the file is an example: there is no default, or it is a folder of the checkout. */
const withoutDefault = ["DATABASE_URL", "MIGRATION_DATABASE_URL", "CLIENT_IP_HEADER", "WEB_DIST"];

test("every variable that the program reads is explained in the example file, and no other", () => {
  expect([...listed.keys()].sort()).toEqual([...configVariables(), ...startVariables].sort());
});

test("the example file shows the defaults", () => {
  const required = { DATABASE_URL: "postgres://user@127.0.0.1/any" };
  const shown = [...listed].filter(([name]) => !withoutDefault.includes(name) && !startVariables.includes(name));
  expect(loadConfig({ ...required, ...Object.fromEntries(shown) })).toEqual(loadConfig(required));
});

test("a shared store of the response cache needs the address of its server", () => {
  const required = { DATABASE_URL: "postgres://user@127.0.0.1/any", RESPONSE_CACHE_STORE: "redis" };
  expect(() => loadConfig(required)).toThrow(/RESPONSE_CACHE_URL/);
  expect(() => loadConfig({ ...required, RESPONSE_CACHE_URL: "http://cache.example" })).toThrow(/RESPONSE_CACHE_URL/);
  const address = "rediss://cache.example:6379";
  expect(loadConfig({ ...required, RESPONSE_CACHE_URL: address }).RESPONSE_CACHE_URL).toBe(address);
});

describe("a service without production safeguards", () => {
  const required = { DATABASE_URL: "postgres://user@127.0.0.1/any" };

  test.each(["0.0.0.0", "::", "192.0.2.1", "sluice.example", "127.0.0.1.example", "1127.0.0.1"])(
    "does not listen on %s unless explicitly allowed",
    (HOST) => {
      for (const NODE_ENV of ["development", "test"]) {
        expect(() => loadConfig({ ...required, HOST, NODE_ENV })).toThrow(/HOST: .*DEVELOPMENT_ON_NETWORK=true/);
        expect(loadConfig({ ...required, HOST, NODE_ENV, DEVELOPMENT_ON_NETWORK: "true" }).HOST).toBe(HOST);
      }
      expect(() => loadConfig({ ...required, HOST })).toThrow(ConfigError);
      expect(loadConfig({ ...required, HOST, NODE_ENV: "production" }).HOST).toBe(HOST);
    },
  );

  test.each(["127.0.0.1", "127.8.8.8", "localhost", "::1"])("listens on %s", (HOST) => {
    expect(loadConfig({ ...required, HOST }).HOST).toBe(HOST);
  });

  test("is the only one that settles orders without a payment", () => {
    expect(loadConfig({ ...required, PAYMENT_MOCK: "true" }).PAYMENT_MOCK).toBe(true);
    expect(() => loadConfig({ ...required, PAYMENT_MOCK: "true", NODE_ENV: "production" })).toThrow("PAYMENT_MOCK");
  });
});

test.each(["http://widget.example/w.js", "https://a;b/w.js", "widget.js"])(
  "%s is not a valid URL of a support widget",
  (SUPPORT_WIDGET_URL) => {
    expect(() => loadConfig({ DATABASE_URL: "postgres://user@127.0.0.1/any", SUPPORT_WIDGET_URL })).toThrow(
      "SUPPORT_WIDGET_URL",
    );
  },
);

test.each([
  ["", []],
  ["*", ["*"]],
  [
    "https://a.example, http://localhost:5173,app://desktop",
    ["https://a.example", "http://localhost:5173", "app://desktop"],
  ],
])("the origins of pages %p", (text, origins) => {
  expect(loadConfig({ DATABASE_URL: "postgres://user@127.0.0.1/any", CORS_ORIGINS: text }).CORS_ORIGINS).toEqual(
    origins,
  );
});

test.each(["a.example", "https://a.example/", "https://*.example", "null", "https://a.example https://b.example"])(
  "%p is not a valid origin",
  (text) => {
    expect(() => loadConfig({ DATABASE_URL: "postgres://user@127.0.0.1/any", CORS_ORIGINS: text })).toThrow(
      "CORS_ORIGINS",
    );
  },
);
