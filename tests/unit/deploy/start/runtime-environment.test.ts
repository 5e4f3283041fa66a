import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runtimeEnvironment } from "@sluice/deploy/start/runtime-environment";
import { repositoryRoot } from "../../../support/service/start-process.ts";

const values = runtimeEnvironment();
const { BUN_CONFIG_MAX_HTTP_REQUESTS: _, ...shown } = values;
const lines = Object.entries(shown).map(([name, value]) => `${name}=${value}`);
const linesOf = (path: string) => readFileSync(join(repositoryRoot, path), "utf8").split("\n");

test("the operator's value wins, even a zero, which disables the collector's limit", () => {
  const set = {
    BUN_CONFIG_MAX_HTTP_REQUESTS: "300",
    BUN_JSC_forceRAMSize: "0",
    BUN_JSC_minEdenToOldGenerationRatio: "0.3",
    MIMALLOC_PURGE_DELAY: "0",
    MIMALLOC_PURGE_HOLES_MIN_INTERVAL: "0",
  };
  expect(runtimeEnvironment({ ...set, PORT: "1" })).toEqual(set);
  expect(runtimeEnvironment({ BUN_JSC_forceRAMSize: "" })).toEqual(values);
});

test("the systemd unit sets the same values, where the settings can override them, and the example file shows them", () => {
  const unit = linesOf("deploy/control-plane/sluice@.service");
  expect(lines).toHaveLength(4);
  for (const each of lines) {
    const place = unit.indexOf(`Environment=${each}`);
    expect(place).toBeGreaterThan(0);
    expect(unit.indexOf("EnvironmentFile=/etc/sluice/control-plane.env")).toBeGreaterThan(place);
    expect(linesOf("deploy/env.example")).toContain(`#${each}`);
  }
});

test("the runtime knows the variables and uses their values", () => {
  const env = { ...values, BUN_JSC_dumpOptions: "1", MIMALLOC_VERBOSE: "1" };
  const child = Bun.spawnSync([process.execPath, "-e", "0"], { env, stdout: "ignore", stderr: "pipe" });
  const said = child.stderr.toString();
  expect(said).toContain(`forceRAMSize=${values.BUN_JSC_forceRAMSize}`);
  expect(said).toContain(`minEdenToOldGenerationRatio=${values.BUN_JSC_minEdenToOldGenerationRatio}`);
  expect(said).toContain(`option 'purge_delay': ${values.MIMALLOC_PURGE_DELAY} `);
  expect(said).toContain(`option 'purge_holes_min_interval': ${values.MIMALLOC_PURGE_HOLES_MIN_INTERVAL} `);
  expect(child.exitCode).toBe(0);
});
