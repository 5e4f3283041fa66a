import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { loginUser } from "../../support/accounts/logins.ts";
import { endMove, move } from "../../support/moving/peers.ts";
import { type SluiceProcess, SluiceRig } from "../../support/service/sluice.ts";

let rig: SluiceRig;
let service: SluiceProcess;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  await move(rig.db, "one-api");
  await endMove(rig.db, "one-api");
  service = await rig.start("one-process");
});
afterAll(() => rig.close());

async function logIn(account: string, password: string): Promise<number> {
  const response = await fetch(`${service.url}/backend/auth/login/`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: account, password }),
  });
  await response.arrayBuffer();
  return response.status;
}

async function listModels(key: string): Promise<{ readonly status: number; readonly models: readonly string[] }> {
  const response = await fetch(`${service.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  const body = (await response.json()) as { data?: { id: string }[] };
  return { status: response.status, models: (body.data ?? []).map(({ id }) => id) };
}

async function balanceOf(username: string): Promise<bigint | undefined> {
  const [row] = await rig.db.sql<{ left: bigint }>`
    select b.granted - b.used as left from user_profile p join budget b on b.gateway_user_id = p.gateway_user_id
    where lower(p.username) = ${username}`;
  return row?.left;
}

describe("users of one-api", () => {
  test("have the balances that they had, debts included", async () => {
    const names = ["alice", "bob", "carol", "dave", "erin", "frank", "grace", "ivan", "olivia"];
    expect(await Promise.all(names.map(balanceOf))).toEqual([
      ...[4_950_569n, 6_170_000n, 254_524_200n, 1_234_459n, 0n, -250_000n, -185n, 89_862_464n, 2_462_130n],
    ]);
    expect(await rig.checkMoney()).toEqual([]);
  });

  test("do not bring the balances of their administrators", async () => {
    expect(await Promise.all(["root", "niaj"].map(balanceOf))).toEqual([0n, 0n]);
  });

  test("log in by address or by name with their passwords, which are then stored as ours", async () => {
    expect(await logIn("bob@example.com", "Bob-Pw-2026!")).toBe(200);
    expect(await logIn("IVAN", "Ivan-Pw-2026!")).toBe(200);
    expect(await logIn("ivan", "Ivan-Pw-2026!")).toBe(200);
    expect(await logIn("ivan", "Bob-Pw-2026!")).toBe(401);
    const rows = await rig.db.sql<{ username: string; kind: string }>`
      select username, split_part(password_hash, '$', 2) as kind from user_profile
      where username in ('bob', 'ivan', 'carol') order by 1`;
    expect(rows.map(({ username, kind }) => `${username} ${kind}`)).toEqual([
      "bob argon2id",
      "carol 2a",
      "ivan argon2id",
    ]);
    // A login is not a change of the account: the next run would keep it as it is.
    const changed = await rig.db.sql`select p.username from user_profile p
      join import_item i on i.kind = 'user' and i.target = p.id::text where p.updated_at > i.written_at`;
    expect([...changed]).toEqual([]);
  });

  test("who were disabled or deleted there stay so", async () => {
    expect(await logIn("dave", "Dave-Pw-2026!")).toBe(403);
    expect(await logIn("judy@example.com", "Judy-Pw-2026!")).toBe(401);
    const [judy] = await rig.db.sql<{ status: string; email: string }>`
      select status, email from user_profile where display_name = 'Judy 已删除'`;
    expect(judy).toEqual({ status: "closed", email: "one-api-11@imported.invalid" });
  });
});

describe("keys of one-api", () => {
  test("keep working, with the models that they may use", async () => {
    expect(await listModels("sk-fwRIUl5xYi9FFRRx15A6E0636bAd41B7A2CfEeFdFcA781E4")).toMatchObject({ status: 200 });
    const limited = await listModels("sk-AxRHcYJAzjGqS0dNF418187f158c4a9f974b00230783Ec04");
    expect(limited).toEqual({ status: 200, models: ["gpt-4o", "gpt-4o-mini"] });
  });

  test("that were refused there are refused", async () => {
    const refused = {
      "of a disabled user": "sk-rmn8rP6Dvc3KqBkl7cB11509B0A947A6BfD688870f1f0a02",
      "of a deleted user": "sk-Oinj6Xy70AfqPtuDAfC22595290f4848A551Ba3a7196A963",
      expired: "sk-KkivKRHDDCGu5mnHEfEdEb69F2Da415fB2D906B6E5B66c68",
      "expired, and not yet noticed there": "sk-4UIwDQJoOR7viP1M4481B7CcE4B64937863339Bb29933e3e",
      disabled: "sk-gTamfMgn7Ggc3qKs27974bA1B6Df4d36B633952f76B95170",
      "of another address": "sk-ZUfvxTNHWDs01kv5718a0aAa4d5c4817A97f2aB93cC296B7",
    };
    for (const [why, key] of Object.entries(refused)) {
      expect([why, [401, 403].includes((await listModels(key)).status)]).toEqual([why, true]);
    }
  });

  test("keep what may still be spent by them; one that was spent has nothing left", async () => {
    const rows = await rig.db.sql<{ name: string; granted: bigint; allowed_ips: string[] | null }>`
      select k.name, b.granted, k.allowed_ips from api_key k join budget b on b.api_key_id = k.id
      where k.name in ('carol-one-ip', 'carol-exhausted', 'limited-5usd') order by k.name`;
    expect(rows.map(({ name, granted, allowed_ips: ips }) => [name, granted, ips])).toEqual([
      ["carol-exhausted", 0n, null],
      ["carol-one-ip", 2_000_000n, ["203.0.113.9/32"]],
      ["limited-5usd", 2_499_244n, null],
    ]);
  });
});

describe("codes of one-api", () => {
  const redeem = async (cookie: string, code: string): Promise<number> => {
    const response = await fetch(`${service.url}/backend/billing/code/redeem/`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie, origin: service.url },
      body: JSON.stringify({ code }),
    });
    await response.arrayBuffer();
    return response.status;
  };

  test("that nobody has used there grant their value here once; the others nothing", async () => {
    const user = await loginUser(rig);
    const before = await balanceOfUser(user.gatewayUserId);
    expect(await redeem(user.cookie, "A5E890AA-C1244597-87705097-B2548A75")).toBe(200);
    expect(await redeem((await loginUser(rig)).cookie, "a5e890aac124459787705097b2548a75")).toBe(409);
    expect(await redeem(user.cookie, "6227f47d856e4dd79d5c837686034629")).toBe(404);
    expect(await redeem(user.cookie, "7a3041c416364584ac38f1c6db972824")).toBe(404);
    expect((await balanceOfUser(user.gatewayUserId)) - before).toBe(2_500_000n);
    expect(await rig.checkMoney()).toEqual([]);
  });
});

async function balanceOfUser(id: bigint): Promise<bigint> {
  const [row] = await rig.db.sql<{ left: bigint }>`
    select granted - used as left from budget where gateway_user_id = ${id}::bigint`;
  return row?.left ?? 0n;
}
