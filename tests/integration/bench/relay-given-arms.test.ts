/** The arms of one-api and new-api, against a program that demands their set-up and answers like them. */
import { afterEach, expect } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GivenArmName, Site } from "../../bench/relay/arm.ts";
import { newApiArm, oneApiArm } from "../../bench/relay/arms/one-api.ts";
import { runClient } from "../../bench/relay/load/client.ts";
import { FakeProvider } from "../../bench/relay/load/provider.ts";
import { verifyRewritten } from "../../bench/relay/verify.ts";
import { testUnless, unlessInstalled } from "../../support/service/obstacles.ts";

const stub = join(import.meta.dir, "../../support/service/start-stubs/one-api.ts");
const cleanups: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) {
    await cleanup();
  }
});

function siteWith(name: GivenArmName): Site {
  const folder = mkdtempSync(join(tmpdir(), "sluice-given-arm-"));
  const provider = new FakeProvider();
  cleanups.push(() => rmSync(folder, { recursive: true }));
  cleanups.push(() => provider.stop());
  const binary = join(folder, "program");
  writeFileSync(binary, `#!/bin/sh\nexec "${process.execPath}" "${stub}" --kind ${name} "$@"\n`);
  chmodSync(binary, 0o755);
  return { providerPort: provider.port, folder, profileFolder: null, against: null, binaries: { [name]: binary } };
}

for (const arm of [oneApiArm, newApiArm]) {
  testUnless(
    unlessInstalled("taskset"),
    `${arm.name} gets a channel and a key, and its calls are measured`,
    async () => {
      const site = siteWith(arm.name as GivenArmName);
      expect(await arm.prepare(site)).toBeNull();
      const started = await arm.start(site);
      cleanups.push(() => started.stop());
      const { call } = started;
      if (call === undefined) {
        throw new Error("the arm has no call of its own");
      }
      await verifyRewritten(started, call);
      const plan = { ...started, call, connections: 2, warmupMs: 0, durationMs: 200, staggerMs: 0 };
      expect((await runClient({ ...plan, isStream: false })).answered).toBeGreaterThan(0);
      const { stream } = await runClient({ ...plan, isStream: true });
      expect(stream?.chunks).toBeGreaterThan(0);
    },
  );

  testUnless(
    unlessInstalled("taskset"),
    `${arm.name} is left out with the reason when no binary is given`,
    async () => {
      const site = siteWith(arm.name as GivenArmName);
      expect(await arm.prepare({ ...site, binaries: {} })).toContain(`--${arm.name}`);
      expect(await arm.prepare({ ...site, binaries: { [arm.name]: join(site.folder, "nothing") } })).toContain(
        "not exist",
      );
    },
  );
}
