import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { sha256 } from "@sluice/control-plane/platform/crypto/digest.ts";
import { type RelayScene, startRelayScene, waitUntil } from "../support/calls/relay-scene.ts";
import { arrangements, type TestUser } from "../support/service/sluice.ts";
import { promptMs } from "../support/values/patience.ts";

const chat = { model: "gpt-4o-mini", messages: [{ role: "user", content: "hello" }] };
/** Keys with the same beginning; each allows another model. */
const twinModels = ["twin-0", "twin-1", "twin-2", "twin-3"];

type ErrorBody = { error?: { code: string; type: string; message: string } };

describe.each(arrangements)("a key's permissions, %s", (arrangement) => {
  let scene: RelayScene;

  beforeAll(async () => {
    scene = await startRelayScene(arrangement, {
      prepare: async (rig) => {
        for (const name of ["other", ...twinModels]) {
          await rig.addFlatPriceModel(name, 1n);
        }
      },
    });
  });

  afterEach(() => scene.provider.reset());
  afterAll(() => scene.close());

  const call = (apiKey: string, more: object = {}, signal?: AbortSignal): Promise<Response> =>
    fetch(`${scene.sluice.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ ...chat, ...more }),
      ...(signal === undefined ? {} : { signal }),
    });
  const listModels = async (apiKey: string): Promise<string[]> => {
    const answer = await fetch(`${scene.sluice.url}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } });
    const { data } = (await answer.json()) as { data?: { id: string }[] };
    return (data ?? []).map(({ id }) => id).sort();
  };
  const refused = async (answer: Response): Promise<[status: number, code: string | undefined]> => {
    const { error } = (await answer.json()) as ErrorBody;
    return [answer.status, error?.code];
  };
  /** The time from now until a call of the key gets this status. */
  const msUntil = async (user: TestUser, status: number): Promise<number> => {
    const startedAtMs = performance.now();
    await waitUntil(async () => {
      const answer = await call(user.apiKey, { max_tokens: 1 });
      await answer.arrayBuffer();
      return answer.status === status;
    });
    return performance.now() - startedAtMs;
  };

  describe("a change in the database", () => {
    test("that revokes a key takes effect at once, although the key was in use", async () => {
      const user = await scene.rig.addUser();
      expect(await msUntil(user, 200)).toBeLessThan(promptMs);
      await scene.rig.db
        .sql`update api_key set status = 'revoked' where gateway_user_id = ${user.gatewayUserId}::bigint`;
      expect(await msUntil(user, 401)).toBeLessThan(promptMs);
      expect(await refused(await call(user.apiKey))).toEqual([401, "invalid_api_key"]);
    });

    test("that switches a key off or on takes effect at once", async () => {
      const user = await scene.rig.addUser();
      for (const [status, wanted] of [
        ["disabled", 401],
        ["active", 200],
        ["disabled", 401],
      ] as const) {
        await scene.rig.db
          .sql`update api_key set status = ${status} where gateway_user_id = ${user.gatewayUserId}::bigint`;
        expect(await msUntil(user, wanted)).toBeLessThan(promptMs);
      }
    });

    test("that disables or enables a user takes effect at once", async () => {
      const user = await scene.rig.addUser();
      for (const [status, wanted] of [
        ["disabled", 403],
        ["enabled", 200],
        ["disabled", 403],
      ] as const) {
        await scene.rig.db.sql`update gateway_user set status = ${status} where id = ${user.gatewayUserId}::bigint`;
        expect(await msUntil(user, wanted)).toBeLessThan(promptMs);
      }
    });

    test("that deletes a key takes effect at once", async () => {
      const user = await scene.rig.addUser();
      await (await call(user.apiKey, { model: "gpt-99" })).arrayBuffer();
      await scene.rig.db.sql`delete from api_key where gateway_user_id = ${user.gatewayUserId}::bigint`;
      expect(await msUntil(user, 401)).toBeLessThan(promptMs);
    });

    test("that creates a key takes effect at once, although someone tried it before", async () => {
      const user = await scene.rig.addUser();
      const apiKey = `sk-${"Late".repeat(12)}`;
      expect((await call(apiKey)).status).toBe(401);
      await scene.rig.db.sql`
        insert into api_key (gateway_user_id, key_hash, key_prefix, key_last_four, name)
        values (${user.gatewayUserId}::bigint, ${sha256(apiKey)}, 'sk-Late', 'Late', 'late')`;
      expect(await msUntil({ ...user, apiKey }, 200)).toBeLessThan(promptMs);
    });
  });

  test("a key expires on time without a change", async () => {
    const user = await scene.rig.addUser();
    await msUntil(user, 200);
    const [row] = await scene.rig.db.sql<{ ms: string }>`
      update api_key set expires_at = now() + interval '1 second'
      where gateway_user_id = ${user.gatewayUserId}::bigint
      returning (extract(epoch from expires_at) * 1000)::text as ms`;
    await msUntil(user, 401);
    // Not before, and soon after.
    expect(Date.now() - Math.floor(Number(row?.ms))).toBeWithin(0, promptMs);
  });

  test("an address list lets in exactly those addresses", async () => {
    const lists = [
      [["127.0.0.1"], 200],
      [["127.0.0.0/8"], 200],
      [["::ffff:127.0.0.1"], 200],
      [["10.0.0.0/8", "127.0.0.1/32"], 200],
      [["127.0.0.2"], 403],
      [["10.0.0.0/8"], 403],
      [["::1", "::/0"], 403],
      [["nonsense", "127.0.0.1/99"], 403],
      [[], 403],
    ] as const;
    for (const [addresses, status] of lists) {
      const user = await scene.rig.addUser();
      await scene.rig.db.sql`
        update api_key set allowed_ips = string_to_array(${addresses.join(" ")}, ' ')
        where gateway_user_id = ${user.gatewayUserId}::bigint`;
      const answer = await call(user.apiKey);
      await answer.arrayBuffer();
      expect([addresses, answer.status]).toEqual([addresses, status]);
    }
  });

  test("a model list is what the key sees and all that it may use", async () => {
    const user = await scene.rig.addUser();
    await scene.rig.db.sql`
      update api_key set allowed_models = array['other', 'no-such-model']
      where gateway_user_id = ${user.gatewayUserId}::bigint`;
    expect(await listModels(user.apiKey)).toEqual(["other"]);
    expect((await call(user.apiKey, { model: "other" })).status).toBe(200);
    expect(await refused(await call(user.apiKey))).toEqual([404, "model_not_found"]);
    expect(await refused(await call(user.apiKey, { model: "no-such-model" }))).toEqual([404, "model_not_found"]);
    expect(await listModels(scene.user.apiKey)).toEqual(["gpt-4o-mini", "other", ...twinModels]);
  });

  describe("a limit", () => {
    const limited = async (limits: { rpm?: number; tpm?: number; concurrency?: number }): Promise<TestUser> => {
      const user = await scene.rig.addUser();
      const { rpm = null, tpm = null, concurrency = null } = limits;
      await scene.rig.db.sql`
        update api_key set requests_per_minute = ${rpm}::int, tokens_per_minute = ${tpm}::int, concurrency_max = ${concurrency}::int
        where gateway_user_id = ${user.gatewayUserId}::bigint`;
      return user;
    };
    const expectLimited = async (answer: Response, seconds: { from: number; to: number }): Promise<void> => {
      expect(await refused(answer)).toEqual([429, "rate_limit_exceeded"]);
      const retryAfter = Number(answer.headers.get("retry-after"));
      expect(retryAfter).toBeGreaterThanOrEqual(seconds.from);
      expect(retryAfter).toBeLessThanOrEqual(seconds.to);
    };

    /** Two streams run, a third call is refused, and the two finish. */
    const expectTwoAtATime = async (user: TestUser): Promise<void> => {
      scene.provider.reset();
      scene.provider.script([{ silence: { afterChunks: 1 } }, { silence: { afterChunks: 1 } }]);
      const running = await Promise.all([call(user.apiKey, { stream: true }), call(user.apiKey, { stream: true })]);
      expect(running.map(({ status }) => status)).toEqual([200, 200]);
      await expectLimited(await call(user.apiKey), { from: 1, to: 1 });
      for (const index of [0, 1]) {
        (await scene.provider.waitForHeld(index)).release();
      }
      await Promise.all(running.map((answer) => answer.text()));
    };

    test("of requests per minute lets exactly that many through, even if they come at once", async () => {
      const user = await limited({ rpm: 3 });
      const answers = await Promise.all(Array.from({ length: 12 }, () => call(user.apiKey)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
      expect(scene.provider.totals.requests).toBe(3);
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        await expectLimited(answer, { from: 1, to: 20 });
      }
      expect(await listModels(user.apiKey)).toContain("gpt-4o-mini");
    });

    test("of tokens a minute stops the call after the one that used them up", async () => {
      const user = await limited({ tpm: 30 });
      const first = await call(user.apiKey);
      const { usage } = (await first.json()) as { usage: { total_tokens: number } };
      expect(usage.total_tokens).toBeGreaterThan(30);
      const owedSeconds = ((usage.total_tokens - 30) * 60) / 30;
      const startedAtMs = performance.now();
      const limitedAnswer = await call(user.apiKey);
      const passedSeconds = (performance.now() - startedAtMs) / 1_000;
      await expectLimited(limitedAnswer, {
        from: Math.floor(owedSeconds - passedSeconds),
        to: Math.ceil(owedSeconds) + 3,
      });
    });

    test("of concurrent calls counts those that run, and no longer once they end or their client left", async () => {
      const user = await limited({ concurrency: 2 });
      scene.provider.script([{ silence: { afterChunks: 1 } }, { silence: { afterChunks: 1 } }]);
      const abort = new AbortController();
      const first = await call(user.apiKey, { stream: true });
      const second = await call(user.apiKey, { stream: true }, abort.signal);
      const held = await scene.provider.waitForHeld(0);
      await scene.provider.waitForHeld(1);
      await expectLimited(await call(user.apiKey), { from: 1, to: 1 });
      held.release();
      expect(await first.text()).toContain("[DONE]");
      expect((await call(user.apiKey)).status).toBe(200);
      abort.abort();
      await second.text().catch(() => "aborted");
      await scene.provider.waitForCancel(1);
      await expectTwoAtATime(user);
    });

    test("of one key does not touch another key of the same user", async () => {
      const user = await limited({ rpm: 1 });
      const apiKey = `sk-${"Twin".repeat(12)}`;
      await scene.rig.db.sql`
        insert into api_key (gateway_user_id, key_hash, key_prefix, key_last_four, name)
        values (${user.gatewayUserId}::bigint, ${sha256(apiKey)}, 'sk-Twin', 'Twin', 'second')`;
      expect((await call(user.apiKey)).status).toBe(200);
      expect((await call(user.apiKey)).status).toBe(429);
      expect((await call(apiKey)).status).toBe(200);
    });
  });

  test("keys that share any prefix or suffix are never mixed up", async () => {
    const apiKeys = twinModels.map((_, index) => `sk-${"A".repeat(12 * index)}${index}${"A".repeat(47 - 12 * index)}`);
    for (const [index, apiKey] of apiKeys.entries()) {
      const user = await scene.rig.addUser();
      await scene.rig.db.sql`
        insert into api_key (gateway_user_id, key_hash, key_prefix, key_last_four, name, allowed_models)
        values (${user.gatewayUserId}::bigint, ${sha256(apiKey)}, 'sk-AAAA', 'AAAA', 'twin', array[${twinModels[index] ?? ""}])`;
    }
    const order = Array.from({ length: 60 }, (_, index) => (index * 7) % apiKeys.length);
    const lists = await Promise.all(order.map((index) => listModels(apiKeys[index] ?? "")));
    expect(lists).toEqual(order.map((index) => [twinModels[index] ?? ""]));
    for (const apiKey of apiKeys) {
      expect((await call(`${apiKey.slice(0, -1)}B`)).status).toBe(401);
      expect((await call(apiKey.toLowerCase())).status).toBe(401);
    }
  });

  test("nobody was charged wrongly for any of it", async () => {
    expect(await scene.rig.checkMoney()).toEqual([]);
  });
});
