import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, readlinkSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { callPauseMs } from "../../support/calls/call-pause.ts";
import { waitUntil } from "../../support/calls/relay-scene.ts";
import { describeUnless, testUnless, unlessLinux } from "../../support/service/obstacles.ts";
import { buildOneFile, oneFileName } from "../../support/service/one-file.ts";
import { masterKeyBytes, SluiceRig, type TestUser } from "../../support/service/sluice.ts";
import { repositoryRoot, type StartedProgram } from "../../support/service/start-process.ts";
import { UpgradeScene, unlessUpgradable } from "../../support/service/upgrade-scene.ts";
import { withoutPages } from "../../support/web/without-pages.ts";

const streamCount = process.env["TEST_FULL"] === "1" ? 60 : 12;

let provider: SandboxProvider;
let rig: SluiceRig;
let user: TestUser;
let scene: UpgradeScene;
let servedCalls = 0;

const file = (name: string): string => scene.file(name);
const upgrade = (release: string, ...words: readonly string[]): StartedProgram => scene.upgrade(release, ...words);

async function call(stream: boolean, text?: string): Promise<{ status: number; body: string }> {
  const answer = await scene.call(user.apiKey, stream, text);
  servedCalls += answer.status === 200 ? 1 : 0;
  return answer;
}

async function startScene(): Promise<void> {
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  user = await rig.addUser();
  scene = await UpgradeScene.start({
    DATABASE_URL: rig.database.url,
    MASTER_KEY: masterKeyBytes.toString("base64"),
    NODE_ENV: "test",
    PROVIDER_API_KEY: "upstream-first",
    PROVIDER_BASE_URL: `${provider.url}/v1`,
    RESERVE_FILE_BYTES: "1048576",
    DRAIN_NOTICE_MS: "300",
    ...withoutPages,
  });
}

async function endScene(): Promise<void> {
  await scene?.[Symbol.asyncDispose]();
  await rig?.close();
  await provider?.stop();
}

describeUnless(unlessUpgradable, "an upgrade", () => {
  beforeAll(startScene, 60_000);
  afterAll(endScene, 60_000);

  test("names the missing folder, and starts nothing", async () => {
    for (const [option, reason] of [
      ["--release", /nowhere is not a release/],
      ["--links", /nowhere is missing: --links/],
      ["--settings", /nowhere\/instance-a\.env is missing/],
    ] as const) {
      const refused = upgrade(repositoryRoot, option, file("nowhere"));
      expect([await refused.exited, refused.output()]).toEqual([1, expect.stringMatching(reason)]);
    }
  });

  // The edge names instance a, which does not run yet, so that the first release goes to b.
  test("puts the first release into service", async () => {
    const first = upgrade(repositoryRoot);
    expect([await first.exited, first.output()]).toEqual([0, expect.stringContaining("instance b serves")]);
    expect((await call(false)).status).toBe(200);
  });

  /** Upgrades while streams are held open and short calls come in. */
  async function upgradeUnderCalls(release: string, expected: string): Promise<void> {
    provider.reset();
    provider.script({ silence: { afterChunks: 3 } }, { times: streamCount, match: { bodyIncludes: "held" } });
    const streams = Array.from({ length: streamCount }, () => call(true, "held"));
    for (let index = 0; index < streamCount; index += 1) {
      await provider.waitForHeld(index);
    }
    let isOver = false;
    let shortCalls = 0;
    const failures: { status: number; body: string }[] = [];
    const callOn = async (): Promise<void> => {
      while (!isOver) {
        const answer = await call(shortCalls % 2 === 0);
        shortCalls += 1;
        if (answer.status !== 200 || !/\[DONE\]|"usage"/.test(answer.body)) {
          failures.push(answer);
        }
        await Bun.sleep(callPauseMs);
      }
    };
    const callers = [callOn(), callOn()];
    const upgrading = upgrade(release);
    await upgrading.waitFor("switched");
    const before = shortCalls;
    await waitUntil(async () => shortCalls > before + 10);
    for (const record of provider.requests.slice(0, streamCount)) {
      record.release();
    }
    expect([await upgrading.exited, upgrading.output()]).toEqual([0, expect.stringContaining(expected)]);
    isOver = true;
    await Promise.all(callers);
    expect(failures).toEqual([]);
    const answers = await Promise.all(streams);
    expect(answers.filter(({ status, body }) => status === 200 && body.endsWith("data: [DONE]\n\n"))).toHaveLength(
      streamCount,
    );
    await rig.waitForUsageRows(servedCalls);
    expect(await rig.checkMoney()).toEqual([]);
  }

  test("drops no call: streams end where they began, new ones go to the other instance", async () => {
    await upgradeUnderCalls(repositoryRoot, "instance a serves");
    expect(scene.logOf("b")).toContain('"event":"program.stopped"');
  });

  test("changes nothing when the new release does not get ready", async () => {
    mkdirSync(file("broken/deploy/start"), { recursive: true });
    mkdirSync(file("broken/node_modules"));
    writeFileSync(file("broken/deploy/start/main.ts"), "process.exit(1);\n");
    const program = join(scene.edge.folder, "sluice/program.conf");
    const [before, links] = [readFileSync(program, "utf8"), readlinkSync(file("a"))];
    const failed = upgrade(file("broken"), "--ready-seconds", "1");
    expect([await failed.exited, failed.output()]).toEqual([1, expect.stringContaining("instance a serves as before")]);
    expect([readFileSync(program, "utf8"), readlinkSync(file("a"))]).toEqual([before, links]);
    expect((await call(true)).body).toEndWith("data: [DONE]\n\n");
  });

  test("changes nothing when the edge rejects the change", async () => {
    const program = join(scene.edge.folder, "sluice/program.conf");
    const before = readFileSync(program, "utf8");
    const failed = upgrade(repositoryRoot, "--edge-test", "false");
    expect([await failed.exited, failed.output()]).toEqual([1, expect.stringContaining("instance a serves as before")]);
    expect(readFileSync(program, "utf8")).toBe(before);
    expect((await call(false)).status).toBe(200);
  });

  test("drops no call after one that was killed between the file of the edge and the edge", async () => {
    const program = join(scene.edge.folder, "sluice/program.conf");
    const served = readFileSync(program, "utf8");
    writeFileSync(`${program}.before`, served);
    const [, port] = /PORT=(\d+)/.exec(readFileSync(file("instance-b.env"), "utf8")) ?? [];
    writeFileSync(program, `server 127.0.0.1:${port};\n`);
    let isOver = false;
    const failures: { status: number; body: string }[] = [];
    const calling = (async () => {
      while (!isOver) {
        const answer = await call(false);
        if (answer.status !== 200) {
          failures.push(answer);
        }
        await Bun.sleep(callPauseMs);
      }
    })();
    const again = upgrade(repositoryRoot);
    const ended = [await again.exited, again.output()];
    isOver = true;
    await calling;
    expect(ended).toEqual([0, expect.stringMatching(/was killed while it changed the edge[\s\S]*instance b serves/)]);
    expect(failures).toEqual([]);
    expect(existsSync(`${program}.before`)).toBe(false);
  });

  testUnless(unlessLinux, "drops no call when the next release is one file", async () => {
    await buildOneFile(file("one-file"));
    renameSync(file(`one-file/${oneFileName}`), file("one-file/sluice"));
    await upgradeUnderCalls(file("one-file"), "instance a serves");
    expect(readlinkSync(file("a"))).toBe(realpathSync(file("one-file")));
  });
});
