import { expect, test } from "bun:test";
import { readSettings } from "@sluice/deploy/start/settings";
import { StartError } from "@sluice/deploy/start/start-error";

test("without any variable everything has a value that works", () => {
  expect(readSettings("/checkout", {}, [])).toMatchObject({
    host: "127.0.0.1",
    port: 3000,
    workers: 1,
    drainMsMax: 30_000,
    dataDirectory: "/checkout/.data",
    databaseUrl: null,
    hasSandbox: true,
    isProduction: false,
    isOpenDevelopment: false,
    isReloading: false,
  });
});

test("an empty variable counts as unset", () => {
  const env = { HOST: "", PORT: "", WORKERS: "", DATA_DIR: "", DATABASE_URL: "", PROVIDER_API_KEY: "" };
  expect(readSettings("/checkout", env, [])).toEqual(readSettings("/checkout", {}, []));
});

test("a sandbox is started in development without a provider, and in production only on request", () => {
  const starts = (env: Record<string, string>): boolean => readSettings("/checkout", env, []).hasSandbox;
  expect([starts({}), starts({ SANDBOX: "false" }), starts({ PROVIDER_API_KEY: "sk" })]).toEqual([true, false, false]);
  const production = { NODE_ENV: "production" };
  expect([starts(production), starts({ ...production, SANDBOX: "true" })]).toEqual([false, true]);
  expect(starts({ ...production, SANDBOX: "true", PROVIDER_API_KEY: "sk" })).toBe(false);
  expect(() => starts({ SANDBOX: "maybe" })).toThrow("SANDBOX must be true or false");
});

test("development listens for other machines only when configured explicitly", () => {
  const read = (env: Record<string, string>) => readSettings("/checkout", env, []);
  expect(() => read({ HOST: "0.0.0.0" })).toThrow(StartError);
  expect(() => read({ HOST: "0.0.0.0" })).toThrow(
    /HOST=0\.0\.0\.0 opens .*NODE_ENV=production.*DEVELOPMENT_ON_NETWORK/,
  );
  expect(read({ HOST: "0.0.0.0", DEVELOPMENT_ON_NETWORK: "true" })).toMatchObject({ isOpenDevelopment: true });
  expect(read({ HOST: "0.0.0.0", NODE_ENV: "production" })).toMatchObject({ isOpenDevelopment: false });
});

test("a relative data folder is below the checkout, an absolute one stays", () => {
  expect(readSettings("/checkout", { DATA_DIR: "state" }, []).dataDirectory).toBe("/checkout/state");
  expect(readSettings("/checkout", { DATA_DIR: "/var/state" }, []).dataDirectory).toBe("/var/state");
});

test.each([
  ["PORT", "65536"],
  ["PORT", "-1"],
  ["PORT", "80a"],
  ["PORT", "1e3"],
  ["WORKERS", "0"],
  ["WORKERS", "1.5"],
  ["DRAIN_TIMEOUT_MS", "soon"],
])("%s=%s is refused with its name", (name, value) => {
  expect(() => readSettings("/checkout", { [name]: value }, [])).toThrow(StartError);
  expect(() => readSettings("/checkout", { [name]: value }, [])).toThrow(`${name} must be a whole number`);
});
