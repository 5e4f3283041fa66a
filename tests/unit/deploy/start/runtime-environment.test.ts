import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runtimeEnvironment } from "@sluice/deploy/start/runtime-environment";
import { repositoryRoot } from "../../../support/service/start-process.ts";

const { BUN_JSC_forceRAMSize, MIMALLOC_PURGE_DELAY } = runtimeEnvironment();
const line = `BUN_JSC_forceRAMSize=${BUN_JSC_forceRAMSize}`;
const purgeLine = `MIMALLOC_PURGE_DELAY=${MIMALLOC_PURGE_DELAY}`;
const linesOf = (path: string) => readFileSync(join(repositoryRoot, path), "utf8").split("\n");

test("the operator's value wins, even a zero, which disables the collector's limit", () => {
  const set = { BUN_CONFIG_MAX_HTTP_REQUESTS: "300", BUN_JSC_forceRAMSize: "0", MIMALLOC_PURGE_DELAY: "0" };
  expect(runtimeEnvironment({ ...set, PORT: "1" })).toEqual(set);
  expect(runtimeEnvironment({ BUN_JSC_forceRAMSize: "" })).toEqual(runtimeEnvironment());
});

test("the systemd unit sets the same values, where the settings can override them, and the example file shows them", () => {
  const unit = linesOf("deploy/control-plane/sluice@.service");
  for (const each of [line, purgeLine]) {
    const place = unit.indexOf(`Environment=${each}`);
    expect(place).toBeGreaterThan(0);
    expect(unit.indexOf("EnvironmentFile=/etc/sluice/control-plane.env")).toBeGreaterThan(place);
    expect(linesOf("deploy/env.example")).toContain(`#${each}`);
  }
});

test("the runtime knows the variables and uses their values", () => {
  const env = { ...runtimeEnvironment(), BUN_JSC_dumpOptions: "1" };
  const child = Bun.spawnSync([process.execPath, "-e", "0"], { env, stdout: "ignore", stderr: "pipe" });
  expect(child.stderr.toString()).toContain(line.replace("BUN_JSC_", ""));
  expect(child.exitCode).toBe(0);
});
