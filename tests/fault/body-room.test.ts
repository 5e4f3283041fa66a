/** The bodies of all calls together take a limited amount of memory. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type RelayScene, startRelayScene } from "../support/calls/relay-scene.ts";
import { arrangements, type SluiceProcess, type TestUser } from "../support/service/sluice.ts";

const mib = 1024 * 1024;
const bodyBytes = 2 * mib;

let scene: RelayScene;
let neighbour: TestUser;

beforeAll(async () => {
  const env = {
    BODY_BYTES_MAX: String(3 * mib),
    BODIES_USER_BYTES_MAX: String(9 * mib),
    BODIES_BYTES_MAX: String(13 * mib),
  };
  scene = await startRelayScene(arrangements.at(-1) ?? "one-process", { env });
  neighbour = await scene.rig.addUser();
  // A context that such a prompt fits into.
  await scene.rig.db.sql`update model set context_tokens_max = 100000000`;
});

afterAll(async () => {
  expect(await scene.rig.checkMoney()).toEqual([]);
  await scene.close();
});

const body = JSON.stringify({
  model: "gpt-4o-mini",
  max_tokens: 5,
  messages: [{ role: "user", content: "word ".repeat(bodyBytes / 5) }],
});

const send = async ({ apiKey }: TestUser, isChunked = false, at = scene.sluice): Promise<number> => {
  const answer = await fetch(`${at.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: isChunked ? new Blob([body]).stream() : body,
  });
  await answer.arrayBuffer();
  return answer.status;
};

/** The provider responds to the calls that it holds back. */
function releaseAll(): void {
  for (const request of scene.provider.requests) {
    request.release();
  }
}

test.each([
  ["declared", false],
  ["sent in chunks", true],
])("bodies that are %s: one user is limited, and others continue until the total limit", async (_, isChunked) => {
  scene.provider.reset();
  scene.provider.script({ silence: { afterBytes: 0 } }, { times: "always" });
  const own = Array.from({ length: 4 }, () => send(scene.user, isChunked));
  await scene.provider.waitForHeld(3);
  expect(await send(scene.user, isChunked)).toBe(429);
  const others = Array.from({ length: 2 }, () => send(neighbour, isChunked));
  await scene.provider.waitForHeld(5);
  expect(await send(neighbour, isChunked)).toBe(503);
  releaseAll();
  expect(await Promise.all([...own, ...others])).toEqual([200, 200, 200, 200, 200, 200]);
  scene.provider.reset();
  expect(await send(scene.user, isChunked)).toBe(200);
});

describe("a relay apart from its gateway", () => {
  let relay: SluiceProcess;

  beforeAll(async () => {
    const gateway = await scene.rig.startProcess({ BODY_BYTES_MAX: String(3 * mib), ROLES: "gateway,jobs" });
    relay = await scene.rig.startProcess({
      BODY_BYTES_MAX: String(3 * mib),
      BODIES_USER_BYTES_MAX: String(5 * mib),
      BODIES_BYTES_MAX: String(9 * mib),
      ROLES: "relay,backend",
      UPSTREAM_GATEWAY_URL: gateway.url,
    });
  });

  test.each([
    ["declared", false],
    ["sent in chunks", true],
  ])("limits the bodies of one user, and of all users, by itself when they are %s", async (_, isChunked) => {
    scene.provider.reset();
    scene.provider.script({ silence: { afterBytes: 0 } }, { times: "always" });
    const own = Array.from({ length: 2 }, () => send(scene.user, isChunked, relay));
    await scene.provider.waitForHeld(1);
    expect(await send(scene.user, isChunked, relay)).toBe(429);
    const others = Array.from({ length: 2 }, () => send(neighbour, isChunked, relay));
    await scene.provider.waitForHeld(3);
    expect(await send(await scene.rig.addUser(), isChunked, relay)).toBe(503);
    releaseAll();
    expect(await Promise.all([...own, ...others])).toEqual([200, 200, 200, 200]);
    scene.provider.reset();
    expect(await send(scene.user, isChunked, relay)).toBe(200);
  });
});
