import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { loginAdmin, loginUser } from "../../support/accounts/logins.ts";
import { move } from "../../support/moving/peers.ts";
import { type SluiceProcess, SluiceRig } from "../../support/service/sluice.ts";

let rig: SluiceRig;
let service: SluiceProcess;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  await move(rig.db, "one-api");
  service = await rig.start("one-process");
});
afterAll(() => rig.close());

async function logIn(account: string, password: string): Promise<string> {
  const response = await fetch(`${service.url}/backend/auth/login/`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: account, password }),
  });
  expect(response.status).toBe(200);
  await response.arrayBuffer();
  return (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}

const get = (path: string, cookie: string): Promise<Response> =>
  fetch(`${service.url}${path}`, { headers: { cookie } });

describe("an account that was moved", () => {
  test("shows its owner what it used before, in all and by day, and nobody else's", async () => {
    const cookie = await logIn("alice", "Alice-Pw-2026!");
    expect(await (await get("/backend/usage/earlier/", cookie)).json()).toMatchObject({
      earlier: { calls: 69, quota: 49_431 },
    });
    const file = await (await get("/backend/usage/earlier/export/", cookie)).text();
    const [head, ...lines] = file.trimEnd().split("\r\n");
    expect(head).toBe("day,gateway,model,calls,input_tokens,output_tokens,quota");
    expect(lines.every((line) => /^\d{4}-\d\d-\d\d,one-api,/.test(line))).toBe(true);
    expect(lines.reduce((sum, line) => sum + Number(line.split(",").at(-1)), 0)).toBe(49_431);
  });

  test("shows it to an admin", async () => {
    const { cookie } = await loginAdmin(rig);
    const [row] = await rig.db.sql<{ id: bigint }>`select id from user_profile where username = 'alice'`;
    const detail = await get(`/backend/admin/user/detail/?user_id=${row?.id}`, cookie);
    expect(await detail.json()).toMatchObject({ earlier_usage: { calls: 69, quota: 49_431 } });
  });
});

test("an account that was not moved has nothing from before", async () => {
  const { cookie } = await loginUser(rig);
  expect(await (await get("/backend/usage/earlier/", cookie)).json()).toMatchObject({ earlier: null });
});
