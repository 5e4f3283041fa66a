import type { AuthStyle, Dialect, UpstreamSettingsInput } from "./upstreams.ts";

/** A part of a preset's addresses that differs between accounts, such as a region. */
export type PresetPlace = {
  /** The name between braces in the addresses. */
  readonly name: string;
  readonly label: string;
  /** The value that most operators enter; empty if there is none. */
  readonly usual: string;
  /** `word` takes letters, digits and hyphens, `origin` a scheme with a host and an optional port. */
  readonly form: "word" | "origin";
};

export type ProviderPreset = {
  /** Stored with a channel, so it never changes. */
  readonly id: string;
  readonly name: string;
  /** The dialects that the provider speaks; a place between braces is filled in by the operator. */
  readonly dialects: Readonly<Partial<Record<Dialect, { readonly base_url: string; readonly auth: AuthStyle }>>>;
  readonly places: readonly PresetPlace[];
  /** Whether calls need a credential; servers of one's own often take none. */
  readonly needsCredential: boolean;
  readonly flags: NonNullable<UpstreamSettingsInput["flags"]>;
  /**
   * Where the provider lists its models, relative to the address of a dialect; null if it has no list. Without an entry
   * the list is where the dialect has it.
   */
  readonly modelList?: { readonly dialect: Dialect; readonly path: string } | null;
  /** The provider's id in the price data; null if the data has no prices of this provider. */
  readonly priceSource: string | null;
  readonly documentation: string | null;
  /** What an operator should know before calls are sent there. */
  readonly note: string | null;
};

type Row = Partial<Omit<ProviderPreset, "id" | "name" | "dialects">>;

/** One address for chat completions and the Responses API. */
function both(baseUrl: string, auth: AuthStyle = "bearer") {
  return { chat: { base_url: baseUrl, auth }, responses: { base_url: baseUrl, auth } };
}

function chat(baseUrl: string) {
  return { chat: { base_url: baseUrl, auth: "bearer" } } as const;
}

function messages(baseUrl: string, auth: AuthStyle = "bearer") {
  return { messages: { base_url: baseUrl, auth } };
}

function preset(id: string, name: string, dialects: ProviderPreset["dialects"], row: Row = {}): ProviderPreset {
  return {
    ...{ id, name, dialects, places: [], needsCredential: true, flags: {} },
    ...{ priceSource: null, documentation: null, note: null, ...row },
  };
}

function region(usual: string): PresetPlace {
  return { name: "region", label: "Region", usual, form: "word" };
}

/** A server of the operator's own, whose address has no usual host. */
function ownServer(port: number): Row {
  const usual = `http://localhost:${port}`;
  const places: PresetPlace[] = [{ name: "server", label: "Server", usual, form: "origin" }];
  return { places, needsCredential: false, flags: { think_tags: true } };
}

const thinkingBack = { reasoning_back: true } as const;
const thoughtsInTotal = { thoughts_in_total: true } as const;
/** What OpenAI's own models know and most other upstreams refuse. */
const openaiFields: ProviderPreset["flags"] = {
  ...{ token_param: "max_completion_tokens", developer_role: true, cache_key: true, verbosity: true },
};
const plan = "A plan for coding tools. Its terms may not allow you to resell it.";

/** Providers whose addresses, logins and habits are known, in the order in which they are offered. */
export const providerPresets: readonly ProviderPreset[] = [
  preset("openai", "OpenAI", both("https://api.openai.com/v1"), {
    flags: openaiFields,
    priceSource: "openai",
    documentation: "https://platform.openai.com/docs/api-reference",
  }),
  preset("anthropic", "Anthropic", messages("https://api.anthropic.com", "x_api_key"), {
    priceSource: "anthropic",
    documentation: "https://platform.claude.com/docs",
  }),
  preset(
    "gemini",
    "Google Gemini",
    {
      ...chat("https://generativelanguage.googleapis.com/v1beta/openai"),
      gemini: { base_url: "https://generativelanguage.googleapis.com", auth: "x_goog_api_key" },
    },
    {
      flags: thoughtsInTotal,
      modelList: { dialect: "gemini", path: "v1beta/models?pageSize=1000" },
      priceSource: "google",
      documentation: "https://ai.google.dev/gemini-api/docs/openai",
    },
  ),
  preset(
    "vertex",
    "Google Vertex AI",
    {
      chat: {
        base_url:
          "https://{region}-aiplatform.googleapis.com/v1/projects/{project}/locations/{region}/endpoints/openapi",
        auth: "google_service_account",
      },
    },
    {
      places: [region("us-central1"), { name: "project", label: "Project", usual: "", form: "word" }],
      flags: thoughtsInTotal,
      modelList: null,
      priceSource: "google",
      documentation: "https://cloud.google.com/vertex-ai/generative-ai/docs",
      note: "Takes the key file (JSON) of a service account. Models are named google/gemini-... or meta/llama-...",
    },
  ),
  preset(
    "azure-openai",
    "Azure OpenAI",
    {
      ...both("https://{resource}.openai.azure.com/openai/v1", "api_key"),
      ...messages("https://{resource}.services.ai.azure.com/anthropic", "x_api_key"),
    },
    {
      places: [{ name: "resource", label: "Resource", usual: "", form: "word" }],
      flags: openaiFields,
      modelList: null,
      priceSource: "azure",
      documentation: "https://learn.microsoft.com/azure/ai-services/openai/",
      note: "Models are called by the names of your deployments. Enter these names.",
    },
  ),
  preset(
    "bedrock",
    "Amazon Bedrock",
    {
      ...both("https://bedrock-runtime.{region}.amazonaws.com/openai/v1"),
      ...messages("https://bedrock-mantle.{region}.api.aws/anthropic"),
    },
    {
      places: [region("us-east-1")],
      flags: { betas: [] },
      modelList: { dialect: "messages", path: "/v1/models" },
      priceSource: "aws",
      documentation: "https://docs.aws.amazon.com/bedrock/latest/userguide/",
      note: "Takes a Bedrock API key. Beta features of the Messages API are left out, because Bedrock refuses unknown ones.",
    },
  ),
  preset(
    "openrouter",
    "OpenRouter",
    { ...both("https://openrouter.ai/api/v1"), ...messages("https://openrouter.ai/api") },
    {
      modelList: { dialect: "chat", path: "models" },
      priceSource: "openrouter",
      documentation: "https://openrouter.ai/docs",
      note: "The prices are those that its list states.",
    },
  ),
  preset(
    "deepseek",
    "DeepSeek",
    { ...chat("https://api.deepseek.com"), ...messages("https://api.deepseek.com/anthropic", "x_api_key") },
    {
      flags: thinkingBack,
      priceSource: "deepseek",
      documentation: "https://api-docs.deepseek.com",
      note: "Answers Claude names with its own models.",
    },
  ),
  ...moonshot("moonshot", "Moonshot (Kimi)", "https://api.moonshot.ai"),
  ...moonshot("moonshot-cn", "Moonshot (Kimi), China", "https://api.moonshot.cn"),
  preset(
    "kimi-coding",
    "Kimi for Coding",
    { ...chat("https://api.kimi.com/coding/v1"), ...messages("https://api.kimi.com/coding") },
    { flags: thinkingBack, note: `${plan} It may check which client calls.` },
  ),
  ...glm("zai", "Z.ai", "https://api.z.ai"),
  preset(
    "zai-coding",
    "Z.ai Coding Plan",
    {
      ...chat("https://api.z.ai/api/coding/paas/v4"),
      responses: { base_url: "https://api.z.ai/api/v1", auth: "bearer" },
      ...messages("https://api.z.ai/api/anthropic"),
    },
    { note: plan },
  ),
  ...glm("zhipu", "Zhipu (BigModel)", "https://open.bigmodel.cn"),
  ...qwen("qwen", "Qwen (Alibaba Cloud)", "https://dashscope-intl.aliyuncs.com"),
  ...qwen("qwen-cn", "Qwen (Alibaba Cloud), China", "https://dashscope.aliyuncs.com"),
  preset(
    "qwen-coding",
    "Qwen Coding Plan",
    {
      ...chat("https://coding-intl.dashscope.aliyuncs.com/v1"),
      ...messages("https://coding-intl.dashscope.aliyuncs.com/apps/anthropic"),
    },
    { note: plan },
  ),
  ...minimax("minimax", "MiniMax", "https://api.minimax.io"),
  ...minimax("minimax-cn", "MiniMax, China", "https://api.minimaxi.com"),
  preset("mistral", "Mistral", chat("https://api.mistral.ai/v1"), {
    flags: { cache_key: true },
    priceSource: "mistral",
    documentation: "https://docs.mistral.ai",
  }),
  preset("xai", "xAI", both("https://api.x.ai/v1"), {
    flags: { token_param: "max_completion_tokens" },
    priceSource: "x-ai",
    documentation: "https://docs.x.ai",
  }),
  preset("groq", "Groq", both("https://api.groq.com/openai/v1"), {
    flags: { token_param: "max_completion_tokens" },
    priceSource: "groq",
    documentation: "https://console.groq.com/docs",
  }),
  preset("together", "Together", chat("https://api.together.ai/v1"), {
    priceSource: "together",
    documentation: "https://docs.together.ai",
  }),
  preset(
    "fireworks",
    "Fireworks",
    { ...both("https://api.fireworks.ai/inference/v1"), ...messages("https://api.fireworks.ai/inference") },
    { priceSource: "fireworks", documentation: "https://docs.fireworks.ai" },
  ),
  preset(
    "cohere",
    "Cohere",
    {
      ...chat("https://api.cohere.ai/compatibility/v1"),
      cohere: { base_url: "https://api.cohere.com", auth: "bearer" },
    },
    {
      modelList: { dialect: "cohere", path: "v1/models?page_size=1000" },
      priceSource: "cohere",
      documentation: "https://docs.cohere.com",
      note: "Models that rank are called at /v2/rerank and cost search units: set their price per 1,000 searches.",
    },
  ),
  preset("jina", "Jina AI", chat("https://api.jina.ai/v1"), {
    modelList: null,
    documentation: "https://jina.ai/reranker",
    note: "Ranks at /v1/rerank and embeds, both by tokens. Enter names such as jina-reranker-v3.",
  }),
  preset("voyage", "Voyage AI", chat("https://api.voyageai.com/v1"), {
    modelList: null,
    priceSource: "voyageai",
    documentation: "https://docs.voyageai.com",
    note: "Ranks at /v1/rerank and embeds, both by tokens. Enter names such as rerank-2.5.",
  }),
  preset("perplexity", "Perplexity", chat("https://api.perplexity.ai"), {
    modelList: null,
    priceSource: "perplexity",
    documentation: "https://docs.perplexity.ai",
    note: "Charges for every request in addition to its tokens. It has no list of models: enter names such as sonar-pro.",
  }),
  preset(
    "deepinfra",
    "DeepInfra",
    { ...chat("https://api.deepinfra.com/v1/openai"), ...messages("https://api.deepinfra.com/anthropic") },
    { documentation: "https://deepinfra.com/docs" },
  ),
  preset("xiaomi-mimo", "Xiaomi MiMo", {
    ...chat("https://api.xiaomimimo.com/v1"),
    ...messages("https://api.xiaomimimo.com/anthropic"),
  }),
  preset("siliconflow", "SiliconFlow", chat("https://api.siliconflow.com/v1")),
  preset("stepfun", "StepFun", chat("https://api.stepfun.com/v1")),
  preset("cerebras", "Cerebras", chat("https://api.cerebras.ai/v1"), { priceSource: "cerebras" }),
  preset(
    "ollama-cloud",
    "Ollama Cloud",
    { ...both("https://ollama.com/v1"), ...messages("https://ollama.com") },
    { modelList: { dialect: "chat", path: "models" } },
  ),
  preset(
    "ollama",
    "Ollama",
    { ...both("{server}/v1"), ...messages("{server}") },
    {
      ...ownServer(11_434),
      modelList: { dialect: "chat", path: "models" },
      note: "A prompt longer than num_ctx is cut without an error. Set num_ctx to the context window that you sell.",
    },
  ),
  preset(
    "lm-studio",
    "LM Studio",
    { ...both("{server}/v1"), ...messages("{server}") },
    {
      ...ownServer(1234),
      documentation: "https://lmstudio.ai/docs",
    },
  ),
  preset(
    "vllm",
    "vLLM",
    { ...both("{server}/v1"), ...messages("{server}") },
    {
      ...ownServer(8000),
      documentation: "https://docs.vllm.ai",
      note: "Reports cached tokens only with --enable-prompt-tokens-details.",
    },
  ),
];

function moonshot(id: string, name: string, origin: string): ProviderPreset[] {
  const dialects = { ...both(`${origin}/v1`), ...messages(`${origin}/anthropic`) };
  return [preset(id, name, dialects, { flags: { ...thinkingBack, cache_key: true }, priceSource: "moonshotai" })];
}

function glm(id: string, name: string, origin: string): ProviderPreset[] {
  const dialects = { ...chat(`${origin}/api/paas/v4`), ...messages(`${origin}/api/anthropic`) };
  return [preset(id, name, dialects, { priceSource: id === "zhipu" ? "zhipuai" : "zai" })];
}

function qwen(id: string, name: string, origin: string): ProviderPreset[] {
  const dialects = { ...both(`${origin}/compatible-mode/v1`), ...messages(`${origin}/apps/anthropic`) };
  return [preset(id, name, dialects)];
}

function minimax(id: string, name: string, origin: string): ProviderPreset[] {
  return [
    preset(
      id,
      name,
      { ...both(`${origin}/v1`), ...messages(`${origin}/anthropic`) },
      { flags: { think_tags: true }, priceSource: "minimax" },
    ),
  ];
}

/** The preset with this id; null if there is none. */
export function findPreset(id: string | null): ProviderPreset | null {
  return providerPresets.find((entry) => entry.id === id) ?? null;
}
