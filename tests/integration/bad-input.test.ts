import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { badBodies } from "../support/bad-input/bad-bodies.ts";
import { badFields } from "../support/bad-input/bad-fields.ts";
import { badKeys } from "../support/bad-input/bad-keys.ts";
import { bodyBytesMax, jsonWith, type Oddity } from "../support/bad-input/oddity.ts";
import { expectCleanLogs, expectNothingCharged, expectRefusal } from "../support/calls/refusals.ts";
import { type RelayScene, startRelayScene } from "../support/calls/relay-scene.ts";
import { arrangements, type SluiceRig, type TestUser } from "../support/service/sluice.ts";
import { type Exchange, exchange } from "../support/wire/raw-exchange.ts";

/** Users whose keys are invalid in a way that only the database knows. */
const users: Readonly<Record<string, (rig: SluiceRig, user: TestUser) => Promise<unknown>>> = {
  revoked: (rig, user) =>
    rig.db.sql`update api_key set status = 'revoked' where gateway_user_id = ${user.gatewayUserId}::bigint`,
  "switched off": (rig, user) =>
    rig.db.sql`update api_key set status = 'disabled' where gateway_user_id = ${user.gatewayUserId}::bigint`,
  expired: (rig, user) =>
    rig.db
      .sql`update api_key set expires_at = now() - interval '1 second' where gateway_user_id = ${user.gatewayUserId}::bigint`,
  disabled: (rig, user) =>
    rig.db.sql`update gateway_user set status = 'disabled' where id = ${user.gatewayUserId}::bigint`,
  elsewhere: (rig, user) =>
    rig.db
      .sql`update api_key set allowed_ips = array['10.0.0.0/8', '::1'] where gateway_user_id = ${user.gatewayUserId}::bigint`,
  "bound to another model": (rig, user) =>
    rig.db
      .sql`update api_key set allowed_models = array['other'] where gateway_user_id = ${user.gatewayUserId}::bigint`,
};

describe.each(arrangements)("bad input, %s", (arrangement) => {
  let scene: RelayScene;
  const made: Record<string, TestUser> = {};

  beforeAll(async () => {
    scene = await startRelayScene(arrangement, {
      env: { BODY_BYTES_MAX: String(bodyBytesMax), LOG_LEVEL: "debug" },
      prepare: async (rig) => {
        await rig.addFlatPriceModel("other", 1n);
        await rig.addFlatPriceModel("unserved", 1n);
        await rig.db.sql`delete from ability where model = 'unserved'`;
        made["poor"] = await rig.addUser(0n);
        for (const [name, change] of Object.entries(users)) {
          made[name] = await rig.addUser();
          await change(rig, made[name]);
        }
      },
    });
  });

  afterAll(() => scene.close());

  const send = ({
    path = "/v1/chat/completions",
    method = "POST",
    headers = {},
    body,
    user,
  }: Oddity): Promise<Exchange> => {
    const { apiKey } = (user === undefined ? scene.user : made[user]) ?? scene.user;
    const all = { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...headers };
    const sent = Object.entries(all).flatMap(([name, value]): [string, string][] =>
      value === null ? [] : [[name, value]],
    );
    const text = typeof body === "function" ? body() : body;
    return exchange(`${scene.sluice.url}${path.replace("{key}", apiKey)}`, {
      method,
      headers: sent,
      ...(method === "GET" || method === "HEAD" ? {} : { body: text ?? jsonWith({}) }),
    });
  };

  test.each([...badKeys, ...badBodies, ...badFields])("%s is refused", async (_, oddity, wanted) => {
    await expectRefusal(scene, () => send(oddity), wanted);
  });

  test("an invalid key is refused with the same message, whatever makes it invalid", async () => {
    const invalid = badKeys.filter(([, , { code }]) => code === "invalid_api_key");
    const answers = await Promise.all(invalid.map(([, oddity]) => send(oddity)));
    expect(invalid.length).toBeGreaterThan(10);
    expect(new Set(answers.map(({ status, body }) => `${status} ${body}`)).size).toBe(1);
  });

  test("a model is refused with the same message whether it is unknown or not allowed for this key", async () => {
    const missing = badFields.filter(([, , { code }]) => code === "model_not_found");
    const answers = await Promise.all(missing.map(([, oddity]) => send(oddity)));
    expect(missing.length).toBeGreaterThan(5);
    expect(new Set(answers.map(({ status, body }) => `${status} ${body}`)).size).toBe(1);
  });

  test("a method that is not allowed gets the list of allowed ones", async () => {
    expect((await send({ method: "PUT" })).headers.get("allow")).toBe("POST");
    expect((await send({ method: "PUT", path: "/v1/models" })).headers.get("allow")).toBe("GET, HEAD");
  });

  test("HEAD shows a refusal by its status alone", async () => {
    const answer = await send({ method: "HEAD" });
    expect([answer.status, answer.body, answer.headers.get("allow")]).toEqual([405, "", "POST"]);
  });

  test("bodies that are made to be expensive cost less than 50 ms of the processor beyond their length", async () => {
    // The lowest of them: other load on the machine makes every instruction more expensive.
    const costMs = async (oddity: Oddity): Promise<number> => {
      let best = Number.POSITIVE_INFINITY;
      for (let call = 0; call < 4; call += 1) {
        const before = processorMs(scene.gateway.pid);
        await send(oddity);
        best = Math.min(best, processorMs(scene.gateway.pid) - before);
      }
      return best;
    };
    // Reading ten million bytes from the network costs something too, whatever they contain.
    const plain = jsonWith({ messages: [], user: "x".repeat(10_000_000) });
    const plainMs = await costMs({ body: plain });
    for (const [name, oddity] of [...badBodies, ...badFields].filter(([title]) => /^13|million|no end/.test(title))) {
      const body = typeof oddity.body === "function" ? oddity.body() : (oddity.body ?? "");
      const lengthMs = (plainMs * body.length) / plain.length;
      expect([name, (await costMs({ ...oddity, body })) - lengthMs < 50]).toEqual([name, true]);
    }
  });

  test("none of this was charged, logged with a secret, or broke anything", async () => {
    await expectNothingCharged(scene, scene.user);
    await expectCleanLogs(scene);
  });
});

/** Processor time that a process has used, in milliseconds; the kernel counts in steps of 10. */
function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const [, , , , , , , , , , , user, system] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(user) + Number(system)) * 10;
}
