import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { grantQuota } from "@sluice/control-plane/gateway/quota/grant-store.ts";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { readBudget, waitForIdleReturn } from "../support/calls/budget-watch.ts";
import { chat, type SeenCall } from "../support/calls/chat-call.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { type SluiceProcess, SluiceRig, type TestUser } from "../support/service/sluice.ts";
import { untilDayLasts } from "../support/values/day-that-lasts.ts";

const price = 1_000n;
const covered = 10;
const replicaCount = 3;
const [forTen, forAlmostEleven] = [BigInt(covered) * price, BigInt(covered) * price + 500n];

let provider: SandboxProvider;
let rig: SluiceRig;
let replicas: SluiceProcess[];

beforeAll(async () => {
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  await rig.addFlatPriceModel("flat", price);
  await rig.addFlatPriceModel("rerank-flat", price);
  replicas = await Promise.all(Array.from({ length: replicaCount }, () => rig.startProcess()));
});

afterAll(async () => {
  await rig.close();
  await provider.stop();
});

const urlOf = (index: number): string => replicas[index % replicaCount]?.url ?? "";

async function limitSpend(user: TestUser, day: bigint | null, month: bigint | null): Promise<void> {
  await rig.db.sql`
    insert into account_limit (scope, gateway_user_id, spend_per_day, spend_per_month)
    values ('user', ${user.gatewayUserId}::bigint, ${day}::bigint, ${month}::bigint)`;
}

async function limitKey(user: TestUser, amount: bigint): Promise<void> {
  const [row] = await rig.db.sql<{ id: TestUser["budgetId"] }>`
    insert into budget (api_key_id) select id from api_key where gateway_user_id = ${user.gatewayUserId}::bigint
    returning id`;
  const budgetId = row?.id ?? (0n as TestUser["budgetId"]);
  await grantQuota(rig.db, { budgetId, amount, changeType: "test", reference: `limit ${budgetId}` });
}

const dialects = [
  { path: "/v1/chat/completions", fields: { model: "flat", messages: [{ role: "user", content: "Hi" }] } },
  { path: "/v1/responses", fields: { model: "flat", input: "Hi" } },
  { path: "/v1/messages", fields: { model: "flat", max_tokens: 5, messages: [{ role: "user", content: "Hi" }] } },
  { path: "/v1beta/models/flat:generateContent", fields: { contents: [{ role: "user", parts: [{ text: "Hi" }] }] } },
  { path: "/v2/rerank", fields: { model: "rerank-flat", query: "Hi", documents: ["a"] } },
] as const;

type Refusal = { path: string; status: number; retried: string | null; text: string };

async function ask(user: TestUser, replica: number, { path, fields }: (typeof dialects)[number]): Promise<Refusal> {
  const answer = await fetch(`${urlOf(replica)}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${user.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(fields),
  });
  return { path, status: answer.status, retried: answer.headers.get("x-should-retry"), text: await answer.text() };
}

const [ofDay, ofMonth] = [
  "Your account can spend 0.020000 USD per day",
  "Your account can spend 0.020000 USD per month",
];
const [ofBalance, ofKey] = ["Your remaining balance does not cover this call.", "The remaining limit of this API key"];

const cases = [
  ["the limit per day", { balance: forAlmostEleven, day: forTen, month: null, key: null }, ofDay, 429],
  ["the limit per month", { balance: forAlmostEleven, day: 2n * forTen, month: forTen, key: null }, ofMonth, 429],
  ["the limit of the key", { balance: forAlmostEleven, day: null, month: null, key: forTen }, ofKey, 402],
  [
    "the balance",
    { balance: forTen, day: forAlmostEleven, month: forAlmostEleven, key: forAlmostEleven },
    ofBalance,
    402,
  ],
] as const;

describe.each(cases)("when all that is left is leased, and %s is the tightest", (_name, has, said, inMessages) => {
  const begin = async (): Promise<TestUser> => {
    await untilDayLasts();
    provider.reset();
    const user = await rig.addUser(has.balance);
    if (has.day !== null || has.month !== null) {
      await limitSpend(user, has.day, has.month);
    }
    if (has.key !== null) {
      await limitKey(user, has.key);
    }
    return user;
  };

  test("a refusal names it in every dialect on every replica, while calls run and once they are charged", async () => {
    const user = await begin();
    provider.script({ silence: { afterBytes: 0 } }, { times: covered });
    const running: Promise<SeenCall>[] = [];
    for (let index = 0; index < covered; index += 1) {
      running.push(chat({ url: urlOf(index), apiKey: user.apiKey }, { model: "flat" }));
      await provider.waitForRequest(index);
    }
    const expectNamed = async () => {
      for (const dialect of dialects) {
        for (let replica = 0; replica < replicaCount; replica += 1) {
          const refusal = await ask(user, replica, dialect);
          const status = dialect.path === "/v1/messages" ? inMessages : 429;
          expect(refusal).toEqual({
            path: dialect.path,
            status,
            retried: "false",
            text: expect.stringContaining(said),
          });
        }
      }
    };
    await expectNamed();
    for (const request of provider.requests) {
      request.release();
    }
    expect((await Promise.all(running)).filter(({ isWhole }) => isWhole)).toHaveLength(covered);
    await rig.waitForUsedQuota(user.budgetId, forTen);
    await expectNamed();
    expect(provider.requests).toHaveLength(covered);
  });

  test("so do all that are refused when far more call at once", async () => {
    const user = await begin();
    provider.script({ delayHeadMs: 50 }, { times: "always" });
    const calls = await Promise.all(
      Array.from({ length: 60 }, (_, index) => ask(user, index, dialects[index % 2 === 0 ? 0 : 1])),
    );
    const refused = calls.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(60 - covered);
    expect(refused.filter(({ text }) => !text.includes(said))).toEqual([]);
    await waitForIdleReturn(rig.db, user.budgetId);
    expect(await readBudget(rig.db, user.budgetId)).toMatchObject({ used: forTen });
    expect(await rig.checkMoney()).toEqual([]);
  });
});

test("while a replica does not say what it has idle, a call that this may cover is asked to come again", async () => {
  provider.reset();
  const user = await rig.addUser(forTen);
  const paused = await rig.startProcess({ LEASE_KEPT_MS: "60000" });
  expect((await chat({ url: paused.url, apiKey: user.apiKey }, { model: "flat" })).isWhole).toBe(true);
  await rig.waitForUsedQuota(user.budgetId, price);
  // Nine calls are left, and the replica has a part of them idle.
  process.kill(paused.pid, "SIGSTOP");
  const others: SeenCall[] = [];
  try {
    for (let call = 0; call < covered; call += 1) {
      others.push(await chat({ url: urlOf(0), apiKey: user.apiKey }, { model: "flat" }));
    }
  } finally {
    process.kill(paused.pid, "SIGCONT");
  }
  const refused = others.filter(({ isWhole }) => !isWhole);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.map(({ status, code, retryAfter }) => [status, code, retryAfter])).toEqual(
    refused.map(() => [503, "temporarily_unavailable", "2"]),
  );
  let whole = others.length - refused.length;
  await waitUntil(async () => {
    const { isWhole, code } = await chat({ url: urlOf(0), apiKey: user.apiKey }, { model: "flat" });
    whole += isWhole ? 1 : 0;
    return code === "insufficient_quota";
  });
  expect(1 + whole).toBe(covered);
  await paused.stop();
});
