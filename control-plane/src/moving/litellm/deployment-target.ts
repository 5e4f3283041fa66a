import { composePreset, placeProblems } from "@sluice/contracts/compose-preset";
import { type ProviderPreset, providerPresets } from "@sluice/contracts/provider-presets";
import { type UpstreamSettingsInput, upstreamSettings } from "@sluice/contracts/upstreams";
import type { ChannelTarget } from "../model.ts";
import { textOf } from "../source/read-values.ts";
import type { Deployment } from "./deployment.ts";

/** Providers by the preset that is the same. */
const presetOf: Readonly<Record<string, string>> = {
  ...{ openai: "openai", anthropic: "anthropic", gemini: "gemini", vertex_ai: "vertex", azure: "azure-openai" },
  ...{ bedrock: "bedrock", openrouter: "openrouter", deepseek: "deepseek", mistral: "mistral", xai: "xai" },
  ...{ groq: "groq", together_ai: "together", fireworks_ai: "fireworks", cohere: "cohere", cohere_chat: "cohere" },
  ...{ jina_ai: "jina", voyage: "voyage", perplexity: "perplexity", deepinfra: "deepinfra", cerebras: "cerebras" },
  ...{ ollama: "ollama", ollama_chat: "ollama", lm_studio: "lm-studio", hosted_vllm: "vllm" },
};
/** Servers of any address that speak the OpenAI API. */
const compatible = new Set([
  ...["openai", "openai_like", "custom_openai", "text-completion-openai", "litellm_proxy", "hosted_vllm", "lm_studio"],
  ...["xinference", "llamafile", "moonshot", "volcengine", "dashscope"],
]);
/** A value that is read from the environment of that program. */
const ofEnvironment = /^os\.environ\/(.+)$/;

/** Where a deployment leads here. */
export function targetOfDeployment({ provider, params }: Deployment): ChannelTarget {
  const address = textOf(params["api_base"] ?? params["base_url"])
    .trim()
    .replace(/\/+$/, "");
  const login = credentialOf(params);
  const problem = problemOf(address);
  if (problem !== null) {
    return { upstream: null, problem };
  }
  const preset = providerPresets.find(({ id }) => id === presetOf[provider]);
  const own = preset === undefined ? undefined : ownWays[provider];
  if (preset !== undefined && own !== undefined) {
    return own({ preset, params, address, login });
  }
  if (address !== "" && (compatible.has(provider) || preset !== undefined)) {
    return ownAddress(provider, address, login);
  }
  return preset === undefined || preset.places.length > 0
    ? unknown(provider)
    : made(composePreset(preset, {}), login.credential, login.notes);
}

type Way = {
  readonly preset: ProviderPreset;
  readonly params: Deployment["params"];
  readonly address: string;
  readonly login: Login;
};

/** Providers that are set up in ways of their own. */
const ownWays: Readonly<Record<string, (way: Way) => ChannelTarget>> = {
  azure: ({ preset, address, login }) => azure(preset, address, login),
  bedrock: ({ params }) => bedrock(params),
  vertex_ai: ({ preset, params }) => vertex(preset, params),
  ollama: ({ preset, address, login }) => server(preset, address, login),
  ollama_chat: ({ preset, address, login }) => server(preset, address, login),
};

function problemOf(address: string): string | null {
  if (ofEnvironment.test(address)) {
    return `Its address is in the variable ${nameOf(address)} of that program.`;
  }
  return address === "" || /^https?:\/\//.test(address) ? null : "Its address is not an HTTP address.";
}

type Login = { readonly credential: string; readonly notes: readonly string[] };

const nameOf = (text: string): string => ofEnvironment.exec(text)?.[1] ?? "";

function credentialOf(params: Deployment["params"]): Login {
  const key = textOf(params["api_key"]).trim();
  return ofEnvironment.test(key)
    ? { credential: "", notes: [`Its key is in the variable ${nameOf(key)} of that program. Enter it here.`] }
    : { credential: key, notes: [] };
}

function unknown(provider: string): ChannelTarget {
  const name = provider === "" ? "an unknown provider without an address" : `the provider ${provider}`;
  return { upstream: null, problem: `Models of ${name} can't be called from here. Add a channel for them by hand.` };
}

function made(input: UpstreamSettingsInput, credential: string, notes: readonly string[]): ChannelTarget {
  return { upstream: upstreamSettings.parse(input), credential, notes };
}

/** The address of the messages API is the one before its version, that of all others ends with it. */
function ownAddress(provider: string, address: string, { credential, notes }: Login): ChannelTarget {
  const dialects =
    provider === "anthropic"
      ? ({ messages: { base_url: address, auth: "x_api_key" } } as const)
      : ({ chat: { base_url: address } } as const);
  return made({ dialects }, credential, notes);
}

function azure(preset: ProviderPreset, address: string, { credential, notes }: Login): ChannelTarget {
  if (address === "") {
    return { upstream: null, problem: "It has no address." };
  }
  const entry = { base_url: `${address}/openai/v1`, auth: "api_key" } as const;
  const version =
    "It is called by the version 1 API of Azure, in which names of models are names of deployments: test it.";
  const dialects = { chat: entry, responses: entry };
  return made({ preset: preset.id, dialects, flags: preset.flags }, credential, [...notes, version]);
}

function server(preset: ProviderPreset, address: string, { credential, notes }: Login): ChannelTarget {
  const places = { server: address === "" ? "http://localhost:11434" : address };
  return Object.keys(placeProblems(preset, places)).length > 0
    ? { upstream: null, problem: "Its address has a path, which this provider does not have." }
    : made(composePreset(preset, places), credential, notes);
}

function bedrock(params: Deployment["params"]): ChannelTarget {
  const text = (name: string): string => textOf(params[name]).trim();
  const [access, secret, region] = [text("aws_access_key_id"), text("aws_secret_access_key"), text("aws_region_name")];
  const isKnown = [access, secret, region].every((each) => each !== "" && !ofEnvironment.test(each));
  if (!isKnown || !/^[a-z0-9-]{1,40}$/.test(region)) {
    return { upstream: null, problem: "It has no access key, secret and region of its own." };
  }
  const key = JSON.stringify({ access_key_id: access, secret_access_key: secret, region });
  const address = `https://bedrock-mantle.${region}.api.aws/anthropic`;
  return made({ preset: "bedrock", dialects: { messages: { base_url: address, auth: "aws_sigv4" } } }, key, [
    "Its models have other names at this address: enter the name of each at the ability, and test it.",
  ]);
}

function vertex(preset: ProviderPreset, params: Deployment["params"]): ChannelTarget {
  const given = params["vertex_credentials"];
  const file = typeof given === "object" && given !== null ? JSON.stringify(given) : textOf(given).trim();
  const region = textOf(params["vertex_location"]).trim();
  const project = textOf(params["vertex_project"]).trim();
  if (!file.startsWith("{")) {
    return { upstream: null, problem: "It has no key file of a service account of its own." };
  }
  const places = { region, project };
  return Object.keys(placeProblems(preset, places)).length > 0
    ? { upstream: null, problem: "Its region or project is missing." }
    : made(composePreset(preset, places), file, [
        "Its models are named google/... at this address: enter these names.",
      ]);
}
