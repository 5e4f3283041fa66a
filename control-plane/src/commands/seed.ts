/**
 * Makes what a first call needs: the model `gpt-4o-mini` with its prices, the names by which clients of the Messages
 * route ask for it, a channel that serves it to group `default`, a user with quota, and an API key. Safe to repeat: what is there stays, a key is only made when the user has none, and
 * the channel follows the environment (the provider with PROVIDER_API_KEY, else the sandbox at SANDBOX_URL).
 * In development the user also gets a password, and a first super-admin is made when there is no admin yet. Progress goes
 * to stderr; stdout gets one JSON line: `{"ok":true,"userEmail":"...","apiKey":"sk-..."|null,"userPassword":"..."|null,
 * "admin":{"username":"...","password":"..."}|null}`.
 */
import { quotaPerUsd } from "@sluice/contracts/money";
import { createFirstAdmin, createFirstPassword, findOrCreateUser } from "../accounts/service.ts";
import { seedPlans } from "../billing/service.ts";
import { addGatewayUser, addModel, allowModel, createFirstApiKey, putChannel } from "../gateway/service.ts";
import { seedModelMap } from "../messages-compat/service.ts";
import { type Config, loadConfig, masterKeySource } from "../platform/config.ts";
import { loadMasterKey, type MasterKey } from "../platform/crypto/master-key.ts";
import { openDatabase, type Transaction } from "../platform/db.ts";
import { redact } from "../platform/log.ts";

const groupName = "default";
const modelName = "gpt-4o-mini";
const userEmail = "first-user@localhost";
const firstQuota = 5n * quotaPerUsd;

function say(line: string): void {
  process.stderr.write(`seed: ${line}\n`);
}

async function seedCatalog(tx: Transaction, config: Config, masterKey: MasterKey): Promise<void> {
  const model = { name: modelName, displayName: "GPT-4o mini", ownedBy: "openai" };
  const bounds = { contextTokensMax: 128_000, outputTokensMax: 16_384, imageTokensMax: 50_000 };
  await addModel(
    tx,
    { ...model, ...bounds },
    { inputUsdPerM: "0.15", outputUsdPerM: "0.60", cacheReadUsdPerM: "0.075" },
  );
  say(`model ${modelName} has a price`);
  const { PROVIDER_API_KEY: providerKey, PROVIDER_BASE_URL: providerUrl, SANDBOX_URL: sandboxUrl } = config;
  const isSandbox = providerKey === undefined;
  if (isSandbox && sandboxUrl === undefined) {
    throw new Error("neither PROVIDER_API_KEY nor SANDBOX_URL is set: there is nothing a channel could point at");
  }
  const baseUrl = isSandbox ? `${sandboxUrl?.replace(/\/+$/, "")}/v1` : providerUrl;
  const credential = isSandbox ? "sandbox" : providerKey;
  const channelId = await putChannel(tx, masterKey, { name: "first", baseUrl, credential: credential ?? null });
  await allowModel(tx, groupName, modelName, channelId);
  say(`${await seedModelMap(tx, modelName)} names of the Messages route are answered by ${modelName}`);
  say(`channel first serves ${modelName} to group ${groupName} from ${isSandbox ? "the sandbox provider" : baseUrl}`);
}

type Seeded = {
  readonly apiKey: string | null;
  /** Of the user; only of the start that made it. */
  readonly userPassword: string | null;
  /** Only of the start that made it. */
  readonly admin: { readonly username: string; readonly password: string } | null;
};

async function seed(): Promise<Seeded> {
  const config = loadConfig();
  const masterKey = await loadMasterKey(masterKeySource(config));
  const db = openDatabase({ url: config.DATABASE_URL, poolMax: 2, applicationName: "sluice-seed" });
  try {
    return await db.withTransaction(async (tx) => {
      await seedCatalog(tx, config, masterKey);
      await seedPlans(tx);
      say("there are plans to buy");
      const user = await findOrCreateUser(tx, { email: userEmail, displayName: "First user" }, async () => {
        const { gatewayUserId } = await addGatewayUser(tx, groupName, {
          amount: firstQuota,
          changeType: "first_grant",
        });
        say(`user ${userEmail} has 5 USD of quota`);
        return gatewayUserId;
      });
      const apiKey = await createFirstApiKey(tx, user.gatewayUserId, "first key");
      if (config.NODE_ENV !== "development") {
        // In production nobody reads what a start prints; `bun run admin:create` is the way there.
        return { apiKey, userPassword: null, admin: null };
      }
      return {
        apiKey,
        userPassword: await createFirstPassword(tx, user.userId),
        admin: await createFirstAdmin(tx),
      };
    });
  } finally {
    await db.close(2_000);
  }
}

try {
  process.stdout.write(`${JSON.stringify({ ok: true, userEmail, ...(await seed()) })}\n`);
} catch (error) {
  const sentence = redact(error instanceof Error ? error.message : String(error));
  say(sentence);
  process.stdout.write(`${JSON.stringify({ ok: false, error: sentence })}\n`);
  process.exitCode = 1;
}
