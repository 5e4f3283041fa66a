import { expect } from "bun:test";
import type { BudgetId, GatewayUserId } from "@sluice/contracts/ids";
import { createApiKey } from "@sluice/control-plane/gateway/keys/create-key.ts";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { type ConsoleClient, consoleClient } from "../accounts/console-client.ts";
import { loginUser } from "../accounts/logins.ts";
import { type SluiceProcess, SluiceRig } from "../service/sluice.ts";
import { chat, type SeenCall } from "./chat-call.ts";
import { waitUntil } from "./relay-scene.ts";

/** What one call costs. */
export const price = 1_000;
export const chatBody = { model: "flat", messages: [{ role: "user", content: "Hello" }] };

export type Key = Record<string, unknown> & { key_id: number; updated_at: string; status: string };
export type Made = { readonly secret: string; readonly key: Key };

/** A logged-in user with a key that was not created in the console. */
export type KeyUser = { readonly gatewayUserId: GatewayUserId; readonly budgetId: BudgetId; readonly apiKey: string };

/** The console's page of keys, and two replicas that admit calls. */
export type KeyScene = {
  readonly provider: SandboxProvider;
  readonly rig: SluiceRig;
  readonly replicas: readonly SluiceProcess[];
  /** A new user with quota for many calls, and the console as that user sees it. */
  enter(): Promise<{ user: KeyUser; as: ConsoleClient }>;
  /** The console without a login. */
  readonly nobody: ConsoleClient;
  call(apiKey: string, replica?: number): Promise<SeenCall>;
  /**
   * The time from now on until both replicas respond to calls of this key with the status, and how many calls succeeded
   * before.
   */
  untilBoth(apiKey: string, status: number): Promise<{ ms: number; through: number }>;
  /** Sends calls to both replicas in turn, and returns how many succeeded. */
  countThrough(apiKeys: readonly string[], count: number): Promise<number>;
  expectMoneyRight(): Promise<void>;
  close(): Promise<void>;
};

export async function startKeyScene(): Promise<KeyScene> {
  const provider = startSandboxProvider();
  const rig = await SluiceRig.create(provider.url);
  await rig.addFlatPriceModel("flat", BigInt(price));
  const replicas = await Promise.all([rig.startProcess(), rig.startProcess()]);
  const url = replicas[0]?.url ?? "";
  const call = (apiKey: string, replica = 0) => chat({ url: replicas[replica]?.url ?? "", apiKey }, chatBody);
  return {
    provider,
    rig,
    replicas,
    call,
    enter: async () => {
      const { cookie, gatewayUserId } = await loginUser(rig, { quota: 1_000_000_000n });
      const apiKey = await createApiKey(rig.db, gatewayUserId, "first key");
      const [row] = await rig.db.sql<{ id: BudgetId }>`
        select id from budget where gateway_user_id = ${gatewayUserId}::bigint`;
      const user = { gatewayUserId, apiKey, budgetId: row?.id ?? (0n as BudgetId) };
      return { user, as: consoleClient(url, cookie) };
    },
    nobody: consoleClient(url, null),
    untilBoth: async (apiKey, status) => {
      const startedAt = performance.now();
      let through = 0;
      await waitUntil(async () => {
        const calls = await Promise.all([call(apiKey, 0), call(apiKey, 1)]);
        through += calls.filter((seen) => seen.status === 200).length;
        return calls.every((seen) => seen.status === status);
      });
      return { ms: performance.now() - startedAt, through };
    },
    countThrough: async (apiKeys, count) => {
      const calls = await Promise.all(
        Array.from({ length: count }, (_, index) => call(apiKeys[index % apiKeys.length] ?? "", index % 2)),
      );
      expect(calls.filter(({ status, code }) => status !== 200 && code !== "insufficient_quota")).toEqual([]);
      return calls.filter(({ status }) => status === 200).length;
    },
    expectMoneyRight: async () => expect(await rig.checkMoney()).toEqual([]),
    close: async () => {
      await rig.close();
      await provider.stop();
    },
  };
}

export async function makeKey(as: ConsoleClient, settings: object = {}): Promise<Made> {
  const answer = await as.post("/backend/keys/create/", { name: "mine", ...settings });
  expect(answer.body).toMatchObject({ ok: true });
  return answer.body as unknown as Made;
}

export async function listKeys(as: ConsoleClient, query: Record<string, string> = {}): Promise<Key[]> {
  return (await as.get("/backend/keys/list/", query)).body["keys"] as Key[];
}

export async function findKey(as: ConsoleClient, keyId: number): Promise<Key> {
  const found = (await listKeys(as, { limit: "100" })).find(({ key_id }) => key_id === keyId);
  if (found === undefined) {
    throw new Error(`key ${keyId} is not on the list`);
  }
  return found;
}

/** Saves changes to a key in its current version. */
export async function saveKey(as: ConsoleClient, key: Key, changes: object): Promise<Key> {
  const { key_id, updated_at } = await findKey(as, key.key_id);
  const answer = await as.post("/backend/keys/save/", { key_id, updated_at, ...changes });
  expect(answer.body).toMatchObject({ ok: true });
  return answer.body["key"] as Key;
}
