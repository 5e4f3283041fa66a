import type { ModelPrices, PeerChannel, PricedModel, RatioProgram } from "../model.ts";
import { findCompletionRule, fourThirds } from "./completion-rules.ts";
import { dividedBy, type Fraction, fractionOf, isSame, times, toPlaces, wholeFraction } from "./fraction.ts";
import { type RatioMap, readRatioMap } from "./ratio-map.ts";

const usualUnitsPerUsd = 500_000n;
const one = wholeFraction(1n);
const million = wholeFraction(1_000_000n);
const pricePlaces = 8;
/** What one-api takes for a name that it does not know. */
const ratioOfUnknown = wholeFraction(30n);
const usualCacheWrite: Fraction = { over: 5n, under: 4n };

/** Computes what the models of another gateway cost there, from its settings and the rules of the program. */
export class PeerPrices {
  readonly #program: RatioProgram;
  readonly #unitsPerUsd: Fraction;
  readonly #ratios: RatioMap | null;
  readonly #fixed: RatioMap;
  readonly #completions: RatioMap;
  readonly #cached: RatioMap | null;

  constructor(program: RatioProgram, options: ReadonlyMap<string, string>) {
    this.#program = program;
    this.#unitsPerUsd = unitsPerUsdOf(options);
    this.#ratios = readRatioMap(options, "ModelRatio");
    this.#fixed = readRatioMap(options, "ModelPrice") ?? new Map();
    this.#completions = readRatioMap(options, "CompletionRatio") ?? new Map();
    this.#cached = readRatioMap(options, "CacheRatio");
  }

  /** @param channels those that serve the model, the one that gets its calls first */
  priceOf(model: string, channels: readonly PeerChannel[]): PricedModel {
    return this.#program === "new-api" ? this.#byAskedName(model) : this.#byChannels(model, channels);
  }

  #byAskedName(model: string): PricedModel {
    const fixed = this.#fixed.get(model);
    if (fixed !== undefined) {
      return { prices: { ...free, request_usd: toPlaces(fixed, pricePlaces).text }, facts: null, notes: [] };
    }
    if (this.#ratios === null) {
      return { prices: null, problem: unsaved };
    }
    const ratio = this.#ratios.get(model);
    return ratio === undefined
      ? { prices: null, problem: "The program refuses calls of this model, because it has no price." }
      : this.#priced(model, ratio, []);
  }

  /** one-api charges by the name after its mapping, and by the type of the channel. */
  #byChannels(model: string, channels: readonly PeerChannel[]): PricedModel {
    const ratios = this.#ratios;
    if (ratios === null) {
      return { prices: null, problem: unsaved };
    }
    const [first, ...others] = channels;
    if (first === undefined) {
      return { prices: null, problem: "No channel serves this model." };
    }
    const ratioAt = (channel: PeerChannel): Fraction =>
      find(ratios, upstreamOf(channel, model), channel) ?? ratioOfUnknown;
    const ratio = ratioAt(first);
    const notes = others
      .filter((channel) => !isSame(ratioAt(channel), ratio))
      .map(
        (channel) =>
          `It has another price on channel ${channel.id} (${channel.name}); here all channels cost the same.`,
      );
    const isUnknown = find(ratios, upstreamOf(first, model), first) === null;
    const typo = isUnknown
      ? ["The program has no price of this name and charges what it takes for unknown models."]
      : [];
    return this.#priced(upstreamOf(first, model), ratio, [...typo, ...notes], first);
  }

  #priced(name: string, ratio: Fraction, notes: readonly string[], channel: PeerChannel | null = null): PricedModel {
    const input = dividedBy(times(ratio, million), this.#unitsPerUsd);
    const completion = this.#completionOf(name, channel);
    const cached = this.#cachedOf(name);
    const rounded: string[] = [];
    const price = (value: Fraction): string => {
      const { text, isExact } = toPlaces(value, pricePlaces);
      if (!isExact) {
        rounded.push(`A price has more than ${pricePlaces} places and is rounded to ${text} USD.`);
      }
      return text;
    };
    const prices: ModelPrices = {
      input_usd_per_m: price(input),
      output_usd_per_m: price(times(input, completion)),
      cache_read_usd_per_m: cached === null ? null : price(times(input, cached)),
      cache_write_usd_per_m: cached === null || !isClaude(name) ? null : price(times(input, usualCacheWrite)),
      request_usd: "0",
    };
    return { prices, facts: null, notes: [...notes, ...rounded] };
  }

  #completionOf(name: string, channel: PeerChannel | null): Fraction {
    const rule = findCompletionRule(this.#program, name);
    const set = find(this.#completions, name, channel);
    const ofRule = rule === null ? one : ratioOfText(rule.ratio);
    return rule?.isLocked === true ? ofRule : (set ?? ofRule);
  }

  /** one-api has no price of its own for cached input. */
  #cachedOf(name: string): Fraction | null {
    if (this.#program === "one-api") {
      return null;
    }
    const ratio = this.#cached === null ? usualCached(name) : (this.#cached.get(name) ?? one);
    return isSame(ratio, one) ? null : ratio;
  }
}

const free = {
  input_usd_per_m: "0",
  output_usd_per_m: "0",
  cache_read_usd_per_m: null,
  cache_write_usd_per_m: null,
  request_usd: "0",
};

const unsaved =
  "The prices were never saved, so they are in the program, not in its database. Pass them with --options: what GET /api/option/ answers to its root user.";

/** How many units of quota a US dollar is in the other program. @throws Error if the setting is not a number above 0 */
export function unitsPerUsdOf(options: ReadonlyMap<string, string>): Fraction {
  const text = options.get("QuotaPerUnit");
  const units = text === undefined ? wholeFraction(usualUnitsPerUsd) : fractionOf(text);
  if (units === null || units.over <= 0n) {
    throw new Error("the setting QuotaPerUnit is not a number above 0");
  }
  return units;
}

export function upstreamOf({ upstreamNames }: PeerChannel, model: string): string {
  return upstreamNames.get(model) ?? model;
}

/** `name(type)` holds for channels of that type only. */
function find(ratios: RatioMap, name: string, channel: PeerChannel | null): Fraction | null {
  const ofType = channel === null ? undefined : ratios.get(`${name}(${channel.type})`);
  return ofType ?? ratios.get(name) ?? null;
}

function ratioOfText(text: string): Fraction {
  return text === fourThirds ? { over: 4n, under: 3n } : (fractionOf(text) ?? one);
}

function isClaude(name: string): boolean {
  return name.includes("claude");
}

/** What new-api takes until its setting was saved. */
function usualCached(name: string): Fraction {
  const [quarter, tenth, half] = [
    { over: 1n, under: 4n },
    { over: 1n, under: 10n },
    { over: 1n, under: 2n },
  ] as const;
  if (/^deepseek/.test(name)) {
    return quarter;
  }
  if (/^claude-3/.test(name)) {
    return tenth;
  }
  return /^(gpt-4o|gpt-4\.5|o1|o3-mini)/.test(name) ? half : one;
}
