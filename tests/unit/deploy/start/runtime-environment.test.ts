import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runtimeEnvironment } from "@sluice/deploy/start/runtime-environment";
import { repositoryRoot } from "../../../support/service/start-process.ts";

const line = `BUN_JSC_forceRAMSize=${runtimeEnvironment().BUN_JSC_forceRAMSize}`;
const linesOf = (path: string) => readFileSync(join(repositoryRoot, path), "utf8").split("\n");

test("the operator's value wins, even a zero, which disables the collector's limit", () => {
  const set = { BUN_CONFIG_MAX_HTTP_REQUESTS: "300", BUN_JSC_forceRAMSize: "0", PORT: "1" };
  expect(runtimeEnvironment(set)).toEqual({ BUN_CONFIG_MAX_HTTP_REQUESTS: "300", BUN_JSC_forceRAMSize: "0" });
  expect(runtimeEnvironment({ BUN_JSC_forceRAMSize: "" })).toEqual(runtimeEnvironment());
});

test("the systemd unit sets the same value, where the settings can override it, and the example file shows it", () => {
  const unit = linesOf("deploy/control-plane/sluice@.service");
  const place = unit.indexOf(`Environment=${line}`);
  expect(place).toBeGreaterThan(0);
  expect(unit.indexOf("EnvironmentFile=/etc/sluice/control-plane.env")).toBeGreaterThan(place);
  expect(linesOf("deploy/env.example")).toContain(`#${line}`);
});

test("the runtime knows the variables and uses their values", () => {
  const env = { ...runtimeEnvironment(), BUN_JSC_dumpOptions: "1" };
  const child = Bun.spawnSync([process.execPath, "-e", "0"], { env, stdout: "ignore", stderr: "pipe" });
  expect(child.stderr.toString()).toContain(line.replace("BUN_JSC_", ""));
  expect(child.exitCode).toBe(0);
});
