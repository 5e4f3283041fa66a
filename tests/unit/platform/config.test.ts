import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { configVariables, loadConfig } from "@sluice/control-plane/platform/config.ts";

const example = readFileSync(new URL("../../../deploy/env.example", import.meta.url), "utf8");
const listed = new Map(
  [...example.matchAll(/^#([A-Z][A-Z0-9_]+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
);
/** Read by the start, which has no schema. */
const startVariables = ["WORKERS"];
/** Their value in the file shows a form: there is no default, or it is a folder of the checkout. */
const withoutDefault = ["DATABASE_URL", "MIGRATION_DATABASE_URL", "CLIENT_IP_HEADER", "WEB_DIST"];

test("every variable that the program reads is explained in the example file, and no other", () => {
  expect([...listed.keys()].sort()).toEqual([...configVariables, ...startVariables].sort());
});

test("the example file shows the defaults", () => {
  const required = { DATABASE_URL: "postgres://user@127.0.0.1/any" };
  const shown = [...listed].filter(([name]) => !withoutDefault.includes(name) && !startVariables.includes(name));
  expect(loadConfig({ ...required, ...Object.fromEntries(shown) })).toEqual(loadConfig(required));
});

test.each(["http://widget.example/w.js", "https://a;b/w.js", "widget.js"])(
  "%s is no address of a support widget",
  (SUPPORT_WIDGET_URL) => {
    expect(() => loadConfig({ DATABASE_URL: "postgres://user@127.0.0.1/any", SUPPORT_WIDGET_URL })).toThrow(
      "SUPPORT_WIDGET_URL",
    );
  },
);
