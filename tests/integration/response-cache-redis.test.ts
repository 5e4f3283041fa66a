import { expect, test } from "bun:test";
import { GuardedAnswers } from "@sluice/control-plane/gateway/response-cache/shared/guarded-answers.ts";
import { RedisAnswers } from "@sluice/control-plane/gateway/response-cache/shared/redis-answers.ts";
import { keyIdOf, SealingKey } from "@sluice/control-plane/platform/crypto/sealing-key.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { startRedisServer } from "../support/wire/redis-server.ts";

const secret = new Uint8Array(32).fill(3);
const key = new SealingKey(keyIdOf(secret), secret);
const restMs = 6_000;

test("a server to which a connection takes longer than a call waits is used once it is connected", async () => {
  const redis = await startRedisServer(0, 120);
  let tick = 0;
  let failures = 0;
  const answers = new GuardedAnswers({
    store: new RedisAnswers(redis.url),
    key,
    clock: { now: () => 0, tick: () => tick },
    log: createLog("error", () => undefined),
    onFailure: () => {
      failures += 1;
    },
  });
  await waitUntil(async () => {
    const before = failures;
    tick += restMs;
    await answers.find("some digest");
    return failures === before;
  });
  expect(failures).toBeGreaterThan(0);
  answers.close();
  await redis.stop();
});
