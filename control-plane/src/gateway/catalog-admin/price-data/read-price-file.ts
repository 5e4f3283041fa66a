import { z } from "zod";
import { AppError } from "../../../platform/errors.ts";
import { scanJson } from "../../../platform/scan-json.ts";
import { yieldToLoop } from "../../../platform/slices.ts";

/** Far above the published file; checked before anything is built from the text. */
const jsonLimits = { depthMax: 24, keysMax: 500_000, topLevelKeysMax: 1_000, valuesMax: 500_000 };
const [providersMax, modelsMax] = [300, 20_000];
/** Checking a model takes a tenth of a millisecond; calls are served after so many. */
const modelsAtOnce = 100;

type MatchLogic =
  | { readonly equals: string }
  | { readonly starts_with: string }
  | { readonly ends_with: string }
  | { readonly contains: string }
  | { readonly or: MatchLogic[] }
  | { readonly and: MatchLogic[] };

const word = z.string().min(1).max(300);
/** Regular expressions are not run, because one could take forever on some name. Such a rule matches nothing. */
const matchLogic: z.ZodType<MatchLogic> = z.lazy(() =>
  z.union([
    z.object({ equals: word }),
    z.object({ starts_with: word }),
    z.object({ ends_with: word }),
    z.object({ contains: word }),
    z.object({ or: z.array(matchLogic).max(200) }),
    z.object({ and: z.array(matchLogic).max(200) }),
    z.object({ regex: z.string() }).transform(() => ({ or: [] })),
  ]),
);

const amount = z.number().min(0).max(1_000_000);
const tiers = z.object({
  base: amount,
  tiers: z.array(z.object({ start: z.int().min(1).max(100_000_000), price: amount })).max(10),
});
const priceList = z
  .record(z.string().regex(/^[a-z0-9_]{1,64}$/), z.union([amount, tiers]).nullish())
  .refine((prices) => Object.keys(prices).length <= 60, "at most 60 prices")
  .transform((prices) =>
    Object.fromEntries(
      Object.entries(prices).flatMap(([key, price]) => (price == null ? [] : [[key, price] as const])),
    ),
  );
/** Any other text would stop every lookup of the model. */
const timeOfDay = z
  .string()
  .regex(
    /^([01]\d|2[0-3])(:[0-5]\d){2}(\.\d{1,6})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/,
    "a time of the day like 16:30:00Z",
  );
const constraint = z.union([
  z.object({ start_date: z.iso.date() }).transform(({ start_date }) => ({ type: "start_date" as const, start_date })),
  z
    .object({ start_time: timeOfDay, end_time: timeOfDay })
    .transform((times) => ({ type: "time_of_date" as const, ...times })),
]);
const datedPrices = z
  .object({ constraint: constraint.nullish(), prices: priceList })
  .transform(({ constraint: only, prices }) => (only == null ? { prices } : { constraint: only, prices }));

const model = z
  .object({
    id: word,
    match: matchLogic,
    context_window: z.int().min(1).max(100_000_000).nullish(),
    prices: z.union([z.array(datedPrices).min(1).max(50), priceList]),
  })
  .transform(({ context_window: context, ...rest }) => (context == null ? rest : { ...rest, context_window: context }));
const provider = z.object({
  id: word,
  name: word,
  api_pattern: z.string().max(2_000).default(""),
  /** Each is checked by itself. */
  models: z.array(z.unknown()).max(modelsMax),
});
const priceFile = z.preprocess(
  (value) => (Array.isArray(value) ? value : ((value as { providers?: unknown } | null)?.providers ?? value)),
  z.array(provider).min(1).max(providersMax),
);

/** A provider of the file: what a proposal needs of it, and nothing else. */
export type PricedProvider = Omit<z.output<typeof provider>, "models"> & {
  readonly models: z.output<typeof model>[];
};

/**
 * Reads a file of prices in the form of `@pydantic/genai-prices`: a list of providers, or an object with one. Calls are
 * served meanwhile.
 * @throws AppError `invalid_value` with the first thing that is wrong, at `content`
 */
export async function readPriceFile(bytes: Buffer): Promise<readonly PricedProvider[]> {
  if (scanJson(bytes, jsonLimits).isOverLimit) {
    throw refusal("The file is nested too deeply or has too many values.");
  }
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    throw refusal("The file is not JSON.");
  }
  const providers = parsed(priceFile, value, []);
  const total = providers.reduce((sum, { models }) => sum + models.length, 0);
  if (total > modelsMax) {
    throw refusal(`The file has more than ${modelsMax.toLocaleString("en")} models.`);
  }
  const read: PricedProvider[] = [];
  let checked = 0;
  for (const [at, each] of providers.entries()) {
    const models: PricedProvider["models"] = [];
    for (const [index, one] of each.models.entries()) {
      models.push(parsed(model, one, [at, "models", index]));
      checked += 1;
      if (checked % modelsAtOnce === 0) {
        await yieldToLoop();
      }
    }
    read.push({ ...each, models });
  }
  return read;
}

/** @param place of the value in the file */
function parsed<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  place: readonly (string | number)[],
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (!result.success) {
    const [issue] = result.error.issues;
    const path = [...place, ...(issue?.path ?? [])].join(".");
    throw refusal(
      `The file does not have the expected form, at ${path || "the top level"}: ${issue?.message ?? "unknown"}`,
    );
  }
  return result.data;
}

function refusal(text: string): AppError {
  return new AppError("invalid_value", { fields: { content: text.slice(0, 500) } });
}
