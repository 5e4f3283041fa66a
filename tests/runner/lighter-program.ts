import { readFile } from "node:fs/promises";
import type { BunPlugin } from "bun";

/** Set in an ordinary run: the test process then loads the control plane with lighter passwords. */
export const lighterVariable = "TEST_LIGHTER";

/** A text of the control plane that an ordinary run replaces. Unit tests and a full run have the program as it is. */
export type Lighter = { readonly file: RegExp; readonly text: string; readonly lighter: string };

/** With "1", a service hashes passwords as the product does: for tests of how long that takes. */
export const wholePasswordsVariable = "TEST_WHOLE_PASSWORDS";

/** To hash a password takes 60 ms of processor time, and a run hashes more than 2,000. */
export const lighterPasswords: Lighter = {
  file: /\/control-plane\/src\/accounts\/passwords\/password-hashing\.ts$/,
  text: "memoryCost: 19_456",
  lighter: `memoryCost: process.env.${wholePasswordsVariable} === "1" ? 19_456 : 64`,
};

/** Fewer than the product has: each new connection plans its statements over all partitions. */
export const daysAheadInTests = 1;

/** The days ahead for which a service creates partitions when it starts. */
export const fewerPartitions: Lighter = {
  file: /\/control-plane\/src\/db\/partitions\.ts$/,
  text: "daysAheadDefault = 7;",
  lighter: `daysAheadDefault = ${daysAheadInTests};`,
};

/** For the environment of a service whose public pages nobody looks at after its start. */
export const keptPages = { TEST_KEPT_PAGES: "1" } as const;

const sitePages = /\/control-plane\/src\/pages\/site-pages\.ts$/;

/** Rendering the public pages again takes 0.8 s of processor time, and many tests change a price or a plan on them. */
export const pagesRenderedOnce: Lighter = {
  file: sitePages,
  text: "if (this.#stopping.signal.aborted) {",
  lighter: 'if (this.#stopping.signal.aborted || process.env.TEST_KEPT_PAGES === "1" && this.#shown !== null) {',
};

/** Half of rendering the public pages is compressing them, twice each. */
export const pagesCompressedLess: Lighter = {
  file: sitePages,
  text: "this.#runPrerender({ catalogue, directory: draft })",
  lighter: "this.#runPrerender({ catalogue, directory: draft, isQuick: true })",
};

/** To see how late its loop is, a service wakes up fifty times a second: a third of what it takes while it has nothing to do. */
export const unwatchedLoop: Lighter = {
  file: /\/control-plane\/src\/operations\/event-loop-lag\.ts$/,
  text: "histogram.enable();",
  lighter: "histogram.disable();",
};

/**
 * The library of schemas writes a function for each object that it checks, and compiles it. Most objects of a test are checked
 * too seldom for that: a service takes 7 % less processor time for its start and a first page of six lists.
 */
export const schemasWithoutCode: Lighter = {
  file: /\/zod\/v4\/core\/core\.js$/,
  text: "__zod_globalConfig = {}",
  lighter: "__zod_globalConfig = { jitless: true }",
};

/**
 * A connection plans a statement once instead of five times. Where the product needs a plan for each value, it says so itself.
 * Nobody has analyzed a new database, so Postgres takes its empty tables for large ones and starts two processes to read them.
 */
export const lighterSettings = { plan_cache_mode: "force_generic_plan", max_parallel_workers_per_gather: "0" };

/** Loads the control plane with these texts. It is an error if one has changed, so that none is lost unnoticed. */
export function lighterProgram(...lighters: readonly Lighter[]): BunPlugin {
  return {
    name: "lighter program",
    setup: (build) => {
      for (const { file } of lighters) {
        build.onLoad({ filter: file }, async ({ path }) => {
          let contents = await readFile(path, "utf8");
          for (const { text, lighter } of lighters.filter((each) => each.file.test(path))) {
            if (contents.split(text).length !== 2) {
              throw new Error(`${path} does not have "${text}" once`);
            }
            contents = contents.replace(text, lighter);
          }
          return { contents, loader: "ts" };
        });
      }
    },
  };
}
