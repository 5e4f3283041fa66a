import { decimalToScaled, parseDecimal, scaledToDecimal } from "@sluice/contracts/money";
import type { PriceColumn } from "@sluice/contracts/priced-units";
import { proposedModelsMax } from "@sluice/contracts/proposal-limits";
import type { ListedModel, PriceTextsOf } from "./model.ts";

type Fields = Readonly<Record<string, unknown>>;

const idPattern = /^[\x21-\x7e]{1,200}$/;
const tokensMax = 100_000_000;
/** Where lists state the price of one token or request, and which price that is for how many. */
const listedPrices: readonly (readonly [field: string, column: PriceColumn, times: bigint])[] = [
  ["prompt", "input_usd_per_m", 1_000_000n],
  ["completion", "output_usd_per_m", 1_000_000n],
  ["input_cache_read", "cache_read_usd_per_m", 1_000_000n],
  ["input_cache_write", "cache_write_usd_per_m", 1_000_000n],
  ["internal_reasoning", "reasoning_usd_per_m", 1_000_000n],
  ["request", "request_usd", 1n],
];

/**
 * The models of a provider's list, in any of the usual forms; null if it is not a list. What can't be read is left out.
 * Each name counts once.
 */
export function readModelList(body: unknown): readonly ListedModel[] | null {
  const list = Array.isArray(body) ? body : listIn(body);
  if (list === null) {
    return null;
  }
  const models = new Map<string, ListedModel>();
  for (const entry of list) {
    const model = isFields(entry) ? readModel(entry) : typeof entry === "string" ? named(entry) : null;
    if (model !== null && models.size < proposedModelsMax && !models.has(model.id)) {
      models.set(model.id, model);
    }
  }
  return [...models.values()];
}

/** A model whose only known fact is the provider's name for it; null for a text that can't be a name. */
export function named(id: string): ListedModel | null {
  return idPattern.test(id)
    ? {
        ...{ id, displayName: null, ownedBy: null, type: null },
        ...{ contextTokensMax: null, outputTokensMax: null, prices: null },
      }
    : null;
}

function listIn(body: unknown): readonly unknown[] | null {
  const found = isFields(body) ? (body["data"] ?? body["models"]) : null;
  return Array.isArray(found) ? found : null;
}

function readModel(entry: Fields): ListedModel | null {
  const id = textIn(entry["id"]) ?? textIn(entry["name"]);
  const model = id === null ? null : named(id.replace(/^models\//, ""));
  const top = isFields(entry["top_provider"]) ? entry["top_provider"] : {};
  if (model === null) {
    return null;
  }
  const displayName = textIn(entry["display_name"]) ?? textIn(entry["displayName"]);
  const name = textIn(entry["name"]);
  return {
    ...model,
    displayName: displayName ?? (name === id ? null : name),
    ownedBy: textIn(entry["owned_by"]) ?? textIn(entry["organization"]),
    type: typeOf(entry),
    contextTokensMax: firstCount(entry, [
      ...["context_length", "context_window", "max_context_length", "inputTokenLimit"],
      ...["max_model_len", "max_input_tokens"],
    ]),
    outputTokensMax:
      firstCount(entry, ["max_completion_tokens", "max_output_tokens", "outputTokenLimit"]) ??
      firstCount(top, ["max_completion_tokens"]),
    prices: isFields(entry["pricing"]) ? readPrices(entry["pricing"]) : null,
  };
}

/** The kind of a model in the words of the list; some lists say it by what can be called. */
function typeOf(entry: Fields): string | null {
  const methods = entry["supportedGenerationMethods"];
  const endpoints = entry["endpoints"];
  if (Array.isArray(methods)) {
    return methods.includes("embedContent") ? "embedding" : null;
  }
  if (Array.isArray(endpoints)) {
    return (
      ["chat", "rerank"].find((word) => endpoints.includes(word)) ?? (endpoints.includes("embed") ? "embed" : null)
    );
  }
  return textIn(entry["type"]);
}

/** Prices of one token as decimal texts; without both input and output the list has none. */
function readPrices(pricing: Fields): PriceTextsOf | null {
  const found = listedPrices.flatMap(([field, column, times]) => {
    const text = textIn(pricing[field]);
    const price = text === null ? null : multiplied(text, times);
    return price === null ? [] : [[column, price] as const];
  });
  const prices: PriceTextsOf = Object.fromEntries(found);
  return prices.input_usd_per_m === undefined || prices.output_usd_per_m === undefined ? null : prices;
}

function multiplied(text: string, times: bigint): string | null {
  const scale = 12;
  try {
    const scaled = decimalToScaled(parseDecimal(text), scale) * times;
    const price = scaledToDecimal(scaled, scale);
    return /^\d{1,7}(\.\d{1,8})?$/.test(price) ? price : null;
  } catch {
    // A negative price stands for one that depends on the call.
    return null;
  }
}

function firstCount(fields: Fields, names: readonly string[]): number | null {
  const found = names.map((name) => fields[name]).find((value) => isCount(value));
  return (found as number | undefined) ?? null;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= tokensMax;
}

function textIn(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
