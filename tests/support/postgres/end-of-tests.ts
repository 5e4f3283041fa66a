import { afterAll } from "bun:test";

// Preloaded by bunfig.toml: a hook that is set here runs once after the last file, one that is set in a module runs
// after the first file that imports it. Nothing is imported unless a test requested a database.
afterAll(async () => {
  if (Symbol.for("sluice.test-databases") in globalThis) {
    const { closeTestDatabases } = await import("./test-database.ts");
    await closeTestDatabases();
  }
});

// Before the test file imports the control plane.
const { TEST_LIGHTER, TEST_SEED } = process.env;
if (TEST_LIGHTER === "1") {
  const { lighterPasswords, lighterProgram } = await import("../../runner/lighter-program.ts");
  Bun.plugin(lighterProgram(lighterPasswords));
}

// What fast-check makes up begins with the given seed as well; without one it prints its own when a property fails.
if (TEST_SEED !== undefined) {
  const { configureGlobal } = await import("fast-check");
  configureGlobal({ seed: Number(TEST_SEED) });
}
