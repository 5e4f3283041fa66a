/**
 * Creates what a first call needs: the model `gpt-4o-mini` with its prices, the names by which clients of the Messages
 * route ask for it, and a channel that serves it to group `default`. The command is safe to repeat: existing rows stay,
 * and the channel follows the environment: the provider with PROVIDER_API_KEY, else  the sandbox at SANDBOX_URL;
 * without either, no channel is created. Outside of production, the command also creates a user with quota, and an API
 * key if the user has none. In development the user gets a password, and a first super-admin is created when there is
 * no admin yet. In production nobody reads what a start prints: admins are created with `bun run admin:create`.
 * Progress goes to stderr; stdout gets one JSON line: `{"ok":true,
 * "userEmail":"..."|null,"apiKey":"sk-..."|null,"userPassword":"..."|null,"admin":{"username":"...","password":"..."}|null,
 * "hasAdmin":true,"isServed":true}`.
 */
import { quotaPerUsd } from "@sluice/contracts/money";
import type { UpstreamSettings } from "@sluice/contracts/upstreams";
import { createFirstAdmin, isAnyAdmin } from "../accounts/admins/command-admins.ts";
import { createFirstPassword, findOrCreateUser } from "../accounts/users/known-users.ts";
import { addAbility, disableAbilitiesWith, isAnyModelServed, putChannel } from "../gateway/channels/channels.ts";
import { addGatewayUser } from "../gateway/gateway-users.ts";
import { createFirstApiKey } from "../gateway/keys/create-key.ts";
import { seedModelMap } from "../messages-compat/service.ts";
import { addModel } from "../models/add-model.ts";
import { addFirstPlans } from "../payments/plans/plans.ts";
import { type Config, loadConfig, masterKeySource } from "../platform/config.ts";
import { loadMasterKey, type MasterKey } from "../platform/crypto/master-key.ts";
import type { Transaction } from "../platform/db.ts";
import { openDatabase } from "../platform/db-open.ts";
import { redact } from "../platform/log.ts";

const groupName = "default";
const modelName = "gpt-4o-mini";
const userEmail = "first-user@localhost";
const firstQuota = 5n * quotaPerUsd;
const channelName = "first";
const sandboxCredential = "sandbox";

function say(line: string): void {
  process.stderr.write(`seed: ${line}\n`);
}

async function seedCatalog(tx: Transaction, config: Config, masterKey: MasterKey): Promise<void> {
  const model = { name: modelName, displayName: "GPT-4o mini", ownedBy: "openai" };
  const bounds = { contextTokensMax: 128_000, outputTokensMax: 16_384, imageTokensMax: 50_000 };
  await addModel(
    tx,
    { ...model, ...bounds },
    { input_usd_per_m: "0.15", output_usd_per_m: "0.60", cache_read_usd_per_m: "0.075" },
  );
  say(`model ${modelName} has a price`);
  say(`${await seedModelMap(tx, modelName)} names of the Messages route map to ${modelName}`);
  const { PROVIDER_API_KEY: providerKey, PROVIDER_BASE_URL: providerUrl, SANDBOX_URL: sandboxUrl } = config;
  if (providerKey === undefined && sandboxUrl === undefined) {
    // An earlier start with a sandbox left this ability, and its calls would now go to any program that listens there.
    if (await disableAbilitiesWith(tx, masterKey, { name: channelName, credential: sandboxCredential })) {
      say(`channel ${channelName} led to a sandbox provider that is no longer started; it now serves nothing`);
    }
    return;
  }
  const isSandbox = providerKey === undefined;
  const sandboxRoot = sandboxUrl?.replace(/\/+$/, "") ?? "";
  const baseUrl = isSandbox ? `${sandboxRoot}/v1` : providerUrl;
  const credential = providerKey ?? sandboxCredential;
  const ownDialects = isSandbox ? sandboxDialects(sandboxRoot) : {};
  const channelId = await putChannel(tx, masterKey, { name: channelName, baseUrl, credential, ownDialects });
  await addAbility(tx, groupName, modelName, channelId);
  const from = isSandbox ? "the sandbox provider" : baseUrl;
  say(`channel ${channelName} serves ${modelName} to group ${groupName} from ${from}`);
}

/** The sandbox speaks these as their providers do, so that Claude Code and clients of the Gemini API can be tried natively. */
function sandboxDialects(address: string): UpstreamSettings["dialects"] {
  return {
    messages: { base_url: address, auth: "x_api_key" },
    gemini: { base_url: address, auth: "x_goog_api_key" },
    cohere: { base_url: address, auth: "bearer" },
  };
}

type FirstUser = {
  readonly userEmail: string;
  readonly apiKey: string | null;
  /** The user's password; set only by the start that created it. */
  readonly userPassword: string | null;
  /** The super-admin; set only by the start that created it. */
  readonly admin: { readonly username: string; readonly password: string } | null;
};

type Seeded = (FirstUser | { readonly userEmail: null }) & {
  readonly hasAdmin: boolean;
  /** Whether an enabled channel serves any model to anyone. */
  readonly isServed: boolean;
};

async function seedFirstUser(tx: Transaction, isDevelopment: boolean): Promise<FirstUser> {
  const user = await findOrCreateUser(tx, { email: userEmail, displayName: "First user" }, async () => {
    const { gatewayUserId } = await addGatewayUser(tx, groupName, {
      amount: firstQuota,
      changeType: "first_grant",
    });
    say(`user ${userEmail} has 5 USD of quota`);
    return gatewayUserId;
  });
  const apiKey = await createFirstApiKey(tx, user.gatewayUserId, "first key");
  return {
    userEmail,
    apiKey,
    userPassword: isDevelopment ? await createFirstPassword(tx, user.userId) : null,
    admin: isDevelopment ? await createFirstAdmin(tx) : null,
  };
}

async function seed(): Promise<Seeded> {
  const config = loadConfig();
  const masterKey = await loadMasterKey(masterKeySource(config));
  const db = openDatabase({ url: config.DATABASE_URL, poolMax: 2, applicationName: "sluice-seed" });
  try {
    return await db.withTransaction(async (tx) => {
      await seedCatalog(tx, config, masterKey);
      await addFirstPlans(tx);
      say("there are plans for sale");
      // Only a trial has unpaid quota and prints a key to the log.
      const isTrial = config.NODE_ENV !== "production";
      const user = isTrial ? await seedFirstUser(tx, config.NODE_ENV === "development") : { userEmail: null };
      return { ...user, hasAdmin: await isAnyAdmin(tx), isServed: await isAnyModelServed(tx) };
    });
  } finally {
    await db.close(2_000);
  }
}

try {
  process.stdout.write(`${JSON.stringify({ ok: true, ...(await seed()) })}\n`);
} catch (error) {
  const sentence = redact(error instanceof Error ? error.message : String(error));
  say(sentence);
  process.stdout.write(`${JSON.stringify({ ok: false, error: sentence })}\n`);
  process.exitCode = 1;
}
