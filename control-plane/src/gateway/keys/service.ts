import type { ApiKeyId, GatewayUserId } from "@sluice/contracts/ids";
import { type ApiKeyView, type KeyCreateInput, type KeySaveInput, playgroundKeysMax } from "@sluice/contracts/keys";
import type { AuditChange } from "../../admin/audit/model.ts";
import { audit } from "../../admin/audit/service.ts";
import { recordEvent } from "../../events/service.ts";
import { sha256 } from "../../platform/crypto/digest.ts";
import type { Database, Transaction } from "../../platform/db.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { type KeysetPage, readKeysetPage } from "../../platform/keyset-page.ts";
import { checkSettings } from "./check-settings.ts";
import { generateApiKey } from "./generate-api-key.ts";
import { type KeyOwner, type KeyPlace, placeOf } from "./key-owner.ts";
import { setQuotaLimit } from "./key-quota.ts";
import {
  limitOf,
  requireChangeable,
  requireGroup,
  requireProject,
  requireRoom,
  requireUnlocked,
  revokedForGood,
} from "./key-rules.ts";
import { defaultSettings, describeApiKey, mergeSettings, settingsOf } from "./model.ts";
import {
  alignSharedLimits,
  assignKey,
  endKeyWithin,
  findByIdempotencyKey,
  findFirstUse,
  findGroupNames,
  findKey,
  findKeyOwner,
  findKeys,
  findPlaygroundKeys,
  insertSuccessor,
  isMember,
  type KeyRecord,
  lockUser,
  markForPlayground,
  setIdempotency,
  updateGroup,
  updateLock,
  updateSettings,
  updateStatus,
} from "./settings-store.ts";
import { insertApiKey } from "./store.ts";

/** A created key. `secret` is the key itself; it is returned only this once, so a repeated request gets null. */
export type MadeKey = { readonly secret: string | null; readonly key: ApiKeyView };

/** The API keys of users. Every change is audited in its transaction and announced to all replicas by the database. */
export class KeyService {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Creates a key. The same idempotency key with the same input returns the key that was created then, without its
   * secret.
   * @throws AppError `invalid_value`, `too_many_keys`, `idempotency_mismatch`
   */
  async create(owner: KeyOwner, input: KeyCreateInput, idempotencyKey: string | null): Promise<MadeKey> {
    const { idempotency_key: _, group, project_id, is_for_playground: isForPlayground = false, ...requested } = input;
    const settings = mergeSettings(defaultSettings(input.name), requested);
    const named = { group, project_id: project_id?.toString(), ...requested };
    const digest = sha256(JSON.stringify(isForPlayground ? { ...named, isForPlayground } : named, sortedFields));
    return await this.#change(owner, async (tx) => {
      if (idempotencyKey !== null) {
        const made = await findByIdempotencyKey(tx, owner, idempotencyKey);
        if (made !== null) {
          if (!Buffer.from(digest).equals(made.digest)) {
            throw new AppError("idempotency_mismatch");
          }
          return { secret: null, key: (await this.#own(tx, owner, made.keyId)).view };
        }
      }
      await requireGroup(tx, owner, group ?? null);
      const projectId = await requireProject(tx, owner, project_id);
      await checkSettings(tx, settings, null);
      const limit = limitOf(null, input);
      await requireRoom(tx, owner.gatewayUserId);
      const secret = generateApiKey();
      const { gatewayUserId } = owner;
      const { name } = settings;
      const keyId = await insertApiKey(tx, { gatewayUserId, name, keyHash: sha256(secret), ...describeApiKey(secret) });
      await updateSettings(tx, keyId, settings);
      await noteMaker(tx, owner, { keyId, projectId });
      await this.#assign(tx, owner, keyId, { group: group ?? null, isForPlayground });
      if (idempotencyKey !== null) {
        await setIdempotency(tx, keyId, idempotencyKey, digest);
      }
      await setQuotaLimit(tx, { apiKeyId: keyId }, limit);
      const { view } = await this.#own(tx, owner, keyId);
      await audit(tx, owner, "api_key.create", keyChange(owner, null, view));
      await reportCreated(tx, owner, view);
      return { secret, key: view };
    });
  }

  /** A page of keys, newest first. */
  async list(
    place: KeyPlace,
    page: { readonly before: bigint | null; readonly limit: number; readonly isLiveOnly: boolean },
  ): Promise<KeysetPage<ApiKeyView, bigint>> {
    const find = async (limit: number) =>
      (await findKeys(this.#db, { ...placeOf(place), keyId: null, ...page, limit })).map(({ view }) => view);
    return await readKeysetPage(page.limit, find, (key) => key.key_id);
  }

  /**
   * Changes the fields that the request names. With a limit below what was already used, nothing is left.
   * @throws AppError `not_found`, `conflict`, `key_locked`, `invalid_value`, `too_many_keys`
   */
  async save(owner: KeyOwner, input: KeySaveInput): Promise<ApiKeyView> {
    return await this.#change(owner, async (tx) => {
      const record = await this.#own(tx, owner, input.key_id as ApiKeyId);
      const { view, limitKeyId } = record;
      requireChangeable(owner, view);
      if (toMicroseconds(input.updated_at) !== toMicroseconds(view.updated_at)) {
        throw new AppError("conflict");
      }
      const current = settingsOf(view);
      const settings = mergeSettings(current, input);
      await checkSettings(tx, settings, current);
      const limit = limitOf(view, input);
      if (input.group !== undefined && input.group !== view.own_group) {
        await requireGroup(tx, owner, input.group);
        await updateGroup(tx, view.key_id as ApiKeyId, input.group);
      }
      if (view.status === "expired" && settings.expires_at !== current.expires_at) {
        await requireRoom(tx, owner.gatewayUserId);
      }
      await setQuotaLimit(tx, { apiKeyId: limitKeyId }, limit);
      await updateSettings(tx, view.key_id as ApiKeyId, settings);
      await alignSharedLimits(tx, limitKeyId, settings);
      return await this.#finish(tx, owner, "api_key.save", record);
    });
  }

  /** @throws AppError `not_found`, `key_locked`, `conflict` for a key that is revoked */
  async disable(owner: KeyOwner, keyId: ApiKeyId): Promise<ApiKeyView> {
    return await this.#setStatus(owner, keyId, "disabled");
  }

  async enable(owner: KeyOwner, keyId: ApiKeyId): Promise<ApiKeyView> {
    return await this.#setStatus(owner, keyId, "active");
  }

  /** Ends a key for good. Running calls finish; no new ones begin. @throws AppError `not_found` */
  async revoke(owner: KeyOwner, keyId: ApiKeyId): Promise<ApiKeyView> {
    return await this.#setStatus(owner, keyId, "revoked");
  }

  /**
   * Locks a key and those that share its limits, or unlocks them with null. The reason is shown to the owner.
   * @throws AppError `not_found`, `conflict` for a key that is revoked
   */
  async lock(owner: KeyOwner, keyId: ApiKeyId, lockReason: string | null): Promise<ApiKeyView> {
    return await this.#change(owner, async (tx) => {
      const record = await this.#own(tx, owner, keyId);
      if (record.view.status === "revoked") {
        throw revokedForGood();
      }
      if (record.view.lock_reason === lockReason) {
        return record.view;
      }
      await updateLock(tx, record.limitKeyId, lockReason);
      return await this.#finish(tx, owner, lockReason === null ? "api_key.unlock" : "api_key.lock", record);
    });
  }

  /** The groups that a user's keys may use. */
  async groupsOf(gatewayUserId: GatewayUserId): Promise<string[]> {
    return await findGroupNames(this.#db, gatewayUserId);
  }

  /** A key of anyone, with its owner. @throws AppError `not_found` */
  async find(keyId: ApiKeyId): Promise<{ readonly key: ApiKeyView; readonly gatewayUserId: GatewayUserId }> {
    const gatewayUserId = await findKeyOwner(this.#db, keyId);
    const record = gatewayUserId === null ? null : await findKey(this.#db, { gatewayUserId, madeById: null }, keyId);
    if (gatewayUserId === null || record === null) {
      throw notFound("API key");
    }
    return { key: record.view, gatewayUserId };
  }

  /**
   * Creates a successor of a key, with another secret. Both share one budget and one set of limits; the old key ends
   * after the overlap.
   * @throws AppError `not_found`, `conflict` for a key that no longer works or was rotated,
   * `key_locked`, `too_many_keys`
   */
  async rotate(owner: KeyOwner, keyId: ApiKeyId, overlapSeconds: number): Promise<MadeKey & { old: ApiKeyView }> {
    return await this.#change(owner, async (tx) => {
      const record = await this.#own(tx, owner, keyId);
      const { status } = record.view;
      requireChangeable(owner, record.view);
      if (status === "expired") {
        throw new AppError("conflict", { message: "This key has expired. Create a new one." });
      }
      if (overlapSeconds > 0) {
        await requireRoom(tx, owner.gatewayUserId);
      }
      const secret = generateApiKey();
      const newId = await insertSuccessor(tx, keyId, { keyHash: sha256(secret), ...describeApiKey(secret) });
      await (overlapSeconds > 0 ? endKeyWithin(tx, keyId, overlapSeconds) : updateStatus(tx, keyId, "revoked"));
      const old = await this.#finish(tx, owner, "api_key.rotate", record);
      const { view } = await this.#own(tx, owner, newId);
      await audit(tx, owner, "api_key.create", keyChange(owner, null, view));
      await reportCreated(tx, owner, view);
      return { secret, key: view, old };
    });
  }

  /** When the first call with this key succeeded, or null while none has. @throws AppError `not_found` */
  async firstRequest(place: KeyPlace, keyId: ApiKeyId): Promise<Date | null> {
    const found = await findFirstUse(this.#db, placeOf(place), keyId);
    if (found === null) {
      throw notFound("API key");
    }
    return found.firstUsedAt;
  }

  async #setStatus(owner: KeyOwner, keyId: ApiKeyId, status: "active" | "disabled" | "revoked"): Promise<ApiKeyView> {
    return await this.#change(owner, async (tx) => {
      const record = await this.#own(tx, owner, keyId);
      const current = record.view.status;
      if (current === "revoked" && status !== "revoked") {
        throw revokedForGood();
      }
      if (current === status) {
        return record.view;
      }
      if (status !== "revoked") {
        requireUnlocked(owner, record.view);
      }
      await updateStatus(tx, keyId, status);
      const action = status === "active" ? "enable" : status === "disabled" ? "disable" : "revoke";
      return await this.#finish(tx, owner, `api_key.${action}`, record);
    });
  }

  /** Gives a new key its group; one for the playground ends the oldest of those that its owner has too many of. */
  async #assign(
    tx: Transaction,
    owner: KeyOwner,
    keyId: ApiKeyId,
    { group, isForPlayground }: { readonly group: string | null; readonly isForPlayground: boolean },
  ): Promise<void> {
    if (group !== null) {
      await updateGroup(tx, keyId, group);
    }
    if (!isForPlayground) {
      return;
    }
    await markForPlayground(tx, keyId);
    for (const surplusId of await findPlaygroundKeys(tx, owner, playgroundKeysMax)) {
      const record = await this.#own(tx, owner, surplusId);
      await updateStatus(tx, surplusId, "revoked");
      await this.#finish(tx, owner, "api_key.revoke", record);
    }
  }

  async #change<T>(owner: KeyOwner, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return await this.#db.withTransaction(async (tx) => {
      if (!(await lockUser(tx, owner.gatewayUserId))) {
        throw new AppError("not_found");
      }
      return await work(tx);
    });
  }

  /** A missing key and somebody else's key get the same response. */
  async #own(tx: Transaction, owner: KeyOwner, keyId: ApiKeyId): Promise<KeyRecord> {
    const record = await findKey(tx, placeOf(owner), keyId);
    if (record === null) {
      throw notFound("API key");
    }
    return record;
  }

  async #finish(tx: Transaction, owner: KeyOwner, action: string, before: KeyRecord): Promise<ApiKeyView> {
    const { view } = await this.#own(tx, owner, before.view.key_id as ApiKeyId);
    await audit(tx, owner, action, keyChange(owner, before.view, view));
    return view;
  }
}

/** Notes the member who makes a key for an organisation; not one who was removed meanwhile. @throws AppError `organisation_refused` */
async function noteMaker(
  tx: Transaction,
  { memberId }: KeyOwner,
  { keyId, projectId }: { readonly keyId: ApiKeyId; readonly projectId: bigint | null },
): Promise<void> {
  if (memberId === undefined) {
    return;
  }
  if (!(await isMember(tx, memberId))) {
    throw new AppError("organisation_refused");
  }
  await assignKey(tx, keyId, { memberId, projectId });
}

function keyChange({ reason }: KeyOwner, before: ApiKeyView | null, after: ApiKeyView): AuditChange {
  return { subjectKind: "api_key", subjectId: String(after.key_id), before, after, reason };
}

/** Sorts the fields of an object, so that their order does not affect a digest. */
function sortedFields(_: string, value: unknown): unknown {
  return value !== null && typeof value === "object" && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
}

/** Gives the same text for the same moment, however its fraction and time zone are written. */
function toMicroseconds(text: string): string {
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? "";
  return `${Math.floor(Date.parse(text) / 1_000)}.${fraction.padEnd(6, "0").slice(0, 6)}`;
}

async function reportCreated(tx: Transaction, { gatewayUserId }: KeyOwner, key: ApiKeyView): Promise<void> {
  await recordEvent(tx, {
    type: "key.created",
    gatewayUserId,
    cause: `keys:${gatewayUserId}`,
    data: {
      key_id: key.key_id.toString(),
      key_last_four: key.key_last_four,
      rotated_from_id: key.rotated_from_id?.toString() ?? null,
    },
  });
}
