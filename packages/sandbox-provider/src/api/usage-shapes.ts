/**
 * How providers spell the usage of a chat completion, and where a stream has it. The counts are the same: `prompt`
 * includes what was cached, `completion` includes the reasoning, and a shape says otherwise where its provider does.
 */
import type { Behaviour } from "../script/behaviour.ts";
import type { JsonObject } from "./prompt.ts";
import type { TokenCounts } from "./usage.ts";

type UsageShape = {
  readonly usage: (counts: TokenCounts) => JsonObject;
  readonly placement: NonNullable<Behaviour["usagePlacement"]>;
};

/** What a token costs where a provider reports costs, in US dollars. */
const promptTokenUsd = 0.000_001;
const completionTokenUsd = 0.000_002;

const shapes: Readonly<Record<NonNullable<Behaviour["usageShape"]>, UsageShape>> = {
  deepseek: {
    placement: "own-chunk",
    usage: (counts) => ({
      ...totals(counts),
      prompt_tokens_details: { cached_tokens: counts.cached },
      ...reasoningDetails(counts),
      prompt_cache_hit_tokens: counts.cached,
      prompt_cache_miss_tokens: Math.max(0, counts.prompt - counts.cached),
    }),
  },
  /** The thoughts are only in the total. */
  google: {
    placement: "with-finish",
    usage: (counts) => ({
      prompt_tokens: counts.prompt,
      completion_tokens: visibleOf(counts),
      total_tokens: counts.prompt + counts.completion,
    }),
  },
  groq: {
    placement: "x-groq",
    usage: (counts) => ({
      queue_time: 0.001,
      prompt_time: 0.002,
      completion_time: 0.003,
      total_time: 0.005,
      ...totals(counts),
      ...(counts.cached === 0 ? {} : { prompt_tokens_details: { cached_tokens: counts.cached } }),
      ...(counts.reasoning === 0 ? {} : reasoningDetails(counts)),
    }),
  },
  mistral: {
    placement: "with-finish",
    usage: (counts) => ({ ...totals(counts), num_cached_tokens: counts.cached }),
  },
  moonshot: {
    placement: "in-choice",
    usage: (counts) => ({ ...totals(counts), cached_tokens: counts.cached }),
  },
  openrouter: {
    placement: "unasked",
    usage: (counts) => ({
      ...totals(counts),
      cost: costOf(counts),
      is_byok: false,
      prompt_tokens_details: { cached_tokens: counts.cached, cache_write_tokens: writtenOf(counts), audio_tokens: 0 },
      cost_details: { upstream_inference_cost: null },
      ...reasoningDetails(counts),
    }),
  },
  /** The reasoning is not in `completion_tokens` and not in the total. */
  perplexity: {
    placement: "every-chunk",
    usage: (counts) => ({
      prompt_tokens: counts.prompt,
      completion_tokens: visibleOf(counts),
      total_tokens: counts.prompt + visibleOf(counts),
      search_context_size: "low",
      ...(counts.searches === 0 ? {} : { num_search_queries: counts.searches }),
      ...(counts.reasoning === 0 ? {} : { reasoning_tokens: counts.reasoning }),
      cost: {
        input_tokens_cost: counts.prompt * promptTokenUsd,
        output_tokens_cost: counts.completion * completionTokenUsd,
        request_cost: 0.005,
        total_cost: costOf(counts) + 0.005,
      },
    }),
  },
  qwen: {
    placement: "own-chunk",
    usage: (counts) => ({
      ...totals(counts),
      prompt_tokens_details: {
        cached_tokens: counts.cached,
        cache_creation_input_tokens: writtenOf(counts),
        cache_creation: { ephemeral_5m_input_tokens: writtenOf(counts) },
        cache_type: "ephemeral",
      },
      ...reasoningDetails(counts),
    }),
  },
  /** The reasoning is in the total, but comes on top of `completion_tokens`. */
  xai: {
    placement: "unasked",
    usage: (counts) => ({
      prompt_tokens: counts.prompt,
      completion_tokens: visibleOf(counts),
      total_tokens: counts.prompt + counts.completion,
      prompt_tokens_details: {
        text_tokens: counts.prompt,
        audio_tokens: 0,
        image_tokens: 0,
        cached_tokens: counts.cached,
      },
      completion_tokens_details: {
        reasoning_tokens: counts.reasoning,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
      num_sources_used: counts.searches,
    }),
  },
};

/** `usage` of a chat completion, in the shape of the behaviour and with its overrides. */
export function chatUsage(counts: TokenCounts, behaviour: Behaviour): JsonObject {
  const shape = behaviour.usageShape === undefined ? ordinaryUsage : shapes[behaviour.usageShape].usage;
  return { ...shape(counts), ...behaviour.usage };
}

/** `usage` of a response, with the overrides of the behaviour. */
export function responseUsage(counts: TokenCounts, behaviour: Behaviour): JsonObject {
  return {
    input_tokens: counts.prompt,
    input_tokens_details: { cached_tokens: counts.cached, cache_write_tokens: writtenOf(counts) },
    output_tokens: counts.completion,
    output_tokens_details: { reasoning_tokens: counts.reasoning },
    total_tokens: counts.prompt + counts.completion,
    ...behaviour.usage,
  };
}

/** Where a stream has its usage. */
export function usagePlacement({ usagePlacement: asked, usageShape }: Behaviour): UsageShape["placement"] {
  return asked ?? (usageShape === undefined ? "own-chunk" : shapes[usageShape].placement);
}

function ordinaryUsage(counts: TokenCounts): JsonObject {
  const written = writtenOf(counts);
  return {
    ...totals(counts),
    prompt_tokens_details: {
      cached_tokens: counts.cached,
      ...(written === 0 ? {} : { cache_write_tokens: written }),
      audio_tokens: 0,
    },
    completion_tokens_details: {
      reasoning_tokens: counts.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

function totals({ prompt, completion }: TokenCounts): JsonObject {
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

function reasoningDetails({ reasoning }: TokenCounts): JsonObject {
  return { completion_tokens_details: { reasoning_tokens: reasoning } };
}

function writtenOf({ written5m, written1h }: TokenCounts): number {
  return written5m + written1h;
}

function visibleOf({ completion, reasoning }: TokenCounts): number {
  return Math.max(0, completion - reasoning);
}

/** Rounded to what a price list has, so that no sum shows the noise of binary fractions. */
function costOf({ prompt, completion }: TokenCounts): number {
  return Number((prompt * promptTokenUsd + completion * completionTokenUsd).toFixed(9));
}
