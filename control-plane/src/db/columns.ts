import { type CamelCase, camelCase } from "@sluice/contracts/camel-case";
import { type KeySetting, keySettings } from "@sluice/contracts/key-fields";
import {
  type CountColumn,
  countedUnits,
  type PriceColumn,
  pricedUnits,
  rareCounts,
  tokenColumns,
  unitMeasures,
} from "@sluice/contracts/priced-units";
import { sql } from "drizzle-orm";
import { bigint, boolean, customType, integer, numeric, text, timestamp } from "drizzle-orm/pg-core";

/** The surrogate key every table shares. */
export const id = () => bigint("id", { mode: "bigint" }).generatedAlwaysAsIdentity().primaryKey();

/** A column for an integer amount of quota. It is read as BigInt, so that no float ever touches it. */
export const quota = (name: string) => bigint(name, { mode: "bigint" });

/** A reference to another table's surrogate key. */
export const reference = (name: string) => bigint(name, { mode: "bigint" });

export const moment = (name: string) => timestamp(name, { withTimezone: true });

/** When a row was created and last changed, by the database's clock. */
export const lifecycle = {
  createdAt: moment("created_at").notNull().defaultNow(),
  updatedAt: moment("updated_at").notNull().defaultNow(),
};

const usd = (name: string) => numeric(name, { precision: 20, scale: 8 });

/** A price column for each unit: null where a part costs the same as the whole, 0 where it is free. */
export function unitPrices() {
  const column = {
    refused: (name: string) => usd(name).notNull(),
    free: (name: string) => usd(name).notNull().default("0"),
    as_whole: usd,
  };
  return Object.fromEntries(
    pricedUnits.map(({ price, unpriced }) => [camelCase(price), column[unpriced](price)]),
  ) as Record<CamelCase<PriceColumn>, ReturnType<typeof usd>>;
}

/** A count column for each unit; `isSum` for sums over many calls. For calls, those of `rareCounts` are null instead of 0. */
export function unitCounts({ isSum }: { readonly isSum: boolean }) {
  return Object.fromEntries(
    countedUnits.map(({ count, measure }) => {
      const isBig = isSum || unitMeasures[measure].column === "bigint";
      const column = isBig ? bigint(count, { mode: "bigint" }) : integer(count);
      return [camelCase(count), !isSum && rareCounts.has(count) ? column : column.notNull()];
    }),
  ) as Record<CamelCase<CountColumn>, ReturnType<typeof bigint>>;
}

/** A sum over many calls for each unit that is counted in tokens. */
export function tokenSums() {
  return Object.fromEntries(
    tokenColumns.map((count) => [camelCase(count), bigint(count, { mode: "bigint" }).notNull()]),
  ) as Record<CamelCase<(typeof tokenColumns)[number]>, ReturnType<typeof bigint>>;
}

const keySettingColumn = {
  name: (name: string) => text(name).notNull(),
  models: (name: string) => text(name).array(),
  addresses: (name: string) => text(name).array(),
  moment,
  count: (name: string) => integer(name),
  flag: (name: string, isOn: boolean | null) =>
    boolean(name)
      .notNull()
      .default(isOn === true),
};

/** A column for each setting of an API key; null where the key does not have this limit. */
export function keySettingColumns() {
  return Object.fromEntries(
    keySettings.map((field) => [camelCase(field.name), keySettingColumn[field.kind](field.name, field.default)]),
  ) as {
    readonly [Setting in KeySetting as CamelCase<Setting["name"]>]: ReturnType<
      (typeof keySettingColumn)[Setting["kind"]]
    >;
  };
}

export const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => "bytea" });

/** The 64-bit id of the writing transaction; the usage log's cursor advances over it. */
export const transactionId = customType<{ data: string; driverData: string }>({ dataType: () => "xid8" });

/**
 * A `jsonb` column. The column type of the library hands the driver a text, which the driver stores as one long JSON
 * string that no JSON operator can read.
 */
export const json = customType<{ data: unknown }>({
  dataType: () => "jsonb",
  toDriver: (value) => sql`${JSON.stringify(value)}::text::jsonb`,
});
