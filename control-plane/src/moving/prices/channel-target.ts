import { composePreset } from "@sluice/contracts/compose-preset";
import { type ProviderPreset, providerPresets } from "@sluice/contracts/provider-presets";
import { type UpstreamSettingsInput, upstreamSettings } from "@sluice/contracts/upstreams";
import type { ChannelTarget, RatioProgram } from "../model.ts";

/** What a row of a channel says of its provider. */
export type RawChannel = {
  readonly type: number;
  readonly credential: string;
  readonly baseUrl: string;
  /** Fields whose meaning depends on the type. */
  readonly other: string;
  readonly config: Readonly<Record<string, unknown>> | null;
};

type Made = Exclude<ChannelTarget, { readonly upstream: null }>;

/** What speaks the OpenAI API below the path `/v1` of an address. */
const compatible = "compatible";

/** Types of both programs by the preset that is the same provider. */
const both: Readonly<Record<number, string>> = {
  1: "openai",
  3: "azure-openai",
  6: compatible,
  7: compatible,
  8: compatible,
  14: "anthropic",
  20: "openrouter",
  24: "gemini",
  25: "moonshot",
  31: compatible,
  33: "bedrock",
};
const ofOneApi: Readonly<Record<number, string>> = {
  ...both,
  ...{
    4: compatible,
    28: "mistral",
    29: "groq",
    30: "ollama",
    32: "stepfun",
    35: "cohere",
    36: "deepseek",
    39: "together",
  },
  ...{ 42: "vertex", 44: "siliconflow", 45: "xai", 50: compatible },
};
const ofNewApi: Readonly<Record<number, string>> = {
  ...both,
  ...{ 4: "ollama", 27: "perplexity", 34: "cohere", 40: "siliconflow", 41: "vertex", 42: "mistral", 43: "deepseek" },
  ...{ 47: compatible, 48: "xai" },
};
const providers: Readonly<Record<RatioProgram, Readonly<Record<number, string>>>> = {
  "one-api": ofOneApi,
  "new-api": ofNewApi,
};

/** The type of one-api whose address ends with `/v1` itself, and that of new-api whose address is the whole one. */
const [oneApiWithVersion, custom] = [50, 8];

export function targetOf(channel: RawChannel, program: RatioProgram): ChannelTarget {
  const provider = providers[program][channel.type];
  if (provider === undefined) {
    return { upstream: null, problem: `Channels of type ${channel.type} of ${program} can't be called from here.` };
  }
  if (provider === compatible) {
    return compatibleTarget(channel, program);
  }
  const preset = providerPresets.find(({ id }) => id === provider);
  if (preset === undefined) {
    throw new Error(`the preset ${provider} does not exist`);
  }
  switch (provider) {
    case "azure-openai":
      return azureTarget(channel, preset);
    case "bedrock":
      return bedrockTarget(channel);
    case "vertex":
      return vertexTarget(channel, preset, program);
    case "ollama":
      return made(composePreset(preset, { server: channel.baseUrl || "http://localhost:11434" }), channel.credential);
    default:
      return presetTarget(channel, preset);
  }
}

function made(input: UpstreamSettingsInput, credential: string, notes: readonly string[] = []): Made {
  return { upstream: upstreamSettings.parse(input), credential, notes };
}

function compatibleTarget({ type, baseUrl, credential }: RawChannel, program: RatioProgram): ChannelTarget {
  if (!/^https?:\/\//.test(baseUrl)) {
    return { upstream: null, problem: "It has no address." };
  }
  if (type === custom && program === "new-api") {
    const base = /^(.*)\/chat\/completions$/.exec(baseUrl)?.[1];
    return base === undefined || base.includes("{")
      ? { upstream: null, problem: "Its address does not end with /chat/completions." }
      : made({ dialects: { chat: { base_url: base } } }, credential);
  }
  const address = type === oneApiWithVersion && program === "one-api" ? baseUrl : `${baseUrl}/v1`;
  return made({ dialects: { chat: { base_url: address } } }, credential);
}

/** An address of its own replaces the provider's, in each dialect with the path that the provider has there. */
function presetTarget({ baseUrl, credential }: RawChannel, preset: ProviderPreset): ChannelTarget {
  const usual = composePreset(preset, {});
  if (baseUrl === "") {
    return made(usual, credential);
  }
  if (!/^https?:\/\//.test(baseUrl)) {
    return { upstream: null, problem: "Its address is not an HTTP address." };
  }
  const dialects = Object.entries(usual.dialects).map(([dialect, entry]) => {
    const { pathname } = new URL(entry?.base_url ?? baseUrl);
    return [dialect, { ...entry, base_url: `${baseUrl}${pathname === "/" ? "" : pathname}` }];
  });
  return made({ ...usual, dialects: Object.fromEntries(dialects) }, credential);
}

function azureTarget({ baseUrl, credential }: RawChannel, preset: ProviderPreset): ChannelTarget {
  if (!/^https?:\/\//.test(baseUrl)) {
    return { upstream: null, problem: "It has no address." };
  }
  const entry = { base_url: `${baseUrl}/openai/v1`, auth: "api_key" } as const;
  const notes = [
    "It is called by the version 1 API of Azure, in which names of models are names of deployments: test it.",
  ];
  return made(
    { preset: preset.id, dialects: { chat: entry, responses: entry }, flags: preset.flags },
    credential,
    notes,
  );
}

function bedrockTarget({ credential, config }: RawChannel): ChannelTarget {
  const [ofKey, secretOfKey, regionOfKey] = credential.split("|");
  const text = (name: string): string | undefined =>
    typeof config?.[name] === "string" ? String(config[name]) : undefined;
  const [access, secret, region] = [text("ak") ?? ofKey, text("sk") ?? secretOfKey, text("region") ?? regionOfKey];
  if (!access || !secret || !region || !/^[a-z0-9-]{1,40}$/.test(region)) {
    return { upstream: null, problem: "Its key is not an access key, a secret and a region." };
  }
  const key = JSON.stringify({ access_key_id: access, secret_access_key: secret, region });
  const address = `https://bedrock-mantle.${region}.api.aws/anthropic`;
  const notes = ["Its models have other names at this address: enter the name of each at the ability, and test it."];
  return made({ preset: "bedrock", dialects: { messages: { base_url: address, auth: "aws_sigv4" } } }, key, notes);
}

function vertexTarget(
  { credential, config, other }: RawChannel,
  preset: ProviderPreset,
  program: RatioProgram,
): ChannelTarget {
  const file = program === "one-api" ? String(config?.["vertex_ai_adc"] ?? "") : credential;
  const region = program === "one-api" ? String(config?.["region"] ?? "") : regionOf(other);
  let project = "";
  try {
    project = String((JSON.parse(file) as Record<string, unknown>)["project_id"] ?? "");
  } catch {
    return { upstream: null, problem: "Its key is not the key file of a service account." };
  }
  if (!/^[A-Za-z0-9-]{1,63}$/.test(region) || !/^[A-Za-z0-9-]{1,63}$/.test(project)) {
    return { upstream: null, problem: "Its region or project is missing." };
  }
  const notes = [
    "Regions by model are not moved.",
    "Its models are named google/... at this address: enter these names.",
  ];
  return made(composePreset(preset, { region, project }), file, notes);
}

/** A region, or regions by model; the usual one is then taken. */
function regionOf(other: string): string {
  try {
    const regions = JSON.parse(other) as Record<string, unknown>;
    return typeof regions === "object" ? String(regions["default"] ?? "") : other;
  } catch {
    return other;
  }
}
