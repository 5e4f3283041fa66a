import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dayMs, utcDay } from "@sluice/control-plane/platform/clock.ts";
import { type ConsoleClient, codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { loginAdmin } from "../support/accounts/logins.ts";
import { type KeyScene, type KeyUser, price, startKeyScene } from "../support/calls/key-scene.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";

const deprecated = "2026-01-01T00:00:00Z";
/** A whole second a year from now, because a header has no parts of one. */
const endDate = new Date(Math.floor(Date.now() / 1_000) * 1_000 + 365 * dayMs);
const end = endDate.toISOString();

let scene: KeyScene;
let admin: ConsoleClient;
let user: KeyUser;

beforeAll(async () => {
  scene = await startKeyScene();
  await scene.rig.addFlatPriceModel("ending", BigInt(price));
  admin = consoleClient(scene.replicas[0]?.url ?? "", (await loginAdmin(scene.rig, { isSuper: true })).cookie);
  ({ user } = await scene.enter());
});

afterAll(async () => {
  await scene?.expectMoneyRight();
  await scene?.close();
});

async function save(fields: object) {
  const { body } = await admin.get("/backend/admin/model/list/", { name: "ending" });
  const [{ updated_at: updatedAt } = { updated_at: "" }] = body["rows"] as { updated_at: string }[];
  return await admin.post("/backend/admin/model/save/", { name: "ending", updated_at: updatedAt, ...fields });
}

const ask = (path: string, model = "ending", replica = 1) =>
  fetch(`${scene.replicas[replica]?.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${user.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model, max_tokens: 5, messages: [{ role: "user", content: "Hi" }] }),
  });
const lifeIn = ({ headers }: Response) => [headers.get("deprecation"), headers.get("sunset")];

async function listed() {
  const answer = await fetch(`${scene.replicas[1]?.url}/v1/models`, {
    headers: { authorization: `Bearer ${user.apiKey}` },
  });
  const { data } = (await answer.json()) as { data: { id: string }[] };
  return data.find(({ id }) => id === "ending") ?? null;
}

describe("a model that is deprecated and ends", () => {
  test("says so in each response and in the list of models, and another one does not", async () => {
    expect((await save({ deprecated_at: deprecated, sunset_at: end, replacement_model: "flat" })).status).toBe(200);
    await waitUntil(async () => lifeIn(await ask("/v1/chat/completions"))[0] !== null);
    for (const path of ["/v1/chat/completions", "/v1/messages"]) {
      const answer = await ask(path);
      expect([answer.status, lifeIn(answer)]).toEqual([200, ["@1767225600", endDate.toUTCString()]]);
      expect(lifeIn(await ask(path, "flat"))).toEqual([null, null]);
    }
    expect(await listed()).toMatchObject({
      ...{ deprecation_date: "2026-01-01", shutdown_date: utcDay(endDate.getTime()), replacement: "flat" },
    });
  });

  test("is refused and no longer listed once it has ended, with the name of its replacement", async () => {
    expect((await save({ sunset_at: "2026-02-01T00:00:00Z" })).status).toBe(200);
    await waitUntil(async () => (await ask("/v1/chat/completions")).status === 404);
    const said = "The model 'ending' ended on 2026-02-01. Use 'flat' instead.";
    expect(await (await ask("/v1/chat/completions")).json()).toMatchObject({
      error: { code: "model_ended", param: "model", message: said },
    });
    const refused = await ask("/v1/messages");
    expect([refused.status, await refused.json()]).toMatchObject([
      404,
      { error: { type: "not_found_error", message: said } },
    ]);
    expect(await listed()).toBeNull();
    expect((await save({ sunset_at: null, deprecated_at: null, replacement_model: null })).status).toBe(200);
    await waitUntil(async () => (await ask("/v1/chat/completions")).status === 200);
  });

  test("can't end before it is deprecated, nor be replaced by itself or by what does not exist", async () => {
    expect(codeOf(await save({ deprecated_at: end, sunset_at: deprecated }))).toEqual([400, "invalid_value"]);
    expect(codeOf(await save({ replacement_model: "ending" }))).toEqual([400, "invalid_value"]);
    expect(codeOf(await save({ replacement_model: "no-such-model" }))).toEqual([400, "invalid_value"]);
  });
});
