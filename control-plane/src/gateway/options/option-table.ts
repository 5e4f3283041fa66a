import type { ErrorCode } from "@sluice/contracts/errors";
import type { SurfaceKind } from "../surfaces.ts";

/** Where an option can occur: in a request, by its dialect, or in an event of a realtime session. */
export type OptionPlace = SurfaceKind | "realtime";

/** A field that changes what a call costs, who answers it, or what of the provider's account it reaches. */
export type Option = {
  /** Null for everywhere. */
  readonly places: readonly OptionPlace[] | null;
  /** The values that change nothing, beside null. */
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

type Rest = { readonly places?: readonly OptionPlace[]; readonly isHarmless?: Option["isHarmless"] };

/** Costs extra at a provider, while a model has no price for it here. */
function unpriced(why: string, { places, isHarmless = never }: Rest = {}): Option {
  return { places: places ?? null, isHarmless, code: "unpriced_option", why };
}

/** Chooses another model, another provider or another account than the catalog does. */
const steering: Option = {
  places: null,
  isHarmless: isEmpty,
  code: "unknown_field",
  why: "It does not choose the model or the provider.",
};

/** Names what lies in the account at the provider, which all users of a channel share. */
function kept(why: string, places: readonly OptionPlace[], isHarmless: Option["isHarmless"] = never): Option {
  return { places, isHarmless, code: "provider_object", why };
}

const search = unpriced("Providers charge extra for searches, which have no price here.", { isHarmless: isOff });
const speed = unpriced("Where and how fast a provider computes changes its price, and only one price is set here.");

const searchFields = [
  ...["web_search_options", "search_parameters", "search_options", "search_settings", "enable_search", "web_search"],
  ...["enable_enhancement", "force_search_enhancement"],
];

const picturesAreCounted = "Set the number of pictures with 'n'.";
/** What `n` is called elsewhere: nothing is set aside for such pictures. */
const pictureCounts = ["num_images", "batch_size", "num_outputs", "num_samples", "samples", "sample_count"];
const pictures = unpriced(picturesAreCounted, { places: ["images"], isHarmless: oneOf(1, "1") });
const hosted = "Tools that the provider runs have no price here.";

const steeringFields = [
  ...["models", "route", "provider", "plugins", "transforms", "preset", "providerOptions"],
  ...["fallbacks", "context_window_fallbacks", "content_policy_fallbacks", "custom_llm_provider", "deployment_id"],
  ...["model_list", "extra_body", "access_programs", "api_base", "base_url", "user_config", "extra_headers", "api_key"],
];

/**
 * The closed list of options that are refused, by field. What is not here either changes nothing of a bill or is counted
 * in it: `n`, `best_of` of a completion, reasoning, cached prompts, tools that the client runs itself.
 */
export const optionTable: ReadonlyMap<string, readonly Option[]> = new Map([
  [
    "service_tier",
    [
      unpriced("Only the service tiers 'auto' and 'default' have a price here.", {
        isHarmless: oneOf("auto", "default"),
      }),
    ],
  ],
  ...searchFields.map((field): [string, Option[]] => [field, [search]]),
  ...pictureCounts.map((field): [string, Option[]] => [field, [pictures]]),
  [
    "sequential_image_generation",
    [unpriced(picturesAreCounted, { places: ["images"], isHarmless: oneOf("disabled") })],
  ],
  ...["speed", "inference_geo", "performance_config"].map((field): [string, Option[]] => [field, [speed]]),
  ["modalities", [unpriced("Only text has a price here.", { places: ["chat"], isHarmless: isTextAlone })]],
  ["audio", [unpriced("Audio output has no separate price here.", { places: ["chat"] })]],
  ["prediction", [unpriced("Rejected prediction tokens have no upper limit here.", { places: ["chat"] })]],
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
  ["svg", [unpriced("Drawing by another model has no price here.", { places: ["images"] })]],
  ["mcp_servers", [unpriced(hosted, { isHarmless: isEmpty })]],
  ["connectors", [unpriced(hosted, { isHarmless: isEmpty })]],
  ["enable_code_interpreter", [unpriced(hosted, { isHarmless: isOff })]],
  ["compound_custom", [unpriced(hosted)]],
  ["safety_model", [unpriced("Moderation by another model has no price here.")]],
  ["container", [unpriced("Providers charge extra for containers, which have no price here.")]],
  ["store", [kept("Completions are not stored here.", ["chat"], isOff)]],
  ["prompt", [kept("Prompts stored at the provider can't be used here.", ["responses", "realtime"])]],
  ["conversation", [kept("Conversations stored at the provider can't be used here.", ["responses"])]],
  [
    "previous_response_id",
    [kept("Earlier responses can't be referenced here. Send their items in 'input'.", ["responses"])],
  ],
  ...steeringFields.map((field): [string, Option[]] => [field, [steering]]),
]);
