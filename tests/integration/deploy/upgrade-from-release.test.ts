import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { listReleases } from "../../releases/stored-releases.ts";
import { waitUntil } from "../../support/calls/relay-scene.ts";
import { createEmptyDatabase } from "../../support/postgres/empty-database.ts";
import { createTestDatabase } from "../../support/postgres/test-database.ts";
import {
  describeUnless,
  firstObstacle,
  type Obstacle,
  unlessFull,
  unlessInstalled,
} from "../../support/service/obstacles.ts";
import { repositoryRoot, startProgram } from "../../support/service/start-process.ts";
import { UpgradeScene, unlessUpgradable } from "../../support/service/upgrade-scene.ts";

const newest = (await listReleases()).at(-1) ?? "";
const stored = `tests/fixtures/releases/${newest}/database.sql.gz`;

function git(...words: readonly string[]): string {
  const result = Bun.spawnSync(["git", "-C", repositoryRoot, ...words], { stdout: "pipe", stderr: "ignore" });
  return result.exitCode === 0 ? result.stdout.toString().trim() : "";
}

/** A release stores its database in its own commit. */
const commit = Bun.which("git") === null ? "" : git("log", "--diff-filter=A", "--format=%H", "-1", "--", stored);
const unlessHistory: Obstacle = commit === "" ? "needs the history of git" : null;

/** Puts the last release into a folder, with its packages. */
async function unpackRelease(folder: string): Promise<void> {
  mkdirSync(folder);
  const commands = [
    `git -C '${repositoryRoot}' archive ${commit} | tar -x -C '${folder}'`,
    `cd '${folder}' && '${process.execPath}' deploy/start/install-packages.ts`,
  ];
  for (const command of commands) {
    const program = startProgram({ command: ["sh", "-c", command], env: {} });
    expect([await program.exited, program.output()]).toEqual([0, expect.anything()]);
  }
}

describeUnless(
  firstObstacle(unlessFull, unlessUpgradable, unlessInstalled("git", "tar"), unlessHistory),
  `an upgrade from release ${newest}`,
  () => {
    test("drops no call, and charges each once", async () => {
      await using server = await createTestDatabase();
      await using database = await createEmptyDatabase(server.url);
      await using scene = await UpgradeScene.start({
        DATABASE_URL: database.url,
        MASTER_KEY: randomBytes(32).toString("base64"),
        RESERVE_FILE_BYTES: "1048576",
        DRAIN_NOTICE_MS: "300",
      });
      await using sql = new Bun.SQL(database.url, { max: 1 });
      await unpackRelease(scene.file("last"));
      const first = scene.upgrade(scene.file("last"));
      expect([await first.exited, first.output()]).toEqual([0, expect.stringContaining("instance b serves")]);
      await waitUntil(async () => scene.logOf("b").includes("Try it:"));
      const [key = ""] = /sk-[\w-]+/.exec(scene.logOf("b")) ?? [];

      let isOver = false;
      let calls = 0;
      const failures: object[] = [];
      const callOn = async (isStream: boolean): Promise<void> => {
        while (!isOver) {
          const answer = await scene.call(key, isStream);
          calls += 1;
          if (answer.status !== 200 || !/\[DONE\]|"usage"/.test(answer.body)) {
            failures.push(answer);
          }
        }
      };
      const callers = [callOn(false), callOn(true)];
      await waitUntil(async () => calls > 5);
      const upgrading = scene.upgrade(repositoryRoot);
      expect([await upgrading.exited, upgrading.output()]).toEqual([0, expect.stringContaining("instance a serves")]);
      const switched = calls;
      await waitUntil(async () => calls > switched + 5);
      isOver = true;
      await Promise.all(callers);
      expect(failures).toEqual([]);
      await waitUntil(async () => Number((await sql`select count(*) as calls from usage_log`)[0].calls) >= calls);
      expect(await sql`select count(*)::int as calls from usage_log`).toEqual([{ calls }] as never);
      expect(await sql`select * from check_money()`).toEqual([] as never);
    }, 170_000);
  },
);
