import type { BudgetId, ChannelId, GatewayUserId } from "@sluice/contracts/ids";
import type { Decimal } from "@sluice/contracts/money";
import { insertModel, insertPriceVersion, type NewModel, type NewPrice } from "../models/model-store.ts";
import { sha256 } from "../platform/crypto/digest.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import { open, seal, sealContext } from "../platform/crypto/seal.ts";
import type { SealedColumn } from "../platform/crypto/sealed-column.ts";
import type { Queryable, Transaction } from "../platform/db.ts";
import {
  alignExitAbilities,
  type ExitChannelFields,
  insertExitChannel,
  lockExitChannel,
  updateExitChannel,
} from "./channels/exit-channel-store.ts";
import { parseBaseUrl } from "./channels/model.ts";
import {
  clearChannelCredential,
  disableAbilities,
  listEnabledAbilities,
  listEnabledChannels,
  saveAbility,
  saveChannel,
  setChannelCredential,
} from "./channels/store.ts";
import { generateApiKey } from "./keys/generate-api-key.ts";
import { describeApiKey } from "./keys/model.ts";
import { hasApiKey, insertApiKey, insertGatewayUser, updateGatewayUser } from "./keys/store.ts";
import { type GivingUp, giveUpReplica, writeOffGivenUp } from "./quota/lease-upkeep.ts";
import { type ReplicaState, selectReplicas } from "./quota/replica-store.ts";
import { grantQuota, lockUserQuota, readUserQuota, type UserQuota } from "./quota/store.ts";

const credentialContext = (id: ChannelId | string) =>
  sealContext({ table: "channel", column: "credential_sealed", row: id, owner: "operator" });

/** What this feature encrypts under the master key. */
export const gatewaySealedColumns: readonly SealedColumn[] = [
  { table: "channel", column: "credential_sealed", key: ["id"], contextOf: ([id]) => credentialContext(id ?? "") },
];

/** Decrypts the credential of a channel. @throws SealError */
export function openChannelCredential(key: MasterKey, id: ChannelId, sealed: Uint8Array): string {
  return Buffer.from(open(key.opening, sealed, credentialContext(id))).toString("utf8");
}

/** Whether calls can be sent to a channel's base URL. */
export function isChannelAddress(baseUrl: string): boolean {
  try {
    parseBaseUrl(baseUrl);
    return true;
  } catch {
    return false;
  }
}

/** Encrypts the credential of a channel, bound to its row. */
export function sealChannelCredential(key: MasterKey, id: ChannelId, credential: string): Uint8Array {
  return seal(key.sealing, Buffer.from(credential), credentialContext(id));
}

export type ChannelSettings = {
  readonly name: string;
  readonly baseUrl: string;
  /** Null keeps the stored one. */
  readonly credential: string | null;
};

/**
 * Creates a channel or changes its address; the credential is stored only encrypted. @throws TypeError for a bad URL
 */
export async function putChannel(tx: Queryable, key: MasterKey, settings: ChannelSettings): Promise<ChannelId> {
  parseBaseUrl(settings.baseUrl);
  const id = await saveChannel(tx, settings.name, settings.baseUrl);
  if (settings.credential !== null) {
    await setChannelCredential(tx, id, sealChannelCredential(key, id, settings.credential));
  }
  return id;
}

/**
 * Removes the abilities of an enabled channel that has this credential. @returns whether it had any @throws SealError
 */
export async function emptyChannelWith(
  tx: Queryable,
  key: MasterKey,
  { name, credential }: { readonly name: string; readonly credential: string },
): Promise<boolean> {
  const found = (await listEnabledChannels(tx)).find((channel) => channel.name === name);
  const id = found?.id as ChannelId | undefined;
  const sealed = found?.credential_sealed ?? null;
  if (id === undefined || sealed === null || openChannelCredential(key, id, sealed) !== credential) {
    return false;
  }
  return (await disableAbilities(tx, id)) > 0;
}

/** Whether an enabled channel serves any model to anyone. */
export async function isAnyModelServed(db: Queryable): Promise<boolean> {
  return (await listEnabledAbilities(db)).length > 0;
}

/** Lets a channel serve a model to a group. */
export async function allowModel(tx: Queryable, groupName: string, model: string, channelId: ChannelId): Promise<void> {
  await saveAbility(tx, { groupName, model, channelId, priority: 0, weight: 1 });
}

export type ExitChannelSettings = {
  readonly nodeCode: string;
  readonly baseUrl: string;
  /** Where connections go, whatever the name in `baseUrl` says. */
  readonly address: string;
  /** Otherwise the channel gets no credential, and loses its current one. */
  readonly isProven: boolean;
  /** Null keeps the stored one. */
  readonly credential: string | null;
  readonly isEnabled: boolean;
};

/**
 * Creates the channel of an exit node, or updates it; writes only what differs. The routes of exit nodes decide which
 * calls may use it.
 */
export async function putExitChannel(tx: Queryable, key: MasterKey, settings: ExitChannelSettings): Promise<void> {
  const { nodeCode, baseUrl, address, credential } = settings;
  const fields: ExitChannelFields = { nodeCode, baseUrl, address, status: settings.isEnabled ? "enabled" : "disabled" };
  const known = await lockExitChannel(tx, nodeCode);
  const id = known?.id ?? (await insertExitChannel(tx, fields));
  const isSame = known?.base_url === baseUrl && known.pinned_address === address && known.status === fields.status;
  if (known !== null && !isSame) {
    await updateExitChannel(tx, fields);
  }
  const sealed = known?.credential_sealed ?? null;
  if (!settings.isProven) {
    await (sealed === null ? undefined : clearChannelCredential(tx, id));
  } else if (credential !== null && (sealed === null || openChannelCredential(key, id, sealed) !== credential)) {
    await setChannelCredential(tx, id, seal(key.sealing, Buffer.from(credential), credentialContext(id)));
  }
}

/** Gives the channels of exit nodes an ability for each model that anyone may use there, and for no other. */
export async function refreshExitAbilities(tx: Queryable): Promise<void> {
  await alignExitAbilities(tx);
}

/** Adds a model with its first price; an existing model stays as it is. */
export async function addModel(tx: Queryable, model: NewModel, price: Omit<NewPrice, "model">): Promise<void> {
  if (await insertModel(tx, model)) {
    await insertPriceVersion(tx, { ...price, model: model.name });
  }
}

/** Creates a gateway user with its first quota. */
export async function addGatewayUser(
  tx: Queryable,
  groupName: string,
  grant: { readonly amount: bigint; readonly changeType: string },
): Promise<{ gatewayUserId: GatewayUserId; budgetId: BudgetId }> {
  const user = await insertGatewayUser(tx, groupName);
  if (grant.amount > 0n) {
    const reference = `${grant.changeType}:user:${user.gatewayUserId}`;
    await grantQuota(tx, { budgetId: user.budgetId, reference, ...grant });
  }
  return user;
}

/** Changes whether a user's keys work, and the price multiplier; absent fields stay. */
export async function changeGatewayUser(
  tx: Queryable,
  id: GatewayUserId,
  change: { readonly isEnabled?: boolean; readonly rateMultiplier?: Decimal },
): Promise<void> {
  const { isEnabled = null, rateMultiplier = null } = change;
  if (isEnabled !== null || rateMultiplier !== null) {
    await updateGatewayUser(tx, id, { isEnabled, rateMultiplier });
  }
}

/** Creates an API key and returns it; it can never be read again. */
export async function createApiKey(tx: Queryable, gatewayUserId: GatewayUserId, name: string): Promise<string> {
  const key = generateApiKey();
  await insertApiKey(tx, { gatewayUserId, name, keyHash: sha256(key), ...describeApiKey(key) });
  return key;
}

/** Creates a user's first API key, or returns null when the user has one. */
export async function createFirstApiKey(
  tx: Queryable,
  gatewayUserId: GatewayUserId,
  name: string,
): Promise<string | null> {
  return (await hasApiKey(tx, gatewayUserId)) ? null : await createApiKey(tx, gatewayUserId, name);
}

/**
 * Locks the budget of a user until the end of the transaction. Anything that gives or takes quota by rules that depend
 * on the balance does this first. Null if there is no such user.
 */
export async function findQuotaOfUser(tx: Queryable, gatewayUserId: GatewayUserId): Promise<UserQuota | null> {
  return await lockUserQuota(tx, gatewayUserId);
}

/** The same for a user who is known to exist. @throws Error when the user has no budget */
export async function lockQuotaOfUser(tx: Queryable, gatewayUserId: GatewayUserId): Promise<UserQuota> {
  const quota = await lockUserQuota(tx, gatewayUserId);
  if (quota === null) {
    throw new Error(`gateway user ${gatewayUserId} has no budget`);
  }
  return quota;
}

/** What a user can still use, including what is lent to replicas. */
export async function readQuotaOfUser(
  db: Queryable,
  gatewayUserId: GatewayUserId,
): Promise<{ readonly remaining: bigint; readonly used: bigint }> {
  return await readUserQuota(db, gatewayUserId);
}

/** Gives or takes quota, once per reference, with its entries in the ledger; returns whether this call did it. */
export async function changeQuota(
  tx: Queryable,
  change: {
    readonly budgetId: BudgetId;
    readonly amount: bigint;
    readonly changeType: string;
    readonly reference: string;
  },
): Promise<boolean> {
  return await grantQuota(tx, change);
}

/** All known replicas, those silent for longest first. */
export async function listReplicas(db: Queryable): Promise<ReplicaState[]> {
  return await selectReplicas(db);
}

/** Declares the host of a replica lost; its leases go back after the end of its term. False for an unknown replica. */
export async function loseReplica(tx: Transaction, lost: GivingUp): Promise<boolean> {
  return await giveUpReplica(tx, lost);
}

/** Gives back the leases of all lost replicas whose terms are over. */
export async function releaseLostReplicas(tx: Transaction, by: string): Promise<void> {
  await writeOffGivenUp(tx, by);
}
