/** Several credentials of one channel: what a provider says about one of them does not close the channel. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { type ConsoleClient, consoleClient } from "../support/accounts/console-client.ts";
import { loginAdmin } from "../support/accounts/logins.ts";
import { FaultRig } from "../support/calls/fault-rig.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { patienceMs } from "../support/values/patience.ts";

type Credential = { credential_id: number; label: string; refused_at: string | null; refused_reason: string | null };

describe("a channel with several credentials", () => {
  let faulty: FaultRig;
  let admin: ConsoleClient;
  const ids = new Map<string, number>();

  beforeAll(async () => {
    faulty = await FaultRig.create();
    for (const name of ["limited", "broke", "failing", "divided"]) {
      await faulty.addModel(name, [{ name, credential: `${name}-main` }]);
    }
    await faulty.start("one-process");
    admin = consoleClient(faulty.relay.url, (await loginAdmin(faulty.rig)).cookie);
    for (const name of ["limited", "broke", "failing", "divided"]) {
      const [row] = await faulty.rig.db.sql<{ id: bigint }>`select id from channel where name = ${name}`;
      ids.set(name, Number(row?.id ?? 0n));
      await save(name, { label: "second", credential: `${name}-second`, weight: 0 });
    }
  });

  afterEach(() => faulty.provider.reset());

  afterAll(async () => {
    await faulty.waitUntilReleased();
    expect(await faulty.rig.checkMoney()).toEqual([]);
    await faulty.close();
  });

  const post = async (path: string, body: object) => {
    const answer = await admin.post(`/backend/admin/channel/credential/${path}/`, body);
    expect(answer.body).toMatchObject({ ok: true });
    return answer.body;
  };
  const save = (channel: string, fields: object) => post("save", { channel_id: ids.get(channel), ...fields });
  const listed = async (channel: string): Promise<Credential[]> => {
    const { body } = await admin.get("/backend/admin/channel/list/", { channel_id: String(ids.get(channel)) });
    return (body["rows"] as { credentials: Credential[] }[])[0]?.credentials ?? [];
  };
  const isWith = (credential: string) => ({ match: { credential }, times: "always" }) as const;
  const tried = async (model: string) => {
    const answer = await faulty.call(model);
    const { attempts, quota } = await faulty.row(answer.requestId);
    const used = attempts.map((attempt) => [(attempt as { credential?: string }).credential, attempt.result]);
    return { status: answer.status, used, quota };
  };

  test("continues with another one after a limit, and keeps the first for later", async () => {
    faulty.provider.script({ status: 429, retryAfter: 30 }, isWith("limited-main"));
    const first = await tried("limited");
    expect(first).toMatchObject({
      status: 200,
      used: [
        ["main", "status_429"],
        ["second", "answered"],
      ],
    });
    expect(await tried("limited")).toMatchObject({ status: 200, used: [["second", "answered"]] });
    expect((await listed("limited")).map(({ refused_at: at }) => at)).toEqual([null, null]);
  });

  test("rests one whose account is empty, and shows admins since when", async () => {
    const body = { error: { message: "You exceeded your quota", code: "insufficient_quota" } };
    faulty.provider.script({ status: 429, body }, isWith("broke-main"));
    expect(await tried("broke")).toMatchObject({
      status: 200,
      used: [
        ["main", "account_empty"],
        ["second", "answered"],
      ],
    });
    expect(await tried("broke")).toMatchObject({ used: [["second", "answered"]] });
    const until = performance.now() + patienceMs;
    let [main] = await listed("broke");
    while (main?.refused_at === null && performance.now() < until) {
      await Bun.sleep(20);
      [main] = await listed("broke");
    }
    expect(main).toMatchObject({ label: "main", refused_reason: "account_empty" });
    // A new secret is tried at once.
    faulty.provider.reset();
    await save("broke", { credential_id: main?.credential_id, credential: "broke-new" });
    expect((await listed("broke"))[0]).toMatchObject({ refused_at: null, refused_reason: null });
    const { record } = await faulty.callUntilRequest("broke", "broke-new");
    expect(record.credential).toBe("broke-new");
  });

  test("is not tried with another one after a failure that is not about the credential", async () => {
    faulty.provider.script({ status: 500 }, { times: 2 });
    const { status, used } = await tried("failing");
    expect(status).toBe(502);
    expect(used.map(([, result]) => result)).toEqual(["status_500", "status_500"]);
  });

  test("calls are divided by weight, and a disabled or removed credential gets none", async () => {
    const [main, second] = await listed("divided");
    await save("divided", { credential_id: main?.credential_id, status: "disabled" });
    await faulty.callUntilRequest("divided", "divided-second");
    expect(await tried("divided")).toMatchObject({ used: [["second", "answered"]] });
    await save("divided", { credential_id: main?.credential_id, status: "enabled", weight: 5 });
    await post("remove", { channel_id: ids.get("divided"), credential_id: second?.credential_id });
    // The last change: a replica that knows it knows the others too.
    await save("divided", { credential_id: main?.credential_id, label: "first", weight: 5 });
    await waitUntil(async () => (await tried("divided")).used.some(([label]) => label === "first"));
    expect(await tried("divided")).toMatchObject({ used: [["first", "answered"]] });
    expect((await listed("divided")).map(({ label }) => label)).toEqual(["first"]);
  });

  test("does not send a further credential to another host", async () => {
    const [row] = await faulty.rig.db.sql<{ upstream: { dialects: object }; updated_at: Date }>`
      select upstream, updated_at from channel where name = 'limited'`;
    const elsewhere = { chat: { base_url: "http://127.0.0.2:1/v1", auth: "bearer" } };
    const { status } = await admin.post("/backend/admin/channel/save/", {
      channel_id: ids.get("limited"),
      upstream: { ...row?.upstream, dialects: elsewhere },
      credential: "again",
      updated_at: row?.updated_at.toISOString(),
    });
    expect(status).toBe(409);
  });
});
