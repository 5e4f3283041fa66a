import type { ModelKind } from "@sluice/contracts/model-kinds";
import { z } from "zod";
import type { ModelFacts, ModelPrices, PricedModel } from "../model.ts";
import { OddValue } from "../source/read-values.ts";
import type { Deployment } from "./deployment.ts";
import { perMillion } from "./usd.ts";

type Fields = Readonly<Record<string, unknown>>;

const bytesMax = 64 * 1024 * 1024;
const modelInfo = z.object({
  data: z.array(z.object({ model_name: z.string(), model_info: z.record(z.string(), z.unknown()) })),
});
const priceMap = z.record(z.string(), z.record(z.string(), z.unknown()));

/** What the program knows of models beyond its database: by the name of a model there, or that of its provider. */
export type KnownInfo = ReadonlyMap<string, Fields>;

/**
 * Reads the prices of a running program from a file: what `GET /model/info` answers, or the price map that the program
 * comes with.
 * @throws Error for another file
 */
export async function readKnownInfo(path: string): Promise<KnownInfo> {
  const file = Bun.file(path);
  if (!(await file.exists()) || file.size > bytesMax) {
    throw new Error(`--options: the file ${path} does not exist, or is larger than ${bytesMax} bytes`);
  }
  const content: unknown = await file.json();
  const listed = modelInfo.safeParse(content);
  if (listed.success) {
    return new Map(listed.data.data.map(({ model_name: name, model_info: info }) => [name, info]));
  }
  const map = priceMap.safeParse(content);
  if (!map.success) {
    throw new Error("--options has to be a file with the response of GET /model/info, or a price map");
  }
  return new Map(Object.entries(map.data));
}

/** Prices that calls have there and not here. */
const otherPrices = /cost/;
const usedPrices = new Set([
  ...["input_cost_per_token", "output_cost_per_token", "cache_read_input_token_cost"],
  ...["cache_creation_input_token_cost", "input_cost_per_request"],
]);
const kinds: Readonly<Record<string, ModelKind>> = {
  ...{ chat: "chat", responses: "chat", completion: "chat", embedding: "embedding", rerank: "rerank" },
  ...{ image_generation: "image", image_edit: "image", audio_transcription: "audio", audio_speech: "audio" },
  ...{ moderation: "moderation", realtime: "realtime" },
};

/** What a model costs by these deployments, the first of which gets its calls first. */
export function priceOfDeployments(deployments: readonly Deployment[], known: KnownInfo): PricedModel {
  const [first, ...others] = deployments;
  if (first === undefined) {
    return { prices: null, problem: "No deployment serves this model." };
  }
  try {
    const info = infoOf(first, known);
    const prices = pricesOf(info);
    if (prices === null) {
      return { prices: null, problem: unsaved };
    }
    const dearer = others.filter((other) => {
      const its = pricesOf(infoOf(other, known));
      return its !== null && JSON.stringify(its.prices) !== JSON.stringify(prices.prices);
    });
    const notes = dearer.map(
      ({ id, provider }) => `It has another price on deployment ${id} (${provider}); here all channels cost the same.`,
    );
    return { prices: prices.prices, facts: factsOf(info), notes: [...prices.notes, ...notes] };
  } catch (error) {
    if (error instanceof OddValue) {
      return { prices: null, problem: `One of its prices can't be read: ${error.message}.` };
    }
    throw error;
  }
}

const unsaved =
  "Its price is in the program, not in its database. Pass it with --options: what GET /model/info answers with the master key.";

/** What the row says counts, then what the running program says, then its price map. */
function infoOf({ modelName, provider, upstreamModel, params, info }: Deployment, known: KnownInfo): Fields {
  const found = known.get(modelName) ?? known.get(`${provider}/${upstreamModel}`) ?? known.get(upstreamModel) ?? {};
  const own = Object.fromEntries(Object.entries(params).filter(([name]) => otherPrices.test(name)));
  const set = Object.fromEntries(Object.entries({ ...info, ...own }).filter(([, value]) => value !== null));
  return { ...found, ...set };
}

function pricesOf(info: Fields): { readonly prices: ModelPrices; readonly notes: readonly string[] } | null {
  const [input, output] = [perMillion(info["input_cost_per_token"]), perMillion(info["output_cost_per_token"])];
  if (input === null && output === null) {
    return null;
  }
  const cacheRead = perMillion(info["cache_read_input_token_cost"]);
  const cacheWrite = perMillion(info["cache_creation_input_token_cost"]);
  const all = [input, output, cacheRead, cacheWrite].filter((each) => each !== null);
  const rounded = all.filter(({ isExact }) => !isExact);
  const others = Object.entries(info)
    .filter(
      ([name, value]) => otherPrices.test(name) && !usedPrices.has(name) && typeof value === "number" && value > 0,
    )
    .map(([name]) => name);
  const prices = {
    input_usd_per_m: input?.text ?? "0",
    output_usd_per_m: output?.text ?? "0",
    cache_read_usd_per_m: cacheRead?.text ?? null,
    cache_write_usd_per_m: cacheWrite?.text ?? null,
    request_usd: "0",
  };
  return {
    prices,
    notes: [
      ...rounded.map(({ text }) => `A price has more than 8 places and is rounded to ${text} USD.`),
      ...(others.length === 0 ? [] : [`Other prices are not moved: ${others.sort().join(", ")}.`]),
    ],
  };
}

function factsOf(info: Fields): ModelFacts {
  const count = (name: string): number | null => {
    const value = Number(info[name] ?? Number.NaN);
    return Number.isSafeInteger(value) && value > 0 && value <= 100_000_000 ? value : null;
  };
  const [input, output] = [count("max_input_tokens"), count("max_output_tokens")];
  return {
    kind: kinds[String(info["mode"] ?? "")] ?? null,
    contextTokensMax: input,
    outputTokensMax: output,
  };
}
