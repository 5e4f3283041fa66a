import type { SaveModelInput } from "@sluice/contracts/catalog-admin";
import { priceColumns, pricedUnits, type TieredPrices, tokenPrices } from "@sluice/contracts/priced-units";
import type { PriceTexts } from "../../models/model.ts";
import { insertModel, insertPriceVersion } from "../../models/model-store.ts";
import type { Transaction } from "../../platform/db.ts";
import { AppError, doesNotExist } from "../../platform/errors.ts";
import {
  findNewestPrice,
  lockModel,
  type ModelSettings,
  type StoredModel,
  updateModel,
} from "./catalog-admin-store.ts";
import { refuseArchived } from "./refuse-archived.ts";

/** A model with the prices for new calls, as returned and recorded. */
export type ModelState = ReturnType<typeof stateOf>;

/**
 * Creates a model, or changes the one that was loaded at `updated_at`. Changed prices are a new version: calls already
 * charged keep theirs.
 * @throws AppError `conflict` when it already exists or was changed since, `invalid_value` when a new one is missing a
 * field
 */
export async function saveModel(
  tx: Transaction,
  input: SaveModelInput,
): Promise<{ readonly before: ModelState | null; readonly after: ModelState }> {
  const { name } = input;
  const model = await lockModel(tx, name);
  if (model !== null) {
    refuseArchived("model", model);
  }
  if ((model?.updatedAt.getTime() ?? null) !== readTime(input.updated_at)) {
    throw new AppError("conflict");
  }
  const price = model === null ? null : await findNewestPrice(tx, name);
  const before = model === null || price === null ? null : stateOf(model, price);
  const settings = settingsOf(input, model);
  await checkLife(tx, name, settings);
  if (model === null && !(await insertModel(tx, { name, ...settings }))) {
    throw new AppError("conflict");
  }
  await updateModel(tx, name, settings);
  const prices = pricesOf(input, price);
  if (price === null || !isSame(prices, price)) {
    await insertPriceVersion(tx, { ...prices, model: name });
  }
  const saved = await lockModel(tx, name);
  const savedPrice = await findNewestPrice(tx, name);
  if (saved === null || savedPrice === null) {
    throw new Error(`model ${name} is missing after it was saved`);
  }
  return { before, after: stateOf(saved, savedPrice) };
}

function readTime(text: string | undefined): number | null {
  return text === undefined ? null : Date.parse(text);
}

function settingsOf(input: SaveModelInput, now: StoredModel | null): ModelSettings {
  const needed = <Value>(field: keyof SaveModelInput, value: Value | undefined): Value => {
    if (value === undefined) {
      throw new AppError("invalid_value", { fields: { [field]: "Required for a new model." } });
    }
    return value;
  };
  const moment = (text: string | null | undefined, old: Date | null): Date | null =>
    text === undefined ? old : text === null ? null : new Date(text);
  return {
    displayName: input.display_name ?? now?.displayName ?? input.name,
    ownedBy: input.owned_by ?? now?.ownedBy ?? "unknown",
    kind: input.kind ?? now?.kind ?? "chat",
    contextTokensMax: needed("context_tokens_max", input.context_tokens_max ?? now?.contextTokensMax),
    outputTokensMax: needed("output_tokens_max", input.output_tokens_max ?? now?.outputTokensMax),
    imageTokensMax: input.image_tokens_max ?? now?.imageTokensMax ?? 0,
    capabilities: input.capabilities === undefined ? (now?.capabilities ?? null) : input.capabilities,
    status: input.status ?? now?.status ?? "enabled",
    deprecatedAt: moment(input.deprecated_at, now?.deprecatedAt ?? null),
    sunsetAt: moment(input.sunset_at, now?.sunsetAt ?? null),
    replacementModel: input.replacement_model === undefined ? (now?.replacementModel ?? null) : input.replacement_model,
  };
}

/** @throws AppError `invalid_value` for an end before the deprecation, and a replacement that clients can't ask for */
async function checkLife(tx: Transaction, name: string, settings: ModelSettings): Promise<void> {
  const { deprecatedAt, sunsetAt, replacementModel } = settings;
  if (deprecatedAt !== null && sunsetAt !== null && sunsetAt < deprecatedAt) {
    throw new AppError("invalid_value", { fields: { sunset_at: "It can't end before it is deprecated." } });
  }
  if (replacementModel === name) {
    throw new AppError("invalid_value", { fields: { replacement_model: "Choose another model." } });
  }
  if (replacementModel !== null && (await lockModel(tx, replacementModel)) === null) {
    throw new AppError("invalid_value", { fields: { replacement_model: doesNotExist("model") } });
  }
}

/** The prices after the change; prices that it does not name stay as they are. */
function pricesOf(input: SaveModelInput, now: PriceTexts | null): TieredPrices {
  const prices = pricedUnits.map(({ price, unpriced }) => {
    const text = input[price] === undefined ? now?.[price] : input[price];
    if (text === undefined && unpriced === "refused") {
      throw new AppError("invalid_value", { fields: { [price]: "This price is required." } });
    }
    return [price, text ?? (unpriced === "free" ? "0" : null)];
  });
  const long = input.long_prompt === undefined ? (now?.long_prompt ?? null) : input.long_prompt;
  return { ...Object.fromEntries(prices), long_prompt: long } as TieredPrices;
}

/** Whether the prices are numerically equal, however they are written. */
function isSame(prices: TieredPrices, stored: TieredPrices): boolean {
  const isSameLong = longPromptText(prices) === longPromptText(stored);
  return isSameLong && priceColumns.every((name) => plain(prices[name]) === plain(stored[name]));
}

/** The prices for long prompts in words; null without any. */
export function longPromptText({ long_prompt: long }: TieredPrices): string | null {
  if (long === null) {
    return null;
  }
  const prices = tokenPrices.map((name) => `${name} ${plain(long[name]) ?? "as plain tokens"}`);
  return `above ${long.above_tokens} tokens: ${prices.join(", ")}`;
}

/** A price without insignificant zeros. */
export function plain(text: string | null): string | null {
  if (text === null) {
    return null;
  }
  const [whole = "0", places = ""] = text.split(".");
  const kept = places.replace(/0+$/, "");
  return `${whole.replace(/^0+(?=\d)/, "")}${kept === "" ? "" : `.${kept}`}`;
}

function stateOf(model: StoredModel, { version, ...prices }: PriceTexts) {
  return {
    name: model.name,
    display_name: model.displayName,
    owned_by: model.ownedBy,
    kind: model.kind,
    status: model.status,
    context_tokens_max: model.contextTokensMax,
    output_tokens_max: model.outputTokensMax,
    image_tokens_max: model.imageTokensMax,
    capabilities: model.capabilities,
    deprecated_at: model.deprecatedAt,
    sunset_at: model.sunsetAt,
    replacement_model: model.replacementModel,
    price_version: version,
    ...prices,
    updated_at: model.updatedAt,
  };
}
