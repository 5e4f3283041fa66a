import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "@sluice/deploy/start/port";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { createEmptyDatabase } from "../support/postgres/empty-database.ts";
import { createTestDatabase } from "../support/postgres/test-database.ts";
import { describeUnless, firstObstacle, unlessFull, unlessLinux } from "../support/service/obstacles.ts";
import { callOneFile } from "../support/service/one-file.ts";
import { repositoryRoot, type StartedProgram, startProgram } from "../support/service/start-process.ts";
import { armRoot, makeArmRoot } from "../support/shipping/arm-root.ts";

const beforehand = firstObstacle(unlessFull, unlessLinux);

describeUnless(beforehand ?? makeArmRoot(), "the file for arm64, on an emulated processor", () => {
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "sluice-arm64-"));
    const words = [join(repositoryRoot, "binary/build.ts"), "linux-arm64", "--out", folder];
    const build = startProgram({ command: [process.execPath, ...words], env: {} });
    expect([await build.exited, build.output()]).toEqual([0, expect.stringContaining("sluice-linux-arm64")]);
  }, 300_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function run(words: readonly string[], env: Record<string, string> = {}): StartedProgram {
    const command = ["qemu-aarch64", "-L", armRoot, join(folder, "sluice-linux-arm64"), ...words];
    return startProgram({ command, cwd: folder, env });
  }

  async function outputOf(words: readonly string[], env: Record<string, string> = {}): Promise<string> {
    const program = run(words, env);
    expect([words, await program.exited, program.output()]).toEqual([words, 0, expect.anything()]);
    return program.output();
  }

  test("says what it is, and what its commands take", async () => {
    expect(await outputOf(["--version"])).toContain("platform linux-arm64");
    expect(await outputOf(["migrate", "--help"])).toContain("Usage: sluice migrate");
  });

  // The supervisor would start the file by itself, which only a kernel that hands such files to the emulator can do.
  test("migrates, answers a call, books it, and ends in order on SIGTERM", async () => {
    await using server = await createTestDatabase();
    await using database = await createEmptyDatabase(server.url);
    const provider = startSandboxProvider();
    const port = await findFreePort();
    const env = {
      ...{ DATABASE_URL: database.url, DATA_DIR: join(folder, "data"), RESERVE_FILE_BYTES: "1048576" },
      ...{ PROVIDER_API_KEY: "upstream-first", PROVIDER_BASE_URL: `${provider.url}/v1`, PORT: String(port) },
    };
    try {
      expect(await outputOf(["migrate"], env)).toContain('"ok":true');
      const [key = ""] = /sk-[\w-]+/.exec(await outputOf(["seed"], env)) ?? [];
      const service = run(["serve"], env);
      await service.waitFor("program.listening");
      expect(await callOneFile(`http://127.0.0.1:${port}`, key)).toEqual([
        200,
        expect.stringContaining("chat.completion"),
      ]);
      await using sql = new Bun.SQL(database.url, { max: 1 });
      await waitUntil(async () => Number((await sql`select count(*) as calls from usage_log`)[0].calls) === 1);
      service.signal("SIGTERM");
      expect(await service.exited).toBe(0);
      expect(await sql`select * from check_money()`).toEqual([] as never);
    } finally {
      await provider.stop();
    }
  }, 600_000);
});
