import { expect } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testUnless, unlessInstalled } from "../../support/service/obstacles.ts";
import { repositoryRoot, startProgram } from "../../support/service/start-process.ts";

testUnless(
  unlessInstalled("dpkg-deb", "lintian"),
  "Debian's checks find nothing wrong with the package, apart from what it gives a reason for",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-lintian-"));
    try {
      const command = [process.execPath, join(repositoryRoot, "binary/build.ts"), "--deb", "--out", folder];
      const build = startProgram({ command, env: {} });
      expect([await build.exited, build.output()]).toEqual([0, expect.stringContaining(".deb")]);
      const [name = ""] = readdirSync(folder).filter((each) => each.endsWith(".deb"));
      const lintian = ["lintian", "--fail-on", "error,warning", join(folder, name)];
      const check = startProgram({ command: lintian, env: {} });
      const code = await check.exited;
      expect([code, check.output().replace(/^running with root privileges .*\n/m, "")]).toEqual([0, ""]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  300_000,
);
