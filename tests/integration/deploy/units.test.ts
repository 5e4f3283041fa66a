import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { testUnless, unlessInstalled } from "../../support/service/obstacles.ts";
import { repositoryRoot, startProgram } from "../../support/service/start-process.ts";

const units = ["deploy/node/sluice-node-agent.service", "deploy/control-plane/sluice@.service"];

/** What keeps a service that was broken into from the rest of the machine. */
const hardening = [
  "NoNewPrivileges=yes",
  "ProtectSystem=strict",
  "ProtectHome=yes",
  "PrivateTmp=yes",
  "PrivateDevices=yes",
  "ProtectKernelModules=yes",
  "RestrictNamespaces=yes",
  "SystemCallFilter=@system-service",
  "UMask=0077",
];

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-units-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

describe.each(units)("%s", (path) => {
  const text = readFileSync(join(repositoryRoot, path), "utf8");

  testUnless(unlessInstalled("systemd-analyze"), "is found good by systemd", async () => {
    const file = join(folder, basename(path));
    // The program is not installed here, and systemd wants to see one.
    writeFileSync(file, text.replace(/^ExecStart=\S+/m, "ExecStart=/bin/sh"));
    const program = startProgram({ command: ["systemd-analyze", "verify", file], env: {} });
    expect([await program.exited, program.output()]).toEqual([0, ""]);
  });

  test("is hardened, and gives calls time to finish", () => {
    const lines = text.split("\n");
    expect(hardening.filter((line) => !lines.includes(line))).toEqual([]);
    expect(lines).toContain("TimeoutStopSec=3660");
    expect(text).not.toMatch(/^User=root$/m);
  });
});
