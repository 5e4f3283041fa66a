import type { MessagesModelInput } from "@sluice/contracts/messages-models";
import { modelLookupName } from "@sluice/messages-conversion/request/from-messages-request";
import type { AuditOrigin } from "../admin/audit/model.ts";
import { audit } from "../admin/audit/service.ts";
import type { Database, Queryable, Transaction } from "../platform/db.ts";
import { AppError } from "../platform/errors.ts";
import { firstModels } from "./first-models.ts";
import type { MappedModel } from "./model.ts";
import {
  findMappedModel,
  insertMappedModel,
  listMappedModels,
  listServedModels,
  lockMappedModel,
  updateMappedModel,
} from "./store.ts";

/** The whole map, newest models first. */
export function listModelMap(db: Queryable): Promise<MappedModel[]> {
  return listMappedModels(db);
}

/**
 * Adds a name to the map or changes the model that serves it. Every replica uses it within a second.
 * @throws AppError `conflict` when the entry is not the one that was loaded
 */
export async function saveModelMapEntry(
  db: Database,
  input: MessagesModelInput,
  origin: AuditOrigin,
): Promise<MappedModel> {
  return await db.withTransaction(async (tx) => {
    const before = await lockMappedModel(tx, input.name);
    if ((before?.version ?? 0) !== input.version) {
      throw new AppError("conflict");
    }
    const after = await writeEntry(tx, input, before !== null);
    await audit(tx, origin, before === null ? "messages_model.add" : "messages_model.change", {
      subjectKind: "messages_model",
      subjectId: input.name,
      before,
      after,
    });
    return after;
  });
}

async function writeEntry(tx: Transaction, input: MessagesModelInput, isThere: boolean): Promise<MappedModel> {
  const model = {
    name: input.name,
    displayName: input.display_name,
    upstreamModel: input.upstream_model,
    flags: input.flags as MappedModel["flags"],
    isEnabled: input.is_enabled,
    releasedAt: new Date(input.released_at),
  };
  const written = isThere ? await updateMappedModel(tx, model) : await insertMappedModel(tx, model);
  if (written === null) {
    throw new AppError("conflict");
  }
  return written;
}

/** What clients of the Messages route get for a name. */
export type ResolvedName = {
  /** The name in the catalog. */
  readonly model: string;
  /** Whether the map led there. */
  readonly isMapped: boolean;
  /** Whether the map has the name and does not use it now. */
  readonly isDisabled: boolean;
};

/** Follows a name as calls do, from the database: see `ModelMap.find`. */
export async function resolveMessagesName(db: Queryable, sent: string): Promise<ResolvedName> {
  const name = modelLookupName(sent);
  const [entry, served] = await Promise.all([findMappedModel(db, name), listServedModels(db)]);
  const isNative = served.some((each) => each.name === name && each.isNative);
  return entry === null || isNative || !entry.isEnabled
    ? { model: name, isMapped: false, isDisabled: entry?.isEnabled === false }
    : { model: entry.upstreamModel, isMapped: true, isDisabled: false };
}

/** Adds the names that current clients ask for to the map; existing entries stay. Returns how many were added. */
export async function seedModelMap(tx: Transaction, upstreamModel: string): Promise<number> {
  let added = 0;
  for (const { name, displayName, releasedAt } of firstModels) {
    const model = { name, displayName, upstreamModel, flags: firstFlags, isEnabled: true, releasedAt };
    added += (await insertMappedModel(tx, model)) === null ? 0 : 1;
  }
  return added;
}

/** Known limits of `gpt-4o-mini`: clients ask for longer responses than it gives, and for more stop sequences. */
const firstFlags: MappedModel["flags"] = { max_output: 16_384, stop_limit: 4 };
