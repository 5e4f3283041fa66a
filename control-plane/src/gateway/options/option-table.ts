import type { ErrorCode } from "@sluice/contracts/errors";

/** Where an option can occur: in a request, by its dialect, or in an event of a realtime session. */
export type OptionPlace = "chat" | "responses" | "messages" | "images" | "realtime";

/** A field that changes what a call costs, who serves it, or which part of the provider's account it reaches. */
export type Option = {
  /** Null if the option can occur everywhere. */
  readonly places: readonly OptionPlace[] | null;
  /** Values that have no effect, besides null. */
  readonly isHarmless: (value: unknown) => boolean;
  readonly code: ErrorCode;
  readonly why: string;
};

const oneOf =
  (...values: readonly unknown[]) =>
  (value: unknown): boolean =>
    values.includes(value);
const isOff = oneOf(false);
const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
const isTextAlone = (value: unknown): boolean => Array.isArray(value) && value.every((item) => item === "text");
const never = (): boolean => false;
/** Where a model writes text; a session may also have audio. */
const written = ["chat", "responses"] as const;

type Rest = { readonly places?: readonly OptionPlace[]; readonly isHarmless?: Option["isHarmless"] };

/** Costs extra at a provider, while a model has no price for it here. */
function unpriced(why: string, { places, isHarmless = never }: Rest = {}): Option {
  return { places: places ?? null, isHarmless, code: "unpriced_option", why };
}

/** Chooses another model, provider or account than the catalog does. */
const steering: Option = {
  places: null,
  isHarmless: isEmpty,
  code: "unknown_field",
  why: "The model and the provider can't be chosen with it.",
};

const steeringOptions = [steering];

/** Refers to something in the account at the provider, which all users of a channel share. */
function kept(why: string, places: readonly OptionPlace[] | null, isHarmless: Option["isHarmless"] = never): Option {
  return { places, isHarmless, code: "provider_object", why };
}

const search = unpriced("Providers charge extra for searches, which have no price here.", { isHarmless: isOff });
const speed = unpriced("Where and how fast a provider computes changes its price, and only one price is set here.");

const searchFields = [
  ...["web_search_options", "search_parameters", "search_options", "search_settings", "enable_search", "web_search"],
  ...["enable_enhancement", "force_search_enhancement"],
];

const picturesAreCounted = "Set the number of images with 'n'.";
/** Other names for `n`: nothing is set aside for such images. */
const pictureCounts = ["num_images", "batch_size", "num_outputs", "num_samples", "samples", "sample_count"];
const pictures = unpriced(picturesAreCounted, { places: ["images"], isHarmless: oneOf(1, "1") });
/** Other names for `n`, or for operations where `n` has no name here: one response is reserved for each. */
const answerCounts = [
  ...["num_return_sequences", "num_generations", "num_completions", "candidate_count", "candidateCount"],
];
const answersAreCounted = "Set the number of results with 'n' where the path supports it.";
const hosted = "Tools that the provider runs have no price here.";
const filesAreShared = "Files are shared in the provider's account. Send the content itself.";

const threadsAreKept = "Conversations are not stored here. Send all messages without it.";

const steeringFields = [
  // Fields of routers, which choose among many providers.
  ...["models", "route", "provider", "plugins", "transforms", "preset", "providerOptions", "provider_options"],
  ...["fallbacks", "context_window_fallbacks", "content_policy_fallbacks", "custom_llm_provider", "deployment_id"],
  ...["model_list", "extra_body", "access_programs", "api_base", "base_url", "user_config", "extra_headers", "api_key"],
  ...["deployment", "engine", "agent_id", "tags", "headers", "extra_query", "api_version", "api_type", "organization"],
  ...["region_name", "allowed_model_region", "base_model", "model_info"],
  // Accounts of the Messages API.
  ...["billing_policy", "user_profile_id", "workspace_id"],
  // Fields that make the gateway's own count of a response wrong: they repeat, omit or replace parts of it.
  ...["num_retries", "max_retries", "retry_policy", "drop_params", "additional_drop_params"],
  ...["input_cost_per_token", "output_cost_per_token", "guardrails"],
  // Objects of other dialects that contain whole sets of options, none of which is checked here.
  ...["google", "generation_config", "generationConfig", "sampling_params", "inferenceConfig"],
  ...["additional_model_request_fields", "additionalModelRequestFields"],
  // Self-hosted model servers: another model, the memory of other calls, other machines.
  ...["lora_path", "lora_request", "adapter_id", "adapter_source", "session_params", "kv_transfer_params"],
  ...["bootstrap_host", "bootstrap_port", "bootstrap_room"],
];

/**
 * Names with these prefixes belong to a router of many providers, and choose an account, a region, or a mock response.
 */
const steeringPrefix = /^(?:litellm|vertex|mock_|aws_|azure_|bedrock_|sagemaker_|watsonx_)/i;

/**
 * The closed list of options that are refused, by field. Any other option either does not affect the bill or is counted
 * in it: `n`, `best_of` of a completion, reasoning, cached prompts, safety settings, tools that the client runs itself,
 * and all sampling and guidance options of self-hosted servers.
 */
export const optionTable: ReadonlyMap<string, readonly Option[]> = new Map([
  [
    "service_tier",
    [
      unpriced("Only the usual service tiers have a price here: 'auto', 'default', or 'standard_only'.", {
        isHarmless: oneOf("auto", "default", "standard_only"),
      }),
    ],
  ],
  ...searchFields.map((field): [string, Option[]] => [field, [search]]),
  ...pictureCounts.map((field): [string, Option[]] => [field, [pictures]]),
  [
    "sequential_image_generation",
    [unpriced(picturesAreCounted, { places: ["images"], isHarmless: oneOf("disabled") })],
  ],
  ["speed", [{ ...speed, isHarmless: oneOf("standard") }]],
  ["inference_geo", [{ ...speed, isHarmless: oneOf("global") }]],
  ...["performance_config", "performanceConfig"].map((field): [string, Option[]] => [field, [speed]]),
  ["priority", [unpriced("Priority processing is not offered here.", { isHarmless: oneOf(0) })]],
  ["modalities", [unpriced("Only text has a price here.", { places: written, isHarmless: isTextAlone })]],
  ["audio", [unpriced("Audio output has no separate price here.", { places: written })]],
  ["prediction", [unpriced("Rejected prediction tokens have no upper limit here.", { places: ["chat"] })]],
  ["speculation", [unpriced("Rejected prediction tokens have no upper limit here.")]],
  ["chat_template", [unpriced("The length of what a template makes of a request has no upper limit here.")]],
  ...answerCounts.map((field): [string, Option[]] => [
    field,
    [unpriced(answersAreCounted, { isHarmless: oneOf(1, "1") })],
  ]),
  ["n", [unpriced(answersAreCounted, { places: ["responses"], isHarmless: oneOf(1) })]],
  [
    "best_of",
    [
      unpriced("Output that is not returned has no price here.", {
        places: ["chat", "responses"],
        isHarmless: oneOf(1),
      }),
    ],
  ],
  [
    "background",
    [
      unpriced("The usage of a background response could not be measured.", {
        places: ["responses"],
        isHarmless: isOff,
      }),
    ],
  ],
  ["deferred", [unpriced("The usage of a deferred response could not be measured.", { isHarmless: isOff })]],
  [
    "moderation",
    [unpriced("Moderation by another model has no price here.", { places: ["chat", "responses", "realtime"] })],
  ],
  ["svg", [unpriced("Image generation by another model has no price here.", { places: ["images"] })]],
  ["mcp_servers", [unpriced(hosted, { isHarmless: isEmpty })]],
  ["connectors", [unpriced(hosted, { isHarmless: isEmpty })]],
  ["enable_code_interpreter", [unpriced(hosted, { isHarmless: isOff })]],
  ["compound_custom", [unpriced(hosted)]],
  ...["data_sources", "dataSources", "enhancements", "anthropic_beta", "betas"].map((field): [string, Option[]] => [
    field,
    [unpriced("What it switches on costs extra at a provider, and has no price here.", { isHarmless: isEmpty })],
  ]),
  ["safety_model", [unpriced("Moderation by another model has no price here.")]],
  ["container", [unpriced("Providers charge extra for containers, which have no price here.")]],
  ...["cached_content", "cachedContent"].map((field): [string, Option[]] => [
    field,
    [kept("Caches stored at the provider can't be used here.", null)],
  ]),
  ...["file_id", "file_ids", "vector_store_ids", "tool_resources", "attachments"].map((field): [string, Option[]] => [
    field,
    [kept(filesAreShared, null, isEmpty)],
  ]),
  ["thread", [kept(threadsAreKept, ["messages"])]],
  ["store", [kept("Completions are not stored here.", ["chat"], isOff)]],
  ["prompt", [kept("Prompts stored at the provider can't be used here.", ["responses", "realtime"])]],
  ["conversation", [kept("Conversations stored at the provider can't be used here.", ["responses"])]],
  [
    "previous_response_id",
    [kept("Earlier responses can't be referenced here. Send their items in 'input'.", ["responses"])],
  ],
  ...steeringFields.map((field): [string, Option[]] => [field, [steering]]),
]);

/** The rules for a field; undefined if there are none. */
export function optionsOf(name: string): readonly Option[] | undefined {
  return optionTable.get(name) ?? (steeringPrefix.test(name) ? steeringOptions : undefined);
}
