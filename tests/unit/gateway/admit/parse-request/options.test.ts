import { describe, expect, test } from "bun:test";
import { parseRequest } from "@sluice/control-plane/gateway/admit/parse-request.ts";
import { findOperation } from "@sluice/control-plane/gateway/operations/table.ts";
import { AppError } from "@sluice/control-plane/platform/errors.ts";

const messages = [{ role: "user", content: "hi" }];
const chatPath = "/v1/chat/completions";
const responsesPath = "/v1/responses";

function parseText(path: string, text: string) {
  return parseRequest(Buffer.from(text), "application/json", findOperation(path));
}

function refusalOf(path: string, body: object | string): string {
  try {
    parseText(path, typeof body === "string" ? body : JSON.stringify({ model: "m", ...body }));
  } catch (error) {
    if (error instanceof AppError) {
      return `${error.code} ${error.param}`;
    }
    throw error;
  }
  return "nothing was thrown";
}

const chat = (body: object) => refusalOf(chatPath, { messages, ...body });
const respond = (body: object) => refusalOf(responsesPath, { input: "hi", ...body });
const withPart = (part: object) => ({ messages: [{ role: "user", content: [part] }] });
const withItem = (item: unknown) => ({ input: [{ role: "user", content: "x" }, item] });

describe("an option that costs extra is refused, with its name", () => {
  test.each([
    [{ service_tier: "priority" }, "service_tier"],
    [{ service_tier: "flex" }, "service_tier"],
    [{ service_tier: ["priority"] }, "service_tier"],
    [{ web_search_options: {} }, "web_search_options"],
    [{ search_parameters: { mode: "on" } }, "search_parameters"],
    [{ enable_search: true }, "enable_search"],
    [{ web_search: { enable: true } }, "web_search"],
    [{ enable_enhancement: true }, "enable_enhancement"],
    [{ force_search_enhancement: true }, "force_search_enhancement"],
    [{ connectors: [{ id: "web-search" }] }, "connectors"],
    [{ enable_code_interpreter: true }, "enable_code_interpreter"],
    [{ compound_custom: { tools: { enabled_tools: ["web_search"] } } }, "compound_custom"],
    [{ safety_model: "dear" }, "safety_model"],
    [{ modalities: ["text", "audio"] }, "modalities"],
    [{ modalities: "audio" }, "modalities"],
    [{ audio: { voice: "alloy", format: "wav" } }, "audio"],
    [{ prediction: { type: "content", content: "x" } }, "prediction"],
    [{ speculation: "x" }, "speculation"],
    [{ chat_template: "{{ 'x' * 100000 }}" }, "chat_template"],
    [{ num_return_sequences: 5 }, "num_return_sequences"],
    [{ num_generations: 5 }, "num_generations"],
    [{ num_completions: 5 }, "num_completions"],
    [{ candidate_count: 5 }, "candidate_count"],
    [{ candidateCount: 5 }, "candidateCount"],
    [{ priority: -1 }, "priority"],
    [{ performanceConfig: { latency: "optimized" } }, "performanceConfig"],
    [{ data_sources: [{ type: "azure_search" }] }, "data_sources"],
    [{ dataSources: [{ type: "azure_search" }] }, "dataSources"],
    [{ enhancements: { ocr: { enabled: true } } }, "enhancements"],
    [{ anthropic_beta: ["context-1m-2025-08-07"] }, "anthropic_beta"],
    [{ betas: ["context-1m-2025-08-07"] }, "betas"],
    [{ best_of: 5 }, "best_of"],
    [{ deferred: true }, "deferred"],
    [{ moderation: { model: "omni-moderation-latest" } }, "moderation"],
    [{ speed: "fast" }, "speed"],
    [{ mcp_servers: [{ url: "https://example.com" }] }, "mcp_servers"],
    [{ tools: [{ type: "function", function: { name: "f" } }, { type: "web_search" }] }, "tools[1].type"],
    [{ tools: [{ googleSearch: {} }] }, "tools[0].googleSearch"],
    [{ tools: [{ type: ["function"], retrieval: {} }] }, "tools[0].retrieval"],
    [withPart({ type: "input_audio", input_audio: { data: "AA", format: "wav" } }), "messages[0].content[0]"],
  ])("in a chat: %j", (body, param) => {
    expect(chat(body)).toBe(`unpriced_option ${param}`);
  });

  test.each([
    ...["web_search", "web_search_preview", "file_search", "code_interpreter", "image_generation", "mcp"],
    ...["computer", "computer_use_preview", "programmatic_tool_calling", "something_new"],
  ])("the tool %s, alone", (type) => {
    expect(respond({ tools: [{ type }] })).toBe("unpriced_option tools[0].type");
    expect(respond({ tools: [{ type: "namespace", name: "n", tools: [{ type }] }] })).toMatch(
      /^unpriced_option tools\[0\]/,
    );
    const item = { type: "additional_tools", role: "developer", tools: [{ type }] };
    expect(respond(withItem(item))).toBe("unpriced_option input[1].tools[0].type");
  });

  test("a tool that can be run on either side, on the side of the provider", () => {
    expect(respond({ tools: [{ type: "shell", environment: { type: "container_auto" } }] })).toBe(
      "unpriced_option tools[0].type",
    );
    expect(respond({ tools: [{ type: "shell" }] })).toBe("unpriced_option tools[0].type");
    expect(respond({ tools: [{ type: "tool_search" }] })).toBe("unpriced_option tools[0].type");
  });

  test("pictures drawn by a further model, and sound in a response", () => {
    expect(refusalOf("/v1/images/generations", { prompt: "x", svg: { model: "dear" } })).toBe("unpriced_option svg");
    expect(respond(withItem({ role: "user", content: [{ type: "input_audio", data: "AA" }] }))).toBe(
      "unpriced_option input[1]",
    );
  });
});

test.each([
  ...["num_images", "batch_size", "num_outputs", "num_samples", "samples", "sample_count"].map((name) => [name, 4]),
  ["sequential_image_generation", "auto"],
])("more pictures than are set aside are not asked for by %s", (name, value) => {
  const draw = (body: object) => refusalOf("/v1/images/generations", { prompt: "x", ...body });
  expect(draw({ [name]: value })).toBe(`unpriced_option ${name}`);
});

describe("a field that steers to another model or provider is refused", () => {
  test.each([
    ...["models", "route", "provider", "plugins", "transforms", "preset", "providerOptions", "fallbacks"],
    ...["custom_llm_provider", "extra_body", "api_base", "base_url", "user_config", "extra_headers", "api_key"],
    ...["provider_options", "context_window_fallbacks", "content_policy_fallbacks", "deployment_id", "model_list"],
    ...[
      "deployment",
      "engine",
      "agent_id",
      "tags",
      "headers",
      "extra_query",
      "api_version",
      "api_type",
      "organization",
    ],
    ...[
      "region_name",
      "allowed_model_region",
      "base_model",
      "model_info",
      "num_retries",
      "max_retries",
      "retry_policy",
    ],
    ...["drop_params", "additional_drop_params", "input_cost_per_token", "output_cost_per_token", "guardrails"],
    ...["google", "generation_config", "generationConfig", "sampling_params", "inferenceConfig", "access_programs"],
    ...["additional_model_request_fields", "additionalModelRequestFields", "lora_path", "lora_request", "adapter_id"],
    ...["adapter_source", "session_params", "kv_transfer_params", "bootstrap_host", "bootstrap_port", "bootstrap_room"],
    // By how they begin, in any letters.
    ...["litellm_params", "LiteLLM_metadata", "mock_response", "mock_tool_calls", "vertex_project", "vertexLocation"],
    ...["aws_region_name", "AWS_access_key_id", "azure_ad_token", "bedrock_x", "sagemaker_x", "watsonx_url"],
  ])("%s, on every path", (field) => {
    expect(chat({ [field]: { order: ["dear"] } })).toBe(`unknown_field ${field}`);
    expect(respond({ [field]: "x" })).toBe(`unknown_field ${field}`);
    expect(refusalOf("/v1/embeddings", { input: "x", [field]: ["x"] })).toBe(`unknown_field ${field}`);
  });

  test("in a form, too", () => {
    for (const [name, code] of [
      ["mock_response", "unknown_field"],
      ["cached_content", "provider_object"],
    ]) {
      const part = (key: string, value: string) =>
        `--b\r\ncontent-disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`;
      const form = `${part("model", "m")}${part(name as string, "x")}--b--\r\n`;
      const operation = findOperation("/v1/audio/transcriptions");
      let thrown: unknown = null;
      try {
        parseRequest(Buffer.from(form), "multipart/form-data; boundary=b", operation);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toMatchObject({ code, param: name });
    }
  });
});

describe("what lies in the provider's account can't be named", () => {
  test.each([
    [{ previous_response_id: "resp_1" }, "previous_response_id"],
    [{ conversation: "conv_1" }, "conversation"],
    [{ conversation: { id: "conv_1" } }, "conversation"],
    [{ prompt: { id: "pmpt_1" } }, "prompt"],
    [{ cached_content: "cachedContents/1" }, "cached_content"],
    [{ cachedContent: "cachedContents/1" }, "cachedContent"],
    [{ tool_resources: { file_search: { vector_store_ids: ["v"] } } }, "tool_resources"],
    [{ attachments: [{ file_id: "file-1" }] }, "attachments"],
    [{ file_id: "file-1" }, "file_id"],
    [{ file_ids: ["file-1"] }, "file_ids"],
    [{ vector_store_ids: ["v"] }, "vector_store_ids"],
    [withItem({ type: "item_reference", id: "msg_1" }), "input[1]"],
    [withItem({ id: "msg_1" }), "input[1]"],
    [withItem({ type: null, id: "msg_1" }), "input[1]"],
    [withItem({ role: "user", content: [{ type: "input_file", file_id: "file-1" }] }), "input[1].file_id"],
    [withItem({ role: "user", content: [{ type: "input_image", file_id: "file-1" }] }), "input[1].file_id"],
    [
      withItem({ type: "computer_call_output", call_id: "c", output: { type: "computer_screenshot", file_id: "f" } }),
      "input[1].file_id",
    ],
  ])("in a response: %j", (body, param) => {
    expect(respond(body)).toBe(`provider_object ${param}`);
  });

  test("in a chat", () => {
    expect(chat({ store: true })).toBe("provider_object store");
    expect(chat(withPart({ type: "file", file: { file_id: "file-1" } }))).toBe(
      "provider_object messages[0].content[0].file.file_id",
    );
    for (const part of [
      { type: "document", source: { type: "file", file_id: "file-1" } },
      { type: "image_file", image_file: { file_id: "file-1" } },
      { type: "text", text: "x", more: [{ file_id: "file-1" }] },
    ]) {
      expect(chat(withPart(part))).toBe("provider_object messages[0].content[0].file_id");
    }
    const spoken = { role: "assistant", audio: { id: "audio_1" } };
    expect(chat({ messages: [...messages, spoken, ...messages] })).toBe("provider_object messages[1].audio");
  });
});

describe("a field under almost the name of another one is refused", () => {
  test.each([
    ...[
      "Model",
      "MODEL",
      "Max_Tokens",
      "N",
      "ſtream",
      "model ",
      " model",
      "m\u006fdel\u0000",
      "maxTokens",
      "max-tokens",
    ],
    ...[
      "Service_Tier",
      "serviceTier",
      "ſervice_tier",
      "webSearchOptions",
      "Provider",
      "BEST_OF",
      "ｍodel",
      "Tools",
      "prediCtion",
    ],
  ])("%j", (name) => {
    expect(chat({ [name]: "x" })).toBe(`unknown_field ${name}`);
  });

  test("with the sign for degrees Kelvin, which is a k to some", () => {
    expect(respond({ bac\u{212a}ground: true })).toBe("unknown_field bac\u{212a}ground");
  });

  test("in a message, a part, a tool and an item", () => {
    expect(chat({ messages: [{ role: "user", content: "x", Content: "y" }] })).toBe(
      "unknown_field messages[0].Content",
    );
    expect(chat(withPart({ type: "text", text: "x", Type: "input_audio" }))).toBe(
      "unknown_field messages[0].content[0].Type",
    );
    expect(chat({ tools: [{ type: "function", Type: "web_search" }] })).toBe("unknown_field tools[0].Type");
    expect(respond(withItem({ type: "message", role: "user", content: [], File_ID: "f" }))).toBe(
      "unknown_field input[1].File_ID",
    );
  });

  test("in what a stream is asked to tell of its usage", () => {
    const options = { include_usage: true, Include_Usage: false };
    expect(chat({ stream: true, stream_options: options })).toBe("unknown_field stream_options.Include_Usage");
  });

  test("also where its letters are escaped", () => {
    expect(refusalOf(chatPath, '{"model":"m","messages":[],"\\u004dodel":"dear"}')).toBe("unknown_field Model");
  });
});

test("a field may not occur twice, at any depth", () => {
  const twice = [
    '{"model":"m","messages":[{"role":"user","content":"x","content":[{"type":"input_audio"}]}]}',
    '{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"type":"web_search","type":"function"}]}',
    '{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"type":"web_search","ty\\u0070e":"function"}]}',
  ];
  for (const text of twice) {
    expect(refusalOf(chatPath, text)).toBe("invalid_json null");
  }
});

describe("what clients send by themselves goes on as it came", () => {
  test.each([
    { service_tier: null, store: false, parallel_tool_calls: true, modalities: ["text"], audio: null, n: 1 },
    { service_tier: "auto", reasoning_effort: "low", verbosity: "low", prompt_cache_key: "k", metadata: { a: "b" } },
    { service_tier: "default", user: "u", safety_identifier: "s", seed: 1, logprobs: true, top_logprobs: 2 },
    { response_format: { type: "json_schema", json_schema: { name: "Model", schema: { type: "object", Type: 1 } } } },
    { tools: [{ type: "function", function: { name: "N", parameters: { properties: { Model: {}, Type: {} } } } }] },
    { tools: [{ type: "custom", custom: { name: "c" } }], tool_choice: "required", functions: [{ name: "f" }] },
    { tools: [], plugins: [], models: null, web_search_options: null, best_of: 1, usage: { include: true } },
    { thinking: { type: "enabled" }, top_k: 5, min_p: 0.1, chat_template_kwargs: { enable_thinking: false } },
  ])("in a chat: %j", (body) => {
    const text = JSON.stringify({ model: "m", messages, ...body });
    expect(parseText(chatPath, text).body).toEqual(Buffer.from(text));
  });

  test("in a response, as the SDK, agents and Codex send it", () => {
    const codex = {
      ...{ model: "m", tool_choice: "auto", parallel_tool_calls: true, store: false, stream: true },
      input: [
        { type: "message", role: "developer", content: [{ type: "input_text", text: "x" }], id: "msg_1" },
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "AAAA" },
        { type: "function_call", id: "fc_1", call_id: "c", name: "f", arguments: '{"Type":"x"}' },
        { type: "function_call_output", call_id: "c", output: "x" },
        { type: "tool_search_output", call_id: "t", execution: "client", tools: [{ type: "function", name: "g" }] },
      ],
      include: ["reasoning.encrypted_content"],
      ...{
        prompt_cache_key: "k",
        reasoning: { effort: "low" },
        text: { verbosity: "low" },
        client_metadata: { a: "b" },
      },
      tools: [
        { type: "function", name: "f", strict: false, parameters: { type: "object", properties: { Type: {} } } },
        { type: "custom", name: "apply_patch", format: { type: "grammar", syntax: "lark", definition: "x" } },
        { type: "namespace", name: "multi_agent_v1", tools: [{ type: "function", name: "wait" }] },
        { type: "tool_search", execution: "client" },
        { type: "local_shell" },
        { type: "shell", environment: { type: "local" } },
      ],
    };
    const text = JSON.stringify(codex, null, 1);
    expect(parseText(responsesPath, text)).toMatchObject({ body: Buffer.from(text), dropped: null });
    const plain = JSON.stringify({ model: "m", input: "hi", truncation: "disabled", background: false, prompt: null });
    expect(parseText(responsesPath, plain).body).toEqual(Buffer.from(plain));
  });

  test("on the other paths", () => {
    for (const [path, body] of [
      ["/v1/completions", { prompt: ["a", "b"], best_of: 2, n: 2 }],
      ["/v1/images/generations", { prompt: "x", moderation: "low", background: "transparent", quality: "high" }],
      ["/v1/audio/speech", { input: "x", voice: "alloy", speed: null, instructions: "slowly" }],
      ["/v1/embeddings", { input: ["x"], dimensions: 3, encoding_format: "base64" }],
    ] as const) {
      expect([path, refusalOf(path, body)]).toEqual([path, "nothing was thrown"]);
    }
  });
});

describe("a search that a response may do or not", () => {
  const own = '{ "type":"function", "name":"a,]}\\"", "parameters":{"x":[1.0,[2]]} }';
  const search = '{"type":"web_search","external_web_access":false}';
  const request = (tools: string, rest = "") => `{"model":"m","input":"hi","tools":${tools}${rest}}`;

  test.each([
    [`[${own},${search}]`, `[${own}]`],
    [`[ ${search} , ${own} , ${search} ]`, `[ ${own} ]`],
    [`[${own},${search},${own}]`, `[${own},${own}]`],
  ])("is taken out, and all else stays: %s", (tools, left) => {
    const parsed = parseText(responsesPath, request(tools, ', "tool_choice":"auto"'));
    expect(Buffer.from(parsed.body).toString()).toBe(request(left, ', "tool_choice":"auto"'));
    expect(parsed).toMatchObject({ dropped: "web_search", bounds: { inputTokensMax: expect.any(Number) } });
  });

  test("is refused where the client counts on it", () => {
    for (const text of [
      request(`[${search}]`),
      request(`[${own},${search}]`, ',"tool_choice":"required"'),
      request(`[${own},${search}]`, ',"tool_choice":{"type":"web_search"}'),
    ]) {
      expect(refusalOf(responsesPath, text)).toMatch(/^unpriced_option tools\[\d\]\.type$/);
    }
  });
});

describe("pictures", () => {
  const option = (body: object) =>
    parseText("/v1/images/generations", JSON.stringify({ model: "m", prompt: "x", ...body })).pictureOption;

  test.each([
    [{}, null],
    [{ size: "1024x1024", quality: "standard" }, null],
    [{ size: "256x256", quality: "auto" }, null],
    [{ size: "auto", quality: "low", input_fidelity: null, partial_images: 0 }, null],
    [{ quality: "hd" }, "quality"],
    [{ quality: "high" }, "quality"],
    [{ size: "1792x1024" }, "size"],
    [{ size: "4K" }, "size"],
    [{ size: 1024 }, "size"],
    [{ image_size: "4096x4096" }, "image_size"],
    [{ resolution: "2k" }, "resolution"],
    [{ width: 2048, height: 512 }, "width"],
    [{ width: 1024, height: 1024, resolution: "1k" }, null],
    [{ partial_images: 3 }, "partial_images"],
    [{ input_fidelity: "high" }, "input_fidelity"],
  ])("say what makes them dearer than their price: %j", (body, expected) => {
    expect(option(body)).toBe(expected);
  });
});
