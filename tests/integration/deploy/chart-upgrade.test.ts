import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { callPauseMs } from "../../support/calls/call-pause.ts";
import { waitUntil } from "../../support/calls/relay-scene.ts";
import { describeUnless } from "../../support/service/obstacles.ts";
import { SluiceRig, type TestUser } from "../../support/service/sluice.ts";
import { unlessHelm } from "../../support/shipping/chart.ts";
import { NodeOfCluster, Release } from "../../support/shipping/cluster.ts";
import { required } from "../../support/shipping/value-sets.ts";

/** The notice is longer than the nodes of a cluster take to learn that endpoints changed. */
const drain = { noticeSeconds: 3, timeoutSeconds: 60, marginSeconds: 15 };
const heldStreams = 8;

let provider: SandboxProvider;
let rig: SluiceRig;
let node: NodeOfCluster;
let user: TestUser;
let claims: string;

const heldNow = () => provider.requests.filter((each) => each.isHeld && each.outcome === "open");

const call = async (stream: boolean, text: string, isKept: boolean): Promise<{ status: number; body: string }> => {
  const answer = await fetch(`${node.url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${user.apiKey}`,
      "content-type": "application/json",
      ...(isKept ? {} : { connection: "close" }),
    },
    body: JSON.stringify({ model: "gpt-4o-mini", stream, messages: [{ role: "user", content: text }] }),
    keepalive: isKept,
  });
  return { status: answer.status, body: await answer.text() };
};

describeUnless(unlessHelm, "an upgrade of the chart", () => {
  beforeAll(async () => {
    provider = startSandboxProvider();
    rig = await SluiceRig.create(provider.url);
    user = await rig.addUser();
    node = await NodeOfCluster.start();
    claims = mkdtempSync(join(tmpdir(), "sluice-claims-"));
  });

  afterAll(async () => {
    node.stop();
    await rig.close();
    await provider.stop();
    rmSync(claims, { recursive: true });
  });

  test("drops no call while the migration runs and replicas change one after the other", async () => {
    const pods = {
      databaseUrl: rig.database.url,
      start: (_: number, env: Record<string, string>) => rig.startProcess(env),
    };
    const release = await Release.install(pods, node, claims, { ...required, drain });
    const before = [...release.replicas];
    const streams: Promise<{ status: number; body: string }>[] = [];
    /** Streams on both replicas, each of which has sent something and is not over. */
    const holdStreams = async (): Promise<void> => {
      provider.script({ silence: { afterChunks: 3 } }, { times: heldStreams, match: { bodyIncludes: "held" } });
      streams.push(...Array.from({ length: heldStreams }, () => call(true, "held", false)));
      await waitUntil(async () => heldNow().length === heldStreams);
    };
    let isOver = false;
    let shortCalls = 0;
    const failures: unknown[] = [];
    const callOn = async (isKept: boolean): Promise<void> => {
      while (!isOver) {
        const answer = await call(shortCalls % 2 === 0, "short", isKept).catch((error: unknown) => String(error));
        shortCalls += 1;
        if (typeof answer === "string" || answer.status !== 200 || !/\[DONE\]|"usage"/.test(answer.body)) {
          failures.push(answer);
        }
        await Bun.sleep(callPauseMs);
      }
    };
    const callers = [callOn(false), callOn(false), callOn(true), callOn(true)];
    const codes = await release.upgrade({
      before: holdStreams,
      whileDraining: async (old) => {
        await old.logged('"event":"program.draining"');
        const reached = shortCalls;
        await waitUntil(async () => shortCalls > reached + 20);
        for (const record of heldNow()) {
          record.release();
        }
      },
    });
    isOver = true;
    await Promise.all(callers);
    expect(failures).toEqual([]);
    expect(codes).toEqual([0, 0]);
    expect(before.every((old) => old.log().includes('"event":"program.stopped"'))).toBe(true);
    const answers = await Promise.all(streams);
    expect(answers.filter(({ status, body }) => status === 200 && body.endsWith("data: [DONE]\n\n"))).toHaveLength(
      2 * heldStreams,
    );
    await rig.waitForUsageRows(2 * heldStreams + shortCalls);
    expect(await rig.checkMoney()).toEqual([]);
  });
});
