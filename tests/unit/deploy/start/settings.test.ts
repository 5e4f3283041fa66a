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
    hasProviderKey: false,
    isProduction: false,
    isReloading: false,
  });
});

test("an empty variable counts as unset", () => {
  const env = { HOST: "", PORT: "", WORKERS: "", DATA_DIR: "", DATABASE_URL: "", PROVIDER_API_KEY: "" };
  expect(readSettings("/checkout", env, [])).toEqual(readSettings("/checkout", {}, []));
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
