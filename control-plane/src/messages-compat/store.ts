import type { ModelFlags } from "@sluice/messages-conversion/model-flags";
import type { Queryable } from "../platform/db.ts";
import type { MappedModel } from "./model.ts";

type Row = {
  name: string;
  display_name: string;
  upstream_model: string;
  flags: Partial<ModelFlags>;
  is_enabled: boolean;
  released_at: Date;
  version: number;
};

const toModel = (row: Row): MappedModel => ({
  name: row.name,
  displayName: row.display_name,
  upstreamModel: row.upstream_model,
  flags: row.flags,
  isEnabled: row.is_enabled,
  releasedAt: row.released_at,
  version: row.version,
});

/** The whole map, newest models first. */
export async function listMappedModels(db: Queryable): Promise<MappedModel[]> {
  const rows = await db.sql<Row>`
    select name, display_name, upstream_model, flags, is_enabled, released_at, version from messages_model
    order by released_at desc, name`;
  return rows.map(toModel);
}

/** The entry, locked until the transaction ends; null when there is none. */
export async function lockMappedModel(tx: Queryable, name: string): Promise<MappedModel | null> {
  const [row] = await tx.sql<Row>`
    select name, display_name, upstream_model, flags, is_enabled, released_at, version from messages_model
    where name = ${name} for update`;
  return row === undefined ? null : toModel(row);
}

/** Adds an entry with version 1; null when the name is taken. */
export async function insertMappedModel(
  tx: Queryable,
  model: Omit<MappedModel, "version">,
): Promise<MappedModel | null> {
  const [row] = await tx.sql<Row>`
    insert into messages_model (name, display_name, upstream_model, flags, is_enabled, released_at)
    values (${model.name}, ${model.displayName}, ${model.upstreamModel}, ${JSON.stringify(model.flags)}::text::jsonb,
      ${model.isEnabled}, ${model.releasedAt})
    on conflict (name) do nothing
    returning name, display_name, upstream_model, flags, is_enabled, released_at, version`;
  return row === undefined ? null : toModel(row);
}

/** Changes an existing entry and increments its version. */
export async function updateMappedModel(tx: Queryable, model: Omit<MappedModel, "version">): Promise<MappedModel> {
  const [row] = await tx.sql<Row>`
    update messages_model set display_name = ${model.displayName}, upstream_model = ${model.upstreamModel},
      flags = ${JSON.stringify(model.flags)}::text::jsonb, is_enabled = ${model.isEnabled},
      released_at = ${model.releasedAt}, version = version + 1, updated_at = now()
    where name = ${model.name}
    returning name, display_name, upstream_model, flags, is_enabled, released_at, version`;
  if (row === undefined) {
    throw new Error("the entry of the model map is gone");
  }
  return toModel(row);
}
