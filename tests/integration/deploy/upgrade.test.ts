import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "@sluice/deploy/start/port";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { waitUntil } from "../../support/calls/relay-scene.ts";
import { nginxCommand, RunningEdge } from "../../support/service/edge.ts";
import { describeUnless, unlessInstalled } from "../../support/service/obstacles.ts";
import { masterKeyBytes, SluiceRig, type TestUser } from "../../support/service/sluice.ts";
import { repositoryRoot, type StartedProgram, startProgram } from "../../support/service/start-process.ts";

const streamCount = process.env["TEST_FULL"] === "1" ? 60 : 12;

let provider: SandboxProvider;
let rig: SluiceRig;
let user: TestUser;
let edge: RunningEdge;
let folder: string;

const file = (name: string) => join(folder, name);

/** What systemd does, as two scripts: an instance runs from its link, with the settings of its file. */
function writeServiceScripts(): void {
  const environment = {
    DATABASE_URL: rig.database.url,
    MASTER_KEY: masterKeyBytes.toString("base64"),
    DATA_DIR: file("data"),
    NODE_ENV: "test",
    PROVIDER_API_KEY: "upstream-first",
    PROVIDER_BASE_URL: `${provider.url}/v1`,
    RESERVE_FILE_BYTES: "1048576",
    DRAIN_NOTICE_MS: "300",
  };
  const words = Object.entries(environment).map(([name, value]) => `${name}='${value}'`);
  const start = [
    `cd '${folder}'/$1`,
    `. '${folder}'/instance-$1.env`,
    `setsid env ${words.join(" ")} PORT=$PORT '${process.execPath}' deploy/start/main.ts >>'${folder}'/$1.log 2>&1 </dev/null &`,
    `echo $! >'${folder}'/$1.pid`,
  ];
  const stop = [
    `pid=$(cat '${folder}'/$1.pid)`,
    "kill -TERM $pid 2>/dev/null",
    "while kill -0 $pid 2>/dev/null; do sleep 0.05; done",
  ];
  writeFileSync(file("start.sh"), `${start.join("\n")}\n`);
  writeFileSync(file("stop.sh"), `${stop.join("\n")}\n`);
}

async function runScript(name: "start.sh" | "stop.sh", instance: string): Promise<void> {
  await startProgram({ command: ["sh", file(name), instance], env: {} }).exited;
}

function upgrade(release: string, ...words: string[]): StartedProgram {
  writeFileSync(
    file("test-edge.sh"),
    `exec ${nginxCommand(edge.folder, "")
      .map((word) => `'${word}'`)
      .join(" ")} -t\n`,
  );
  const places = ["--links", folder, "--settings", folder, "--edge-program", join(edge.folder, "sluice/program.conf")];
  const edgeWords = [
    "--edge-test",
    `sh ${file("test-edge.sh")}`,
    "--edge-reload",
    `kill -HUP ${edge.program.pid}`,
    "--edge-pid",
    join(edge.folder, "nginx.pid"),
  ];
  const instances = ["--start", `sh ${file("start.sh")}`, "--stop", `sh ${file("stop.sh")}`];
  return startProgram({
    command: ["bash", join(repositoryRoot, "deploy/control-plane/upgrade.sh"), "--release", release],
    words: [...places, ...edgeWords, ...instances, ...words],
    env: {},
  });
}

/** A call over a separate connection: an idle connection that the edge closes in a reload is not a call. */
async function call(stream: boolean, text = "hello"): Promise<{ status: number; body: string }> {
  const answer = await edge.fetch("/v1/chat/completions", {
    method: "POST",
    headers: { authorization: `Bearer ${user.apiKey}`, "content-type": "application/json", connection: "close" },
    body: JSON.stringify({ model: "gpt-4o-mini", stream, messages: [{ role: "user", content: text }] }),
    keepalive: false,
  });
  return { status: answer.status, body: await answer.text() };
}

async function startScene(): Promise<void> {
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  user = await rig.addUser();
  folder = mkdtempSync(join(tmpdir(), "sluice-upgrade-"));
  const ports = { a: await findFreePort(), b: await findFreePort() };
  for (const [instance, port] of Object.entries(ports)) {
    writeFileSync(file(`instance-${instance}.env`), `PORT=${port}\n`);
  }
  writeServiceScripts();
  edge = await RunningEdge.start(`http://127.0.0.1:${ports.a}`);
}

async function endScene(): Promise<void> {
  for (const instance of ["a", "b"].filter((name) => existsSync(file(`${name}.pid`)))) {
    await runScript("stop.sh", instance);
  }
  await edge?.[Symbol.asyncDispose]();
  await rig?.close();
  await provider?.stop();
  if (folder !== undefined) {
    rmSync(folder, { recursive: true, force: true });
  }
}

describeUnless(unlessInstalled("bash", "nginx", "curl", "flock", "setsid"), "an upgrade", () => {
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
  }, 60_000);

  test("drops no call: streams end where they began, new ones go to the other instance", async () => {
    provider.reset();
    provider.script({ silence: { afterChunks: 3 } }, { times: streamCount, match: { bodyIncludes: "held" } });
    const streams = Array.from({ length: streamCount }, () => call(true, "held"));
    for (let index = 0; index < streamCount; index += 1) {
      await provider.waitForHeld(index, 20_000);
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
      }
    };
    const callers = [callOn(), callOn()];
    const upgrading = upgrade(repositoryRoot);
    await upgrading.waitFor("switched");
    const before = shortCalls;
    await waitUntil(async () => shortCalls > before + 10);
    for (const record of provider.requests.slice(0, streamCount)) {
      record.release();
    }
    expect([await upgrading.exited, upgrading.output()]).toEqual([0, expect.stringContaining("instance a serves")]);
    isOver = true;
    await Promise.all(callers);
    expect(failures).toEqual([]);
    const answers = await Promise.all(streams);
    expect(answers.filter(({ status, body }) => status === 200 && body.endsWith("data: [DONE]\n\n"))).toHaveLength(
      streamCount,
    );
    expect(readFileSync(file("b.log"), "utf8")).toContain('"event":"program.stopped"');
    await rig.waitForUsageRows(streamCount + shortCalls + 1);
    expect(await rig.checkMoney()).toEqual([]);
  }, 60_000);

  test("changes nothing when the new release does not get ready", async () => {
    mkdirSync(file("broken/deploy/start"), { recursive: true });
    mkdirSync(file("broken/node_modules"));
    writeFileSync(file("broken/deploy/start/main.ts"), "process.exit(1);\n");
    const program = join(edge.folder, "sluice/program.conf");
    const [before, links] = [readFileSync(program, "utf8"), readlinkSync(file("a"))];
    const failed = upgrade(file("broken"), "--ready-seconds", "1");
    expect([await failed.exited, failed.output()]).toEqual([1, expect.stringContaining("instance a serves as before")]);
    expect([readFileSync(program, "utf8"), readlinkSync(file("a"))]).toEqual([before, links]);
    expect((await call(true)).body).toEndWith("data: [DONE]\n\n");
  }, 60_000);

  test("changes nothing when the edge rejects the change", async () => {
    const program = join(edge.folder, "sluice/program.conf");
    const before = readFileSync(program, "utf8");
    const failed = upgrade(repositoryRoot, "--edge-test", "false");
    expect([await failed.exited, failed.output()]).toEqual([1, expect.stringContaining("instance a serves as before")]);
    expect(readFileSync(program, "utf8")).toBe(before);
    expect((await call(false)).status).toBe(200);
  }, 60_000);

  test("drops no call after one that was killed between the file of the edge and the edge", async () => {
    const program = join(edge.folder, "sluice/program.conf");
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
      }
    })();
    const again = upgrade(repositoryRoot);
    const ended = [await again.exited, again.output()];
    isOver = true;
    await calling;
    expect(ended).toEqual([0, expect.stringMatching(/was killed while it changed the edge[\s\S]*instance b serves/)]);
    expect(failures).toEqual([]);
    expect(existsSync(`${program}.before`)).toBe(false);
  }, 60_000);
});
