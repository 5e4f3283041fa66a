import type { GatewayUserId } from "@sluice/contracts/ids";
import type { StatedCapability } from "@sluice/contracts/model-capabilities";
import type { ModelKind } from "@sluice/contracts/model-kinds";
import type { Decimal } from "@sluice/contracts/money";
import { priceTimes } from "@sluice/contracts/price-times";
import { type PricedUnit, priceColumns, pricedUnits, type TieredPrices } from "@sluice/contracts/priced-units";
import { and, eq } from "drizzle-orm";
import { ability, channel, model } from "../db/schema/gateway-routing.ts";
import { userGroup } from "../db/schema/groups.ts";
import type { Queryable } from "../platform/db.ts";
import { type PriceTexts, passThroughModel } from "./model.ts";

export type ModelRow = PriceTexts & {
  name: string;
  display_name: string;
  owned_by: string;
  kind: ModelKind;
  created_at: Date;
  context_tokens_max: number;
  output_tokens_max: number;
  image_tokens_max: number;
  capabilities: StatedCapability[] | null;
  deprecated_at: Date | null;
  sunset_at: Date | null;
  replacement_model: string | null;
  updated_at: Date;
};

/** Enabled models, each with the latest currently valid version of its price. */
export async function listPricedModels(db: Queryable): Promise<ModelRow[]> {
  return await db.query<ModelRow>(
    `select m.name, m.display_name, m.owned_by, m.kind, m.created_at, m.context_tokens_max, m.output_tokens_max,
       m.image_tokens_max, m.capabilities, m.deprecated_at, m.sunset_at, m.replacement_model, m.updated_at, p.version, p.long_prompt, ${priceColumns.map((price) => `p.${price}`).join(", ")}
     from model m
     join lateral (
       select * from model_price where model = m.name and valid_from <= now() order by version desc limit 1
     ) p on true
     where m.status = 'enabled' order by m.name`,
    [],
  );
}

/** The models sold by name: all that have not ended but the one that only carries the pass-through price. */
export async function listSoldModels(db: Queryable): Promise<ModelRow[]> {
  const isSold = ({ name, sunset_at: sunset }: ModelRow): boolean =>
    name !== passThroughModel && (sunset === null || sunset.getTime() > Date.now());
  return (await listPricedModels(db)).filter(isSold);
}

/** The sold models with the prices of the group that new accounts start in. */
export async function listModelsForNewcomers(db: Queryable): Promise<ModelRow[]> {
  const [group] = await db.drizzle
    .select({ multiplier: userGroup.multiplier })
    .from(userGroup)
    .where(eq(userGroup.isStart, true));
  const multiplier = (group?.multiplier ?? "1") as Decimal;
  return (await listSoldModels(db)).map((row) => ({ ...row, ...priceTimes(row, multiplier) }));
}

/** The sold models that a channel serves to a group, as its keys see them. */
export async function listOfferedModels(db: Queryable, groupName: string): Promise<ModelRow[]> {
  const served = await db.drizzle
    .selectDistinct({ model: ability.model })
    .from(ability)
    .innerJoin(channel, and(eq(channel.id, ability.channelId), eq(channel.status, "enabled")))
    .where(and(eq(ability.isEnabled, true), eq(ability.groupName, groupName)));
  const names = new Set(served.map((row) => row.model));
  return (await listSoldModels(db)).filter(({ name }) => names.has(name));
}

export type OfferedGroup = {
  readonly name: string;
  readonly description: string;
  /** The product of the group's multiplier and the user's own. */
  readonly multiplier: Decimal;
  readonly ends_at: Date | null;
  readonly is_chosen: boolean;
};

/** The groups that a user may choose for a key, each once, the one that other keys use first. */
export async function listOfferedGroups(db: Queryable, gatewayUserId: GatewayUserId): Promise<OfferedGroup[]> {
  return await db.sql<OfferedGroup>`
    select g.name, g.description, trim_scale(u.rate_multiplier * g.multiplier) as multiplier, k.ends_at,
      g.name = c.group_name as is_chosen
    from gateway_user u
    join (select distinct gateway_user_id, group_name from group_of_user) m on m.gateway_user_id = u.id
    join user_group g on g.name = m.group_name
    cross join key_group(u.id, null) c
    cross join key_group(u.id, g.name) k
    where u.id = ${gatewayUserId}::bigint
    order by g.name = c.group_name desc, g.rank desc, g.name`;
}

export type NewModel = {
  readonly name: string;
  readonly displayName: string;
  readonly ownedBy: string;
  /** The kind of model; by default `chat`. */
  readonly kind?: ModelKind;
  readonly contextTokensMax: number;
  readonly outputTokensMax: number;
  readonly imageTokensMax: number;
  /** What it can do; null, as by default, where its name says it. */
  readonly capabilities?: StatedCapability[] | null;
};

/** Creates the model unless it exists; returns whether this call did it. */
export async function insertModel(db: Queryable, made: NewModel): Promise<boolean> {
  const rows = await db.drizzle
    .insert(model)
    .values({ ...made })
    .onConflictDoNothing({ target: model.name })
    .returning({ name: model.name });
  return rows.length > 0;
}

/** Prices as decimal strings in USD: an absent price is zero, or that of the unit it is part of. */
export type NewPrice = Partial<TieredPrices> & Pick<TieredPrices, RefusedPrice> & { readonly model: string };
type RefusedPrice = Extract<PricedUnit, { readonly unpriced: "refused" }>["price"];

const insertPrice = `
  insert into model_price (model, version, valid_from, long_prompt, ${priceColumns.join(", ")})
  select $1, coalesce(max(version), 0) + 1, now(), $2::text::jsonb,
    ${priceColumns.map((_, index) => `$${index + 3}::numeric`).join(", ")}
  from model_price where model = $1
  returning version`;

/** Adds the next version of a model's price, valid from now; returns its number. */
export async function insertPriceVersion(db: Queryable, price: NewPrice): Promise<number> {
  const values = pricedUnits.map((unit) => price[unit.price] ?? (unit.unpriced === "free" ? "0" : null));
  const long = price.long_prompt == null ? null : JSON.stringify(price.long_prompt);
  const [row] = await db.query<{ version: number }>(insertPrice, [price.model, long, ...values]);
  if (row === undefined) {
    throw new Error(`no price version was added for ${price.model}`);
  }
  return row.version;
}
