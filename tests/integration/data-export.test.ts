import { afterAll, beforeAll, expect, test } from "bun:test";
import { exportParts, exportRowsMax } from "@sluice/control-plane/accounts/data-export/export-data.ts";
import { codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { giveToken, loginUser, type UserLogin } from "../support/accounts/logins.ts";
import { addOwnedThings, addPlans } from "../support/accounts/owned-things.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

let rig: SluiceRig;
let sluice: SluiceProcess;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  await addPlans(rig);
  sluice = await rig.startProcess({ PAYMENT_MOCK: "true" });
});

afterAll(() => rig?.close());

async function fileOf({ cookie }: UserLogin): Promise<{ response: Response; text: string }> {
  const response = await fetch(`${sluice.url}/backend/auth/data-export/`, {
    method: "POST",
    headers: { cookie, "content-type": "application/json", origin: sluice.url },
    body: "{}",
  });
  return { response, text: await response.text() };
}

test("the file has everything of its owner, nothing of others, and no secret", async () => {
  const [things, others] = [await addOwnedThings(rig, sluice, "monthly"), await addOwnedThings(rig, sluice, "small")];
  const { response, text } = await fileOf(things.login);
  expect(response.headers.get("content-disposition")).toMatch(/^attachment; filename="my-data-[\d-]+\.json"$/);
  const data = JSON.parse(text) as Record<string, unknown[]> & { profile: { email: string } };
  expect(data.profile.email).toBe(things.login.email);
  for (const name of [
    "sign_ins",
    "passkeys",
    "sessions",
    "access_tokens",
    "api_keys",
    "organisations",
    "orders",
    "messages",
  ]) {
    expect([name, data[name]?.length]).not.toEqual([name, 0]);
  }
  expect(data["incomplete"]).toEqual([]);
  expect(text).not.toContain(others.login.email);
  expect(text).not.toMatch(/hash|sealed|public_key|claim_code/);
  const [cookieText = ""] = things.login.cookie.split("=").slice(1);
  expect(text).not.toContain(cookieText);
  const [entry] = await rig.db.sql`
    select 1 from audit_log where action = 'user.data_export' and subject_id = ${things.login.userId.toString()}`;
  expect(entry).toBeDefined();
});

test("it takes the owner's proof, is refused to access tokens, and only three are free in a day", async () => {
  const user = await loginUser(rig);
  const token = await giveToken(rig, user, ["everything"]);
  const asProgram = await fetch(`${sluice.url}/backend/auth/data-export/`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: "{}",
  });
  expect(asProgram.status).toBe(403);
  const statuses: number[] = [];
  for (let index = 0; index < 4; index += 1) {
    statuses.push((await fileOf(user)).response.status);
  }
  expect(statuses).toEqual([200, 200, 200, 429]);
  const other = await loginUser(rig);
  await rig.db.sql`update user_profile set password_hash = '!' where id = ${other.userId}::bigint`;
  const refused = await consoleClient(sluice.url, other.cookie).post("/backend/auth/data-export/", {});
  expect(codeOf(refused)).toEqual([401, "invalid_credentials"]);
  await rig.db.sql`update session set created_at = now() - interval '1 hour' where user_id = ${user.userId}::bigint`;
  expect((await fileOf(user)).response.status).toBe(403);
});

test("more rows than a file can have are named, and it stays JSON", async () => {
  const user = await loginUser(rig);
  await rig.db.sql`
    insert into passkey (user_id, name, credential_id, public_key, counter, transports, is_synced, is_backed_up, aaguid)
    select ${user.userId}::bigint, 'key', 'bulk ' || i, '\\x00', 0, '{}', true, true, ''
    from generate_series(1, ${exportRowsMax + 1}::int) i`;
  let text = "";
  for await (const part of exportParts(rig.db, user, new Date())) {
    text += part;
  }
  const data = JSON.parse(text) as { passkeys: unknown[]; incomplete: string[] };
  expect([data.passkeys.length, data.incomplete]).toEqual([exportRowsMax, ["passkeys"]]);
});
