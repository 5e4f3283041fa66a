import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { listReleases } from "../../releases/stored-releases.ts";
import { waitUntil } from "../../support/calls/relay-scene.ts";
import { namespaceFault } from "../../support/exit-nodes/network-namespaces.ts";
import { createEmptyDatabase } from "../../support/postgres/empty-database.ts";
import { createTestDatabase } from "../../support/postgres/test-database.ts";
import {
  describeUnless,
  firstObstacle,
  type Obstacle,
  testUnless,
  unlessFull,
  unlessInstalled,
} from "../../support/service/obstacles.ts";
import { thisMachine } from "../../support/service/place.ts";
import { mainFile, masterKeyBytes, type SluiceProcess, spawnControlPlane } from "../../support/service/sluice.ts";
import { repositoryRoot, startProgram } from "../../support/service/start-process.ts";
import { UpgradeScene, unlessUpgradable } from "../../support/service/upgrade-scene.ts";
import { unlessHelm } from "../../support/shipping/chart.ts";
import { NodeOfCluster, type Pods, Release } from "../../support/shipping/cluster.ts";
import { ServerNetwork } from "../../support/shipping/server-network.ts";
import { required } from "../../support/shipping/value-sets.ts";

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

/** Clients that call all the time, streamed and whole, until they are asked to stop. */
class Callers {
  calls = 0;
  readonly failures: unknown[] = [];
  #isOver = false;
  readonly #running: Promise<void>[];

  constructor(call: (isStream: boolean) => Promise<{ readonly status: number; readonly body: string }>) {
    this.#running = [false, true].map(async (isStream) => {
      while (!this.#isOver) {
        const answer = await call(isStream).catch((error: unknown) => ({ status: 0, body: String(error) }));
        this.calls += 1;
        if (answer.status !== 200 || !/\[DONE\]|"usage"/.test(answer.body)) {
          this.failures.push(answer);
        }
      }
    });
  }

  /** Resolves when some more calls have ended. */
  async goOn(): Promise<void> {
    const before = this.calls;
    await waitUntil(async () => this.calls > before + 5);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }
}

/** Each call is charged once, and the books are correct. */
async function checkBooks(url: string, calls: number): Promise<void> {
  await using sql = new Bun.SQL(url, { max: 1 });
  await waitUntil(async () => Number((await sql`select count(*) as calls from usage_log`)[0].calls) >= calls);
  expect(await sql`select count(*)::int as calls from usage_log`).toEqual([{ calls }] as never);
  expect(await sql`select * from check_money()`).toEqual([] as never);
}

describeUnless(
  firstObstacle(unlessFull, unlessUpgradable, unlessInstalled("git", "tar"), unlessHistory, namespaceFault()),
  `an upgrade from release ${newest}, on hosts of their own`,
  () => {
    let folder: string;
    let last: string;
    const masterKey = randomBytes(32).toString("base64");

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "sluice-release-"));
      last = join(folder, "last");
      await unpackRelease(last);
    }, 300_000);

    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    test("drops no call by upgrade.sh, and charges each once", async () => {
      using network = new ServerNetwork();
      await using server = await createTestDatabase();
      await using database = await createEmptyDatabase(server.url);
      await using scene = await UpgradeScene.start(
        {
          DATABASE_URL: await network.forward(database.url),
          MASTER_KEY: masterKey,
          RESERVE_FILE_BYTES: "1048576",
          DRAIN_NOTICE_MS: "300",
          WEB_DIST: "none",
        },
        network.addHost("server"),
      );
      const first = scene.upgrade(last);
      expect([await first.exited, first.output()]).toEqual([0, expect.stringContaining("instance b serves")]);
      await waitUntil(async () => scene.logOf("b").includes("Try it:"));
      const [key = ""] = /sk-[\w-]+/.exec(scene.logOf("b")) ?? [];
      const callers = new Callers((isStream) => scene.call(key, isStream));
      await callers.goOn();
      const upgrading = scene.upgrade(repositoryRoot);
      expect([await upgrading.exited, upgrading.output()]).toEqual([0, expect.stringContaining("instance a serves")]);
      await callers.goOn();
      await callers.end();
      expect(callers.failures).toEqual([]);
      await checkBooks(database.url, callers.calls);
    }, 300_000);

    testUnless(
      unlessHelm,
      "drops no call by the chart: the hook migrates under the release before, then one replica after the other changes",
      async () => {
        using network = new ServerNetwork();
        await using server = await createTestDatabase();
        await using database = await createEmptyDatabase(server.url);
        const provider = startSandboxProvider();
        const environment = {
          ...{ PATH: process.env["PATH"] ?? "", NODE_ENV: "test", MASTER_KEY: masterKeyBytes.toString("base64") },
          ...{ DATABASE_URL: database.url, PROVIDER_API_KEY: "upstream-first", RESERVE_FILE_BYTES: "1048576" },
          PROVIDER_BASE_URL: `${(await network.forward(provider.url)).replace(/\/$/, "")}/v1`,
        };
        let said = "";
        for (const command of ["migrate", "seed"]) {
          const program = [process.execPath, join(last, `control-plane/src/commands/${command}.ts`)];
          const ran = startProgram({ command: program, env: environment });
          expect([await ran.exited, ran.output()]).toEqual([0, expect.anything()]);
          said += ran.output();
        }
        const [key = ""] = /sk-[\w-]+/.exec(said) ?? [];
        const hosts = [network.addHost("pod-0"), network.addHost("pod-1")];
        const hostsUrl = await network.forward(database.url);
        let program = join(last, "control-plane/src/main.ts");
        const started: SluiceProcess[] = [];
        const pods: Pods = {
          databaseUrl: database.url,
          start: async (ordinal, env) => {
            const place = hosts[ordinal] ?? thisMachine;
            const own = {
              HOST: place.address,
              DEVELOPMENT_ON_NETWORK: "true",
              DATABASE_URL: hostsUrl,
              WEB_DIST: "none",
            };
            const replica = await spawnControlPlane({ ...environment, ...env, ...own }, { place, program });
            started.push(replica);
            return replica;
          },
        };
        const node = await NodeOfCluster.start();
        try {
          const values = { ...required, drain: { noticeSeconds: 3, timeoutSeconds: 60, marginSeconds: 15 } };
          const release = await Release.install(pods, node, join(folder, "claims"), values);
          const callers = new Callers(async (isStream) => {
            const answer = await fetch(`${node.url}/v1/chat/completions`, {
              method: "POST",
              headers: { authorization: `Bearer ${key}`, "content-type": "application/json", connection: "close" },
              body: JSON.stringify({
                model: "gpt-4o-mini",
                stream: isStream,
                messages: [{ role: "user", content: "hello" }],
              }),
              keepalive: false,
            });
            return { status: answer.status, body: await answer.text() };
          });
          await callers.goOn();
          program = mainFile;
          const codes = await release.upgrade({
            before: () => callers.goOn(),
            whileDraining: async (old) => {
              await old.logged('"event":"program.draining"');
              await callers.goOn();
            },
          });
          await callers.goOn();
          await callers.end();
          expect(callers.failures).toEqual([]);
          expect(codes).toEqual([0, 0]);
          await checkBooks(database.url, callers.calls);
        } finally {
          node.stop();
          await Promise.all(started.map((replica) => replica.kill()));
          await provider.stop();
        }
      },
      300_000,
    );
  },
);
