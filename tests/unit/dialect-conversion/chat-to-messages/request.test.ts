import { describe, expect, test } from "bun:test";
import type { ConversionFlags } from "@sluice/dialect-conversion/model";
import { convertChat, messagesBody, refusedParam } from "../../../support/conversion/chat-to-messages.ts";

type Flags = Partial<ConversionFlags>;

const tool = (name: string, fields: object = {}) => ({ type: "function", function: { name, ...fields } });
const empty = { type: "object", properties: {} };
const withTools = (fields: object) => ({ tools: [tool("f"), tool("g")], ...fields });
const part = (content: object) => ({ messages: [{ role: "user", content: [content] }] });
const partParam = "messages[0].content[0]";

describe("a converted request", () => {
  test("has the upstream's model, a limit, and nothing that was not asked for", () => {
    expect(convertChat({ user: "u", metadata: { a: "b" }, stream_options: {}, stop: null }).body).toEqual({
      model: "claude-upstream",
      max_tokens: 64_000,
      messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
    });
  });

  test.each([
    [{ max_completion_tokens: 10, max_tokens: 20 }, 10],
    [{ max_tokens: 20 }, 20],
    [{ max_tokens: 100_000 }, 64_000],
  ])("is limited by %j to %d tokens", (fields, limit) => {
    expect(messagesBody(fields).max_tokens).toBe(limit);
  });

  test("streams when it is asked to", () => {
    expect(messagesBody({ stream: true }).stream).toBe(true);
    expect(messagesBody({ stream: false }).stream).toBeUndefined();
  });

  test.each([
    ["one", "a", ["a"]],
    ["several", ["a", "\n", "b"], ["a", "b"]],
    ["only blank", [" "], undefined],
  ])("stops at %s sequences", (_what, stop, sequences) => {
    expect(messagesBody({ stop }).stop_sequences).toEqual(sequences);
  });
});

describe("tools", () => {
  test("keep name, description, schema and strictness", () => {
    const parameters = { type: "object", properties: { a: { type: "string" } }, $schema: "x" };
    expect(messagesBody({ tools: [tool("f", { description: "d", parameters, strict: true })] }).tools).toEqual([
      { name: "f", description: "d", input_schema: parameters, strict: true },
    ]);
  });

  test.each([
    ["missing", {}, empty],
    ["null", { parameters: null }, empty],
    ["not of an object", { parameters: { type: "string" } }, empty],
    ["without a type", { parameters: { properties: { a: {} } } }, { type: "object", properties: { a: {} } }],
    ["nullable", { parameters: { type: ["object", "null"], a: 1 } }, { type: "object", a: 1 }],
  ])("with a schema that is %s take an object", (_what, fields, schema) => {
    expect(messagesBody({ tools: [tool("f", fields)] }).tools).toEqual([{ name: "f", input_schema: schema }]);
  });

  test("with names that the upstream refuses get their own back in responses", () => {
    const name = `ns.${"x".repeat(80)}`;
    const converted = convertChat({ tools: [tool(name)], tool_choice: { type: "function", function: { name } } });
    const [sent] = converted.body["tools"] as { name: string }[];
    expect(sent?.name).toMatch(/^[\w-]{1,64}$/);
    expect(converted.body["tool_choice"]).toEqual({ type: "tool", name: sent?.name });
    const block = { type: "tool_use", id: "c", name: sent?.name, input: {} };
    const whole = converted.answers.whole({ content: [block], stop_reason: "tool_use" });
    expect(JSON.stringify(whole)).toContain(`"name":${JSON.stringify(name)}`);
  });

  test.each([
    ["auto", {}, { type: "auto" }],
    ["required", {}, { type: "any" }],
    ["none", { parallel_tool_calls: false }, { type: "none" }],
    [{ type: "function", function: { name: "g" } }, {}, { type: "tool", name: "g" }],
    [undefined, { parallel_tool_calls: false }, { type: "auto", disable_parallel_tool_use: true }],
    ["required", { parallel_tool_calls: false }, { type: "any", disable_parallel_tool_use: true }],
    [undefined, { parallel_tool_calls: true }, undefined],
  ])("are chosen by %j and %j", (choice, fields, converted) => {
    const request = withTools({ ...(choice === undefined ? {} : { tool_choice: choice }), ...fields });
    expect(messagesBody(request, { thinking: "none" }).tool_choice).toEqual(converted);
  });

  test("can be narrowed down to some", () => {
    const allowed = { type: "allowed_tools", allowed_tools: { mode: "required", tools: [tool("g")] } };
    const body = messagesBody(withTools({ tool_choice: allowed }));
    expect(body.tools).toEqual([{ name: "g", input_schema: empty }]);
    expect(body.tool_choice).toEqual({ type: "any" });
  });

  test("may be an empty list", () => {
    const body = messagesBody({ tools: [], tool_choice: "auto", parallel_tool_calls: false });
    expect([body.tools, body.tool_choice]).toEqual([undefined, undefined]);
  });
});

describe("images and files", () => {
  const png = "data:image/PNG;charset=x;base64,AAAA";
  const pdf = { type: "base64", media_type: "application/pdf", data: "JVBERi0x" };
  const file = (data: string, filename?: string) => ({
    type: "file",
    file: { file_data: data, ...(filename === undefined ? {} : { filename }) },
  });

  test.each<[string, object, object]>([
    [
      "an image with data, by the type in its URL",
      { type: "image_url", image_url: { url: png, detail: "low" } },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
    ],
    [
      "an image with an address",
      { type: "image_url", image_url: "HTTPS://x.example/a.gif" },
      { type: "image", source: { type: "url", url: "HTTPS://x.example/a.gif" } },
    ],
    [
      "the other name of a JPEG",
      { type: "image_url", image_url: { url: "data:image/jpg;base64,AA" } },
      { type: "image", source: { type: "base64", media_type: "image/jpeg", data: "AA" } },
    ],
    ["a PDF", file("data:application/pdf;base64,JVBERi0x", "a.pdf"), { type: "document", source: pdf, title: "a.pdf" }],
    ["a PDF without its type", file("JVBERi0x"), { type: "document", source: pdf }],
    [
      "a text",
      file(`data:text/plain;base64,${btoa("T")}`, " "),
      { type: "document", source: { type: "text", media_type: "text/plain", data: "T" } },
    ],
    [
      "an image as a file",
      file(png),
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
    ],
  ])("carry %s", (_what, given, block) => {
    expect(messagesBody(part(given)).messages[0]?.content).toEqual([block]);
  });

  test.each<[string, object, string]>([
    ["another kind of image", { type: "image_url", image_url: { url: "data:image/tiff;base64,A" } }, "image_url.url"],
    ["data that is not base64", { type: "image_url", image_url: { url: "data:image/png,AA" } }, "image_url.url"],
    ["another scheme", { type: "image_url", image_url: { url: "file:///etc/passwd" } }, "image_url.url"],
    ["an uploaded file", { type: "file", file: { file_id: "file-1" } }, "file.file_id"],
    ["a file without data", { type: "file", file: {} }, "file.file_data"],
    ["another kind of file", file("data:application/zip;base64,AA"), "file.file_data"],
    ["a text that is none", file(`data:text/plain;base64,${btoa("\xff")}`), "file.file_data"],
    ["an empty text", file(`data:text/plain;base64,${btoa(" ")}`), "file.file_data"],
  ])("refuse %s", (_what, given, at) => {
    expect(refusedParam(part(given))).toBe(`${partParam}.${at}`);
  });

  test("refuse audio", () => {
    expect(refusedParam(part({ type: "input_audio", input_audio: { data: "A", format: "wav" } }))).toBe(partParam);
  });
});

describe("the output format", () => {
  const schema = { type: "object", properties: {}, additionalProperties: false };

  test("of a schema is the upstream's own", () => {
    const format = { type: "json_schema", json_schema: { name: "n", strict: true, schema } };
    expect(messagesBody({ response_format: format, reasoning_effort: "low" }).output_config).toEqual({
      effort: "low",
      format: { type: "json_schema", schema },
    });
  });

  test("of any JSON object is a line of the prompt", () => {
    const messages = [
      { role: "system", content: "S" },
      { role: "user", content: "hi" },
    ];
    const body = messagesBody({ messages, response_format: { type: "json_object" } });
    expect(body.system).toEqual([
      { type: "text", text: "S" },
      { type: "text", text: expect.stringContaining("JSON object") },
    ]);
    expect(messagesBody({ response_format: { type: "text" } }).system).toBeUndefined();
  });
});

describe("thinking", () => {
  const adaptive = { type: "adaptive", display: "summarized" };
  const off = { type: "disabled" };
  const forced = withTools({ tool_choice: "required" });
  const enabled = (tokens: number) => ({ type: "enabled", budget_tokens: tokens });

  test.each<[Flags["thinking"] & string, object, unknown, unknown]>([
    ["adaptive", {}, undefined, undefined],
    ["adaptive", { reasoning_effort: null }, undefined, undefined],
    ["adaptive", { reasoning_effort: "max" }, adaptive, "max"],
    ["adaptive", { reasoning_effort: "none" }, off, undefined],
    ["adaptive", { reasoning_effort: "minimal" }, off, undefined],
    ["adaptive", { reasoning: { effort: "low" } }, adaptive, "low"],
    ["adaptive", { reasoning: { max_tokens: 5_000 } }, adaptive, "medium"],
    ["adaptive", { reasoning: { enabled: true } }, adaptive, undefined],
    ["adaptive", { reasoning: { enabled: false } }, off, undefined],
    ["adaptive", { thinking: { type: "enabled", budget_tokens: 20_000 } }, adaptive, "high"],
    ["adaptive", { thinking: { type: "disabled" } }, off, undefined],
    ["adaptive", { ...forced, reasoning_effort: "xhigh" }, off, "high"],
    ["adaptive", forced, off, undefined],
    ["always", {}, undefined, undefined],
    ["always", { reasoning_effort: "high" }, adaptive, "high"],
    ["always", { reasoning_effort: "none" }, undefined, "low"],
    ["budget", {}, undefined, undefined],
    ["budget", { reasoning_effort: "low" }, enabled(1_024), undefined],
    ["budget", { reasoning_effort: "medium" }, enabled(4_096), undefined],
    ["budget", { reasoning_effort: "high", max_tokens: 4_000 }, enabled(3_000), undefined],
    ["budget", { reasoning_effort: "high", max_tokens: 1_300 }, undefined, undefined],
    ["budget", { reasoning: { max_tokens: 10 } }, enabled(1_024), undefined],
    ["budget", { reasoning: { max_tokens: 90_000 } }, enabled(48_000), undefined],
    ["budget", { reasoning_effort: "none" }, undefined, undefined],
    ["budget", { ...forced, reasoning_effort: "high" }, undefined, undefined],
    ["none", { reasoning_effort: "high" }, undefined, undefined],
  ])("of a model that thinks %s with %j is %j with effort %j", (thinking, request, field, effort) => {
    const body = messagesBody(request, { thinking });
    expect(body.thinking).toEqual(field);
    expect(body.output_config?.effort).toEqual(effort);
  });

  test("comes before a forced call where it can't be switched off", () => {
    const single = { ...forced, parallel_tool_calls: false };
    const { body, dropped } = convertChat(single, { thinking: "always" });
    expect(body["tool_choice"]).toEqual({ type: "auto", disable_parallel_tool_use: true });
    expect(dropped).toEqual(["tool_choice"]);
    const named = { tools: [tool("f")], tool_choice: { type: "function", function: { name: "f" } } };
    expect(messagesBody(named, { thinking: "always" }).tool_choice).toEqual({ type: "auto" });
  });

  test("by a budget needs the thinking that led to the last calls", () => {
    const details = [{ type: "reasoning.text", text: "t", signature: "s" }];
    const history = (fields: object) => [
      { role: "user", content: "a" },
      { role: "assistant", ...fields, tool_calls: [{ id: "c", type: "function", function: { name: "f" } }] },
      { role: "tool", tool_call_id: "c", content: "r" },
    ];
    const request = { reasoning_effort: "low", tools: [tool("f")] };
    const lost = convertChat({ ...request, messages: history({}) }, { thinking: "budget" });
    expect([lost.body["thinking"], lost.dropped]).toEqual([undefined, ["reasoning_effort"]]);
    const messages = history({ reasoning_details: details });
    expect(messagesBody({ ...request, messages }, { thinking: "budget" }).thinking).toEqual(enabled(1_024));
    expect(messagesBody({ ...request, messages: history({}) }).thinking).toEqual(adaptive);
  });

  test.each<[Flags["thinking"] & string, object]>([
    ["none", { reasoning_effort: "high" }],
    ["budget", { reasoning_effort: "high", max_tokens: 100 }],
    ["adaptive", { ...forced, reasoning_effort: "high" }],
  ])("is named as dropped for a model that thinks %s with %j", (thinking, request) => {
    expect(convertChat(request, { thinking }).dropped).toEqual(["reasoning_effort"]);
  });
});

describe("sampling", () => {
  test.each<[object, Flags, object, string[]]>([
    [{ temperature: 0 }, {}, { temperature: 0 }, []],
    [{ temperature: 1.5 }, {}, { temperature: 1 }, ["temperature"]],
    [{ temperature: 1, top_p: 0.5 }, {}, { top_p: 0.5 }, []],
    [{ temperature: 0.2, top_p: 0.5 }, {}, { temperature: 0.2 }, ["top_p"]],
    [{ temperature: 0.2, top_p: 1 }, {}, { temperature: 0.2 }, []],
    [{ temperature: 0.2, top_p: 0.5 }, { sampling: false }, {}, ["temperature", "top_p"]],
    [{ temperature: 1, top_p: 1 }, { sampling: false }, {}, []],
    [{ temperature: 0.2, reasoning_effort: "low" }, {}, {}, ["temperature"]],
    [{ temperature: 0.2 }, { thinking: "always" }, {}, ["temperature"]],
  ])("%j with %j becomes %j", (request, flags, fields, dropped) => {
    const converted = convertChat(request, flags);
    const { temperature, top_p } = converted.body;
    expect(JSON.parse(JSON.stringify({ temperature, top_p }))).toEqual(fields);
    expect(converted.dropped).toEqual(dropped);
  });
});

describe("what the upstream does not have", () => {
  test("is named", () => {
    const request = {
      ...{
        logprobs: true,
        top_logprobs: 2,
        logit_bias: { a: 1 },
        seed: 1,
        frequency_penalty: 0.1,
        presence_penalty: 1,
      },
      ...{ prediction: {}, audio: {}, modalities: ["text", "audio"], service_tier: "priority", store: true },
      ...{ verbosity: "low", top_k: 4, "bad name\r\n": 1 },
    };
    expect(convertChat(request).dropped).toEqual([
      ...["audio", "frequency_penalty", "logit_bias", "logprobs", "modalities", "prediction", "presence_penalty"],
      ...["seed", "service_tier", "store", "top_k", "top_logprobs", "unknown", "verbosity"],
    ]);
  });

  test("is not named where it asks for nothing", () => {
    const request = {
      ...{ n: 1, logprobs: false, logit_bias: {}, seed: null, frequency_penalty: 0, presence_penalty: 0 },
      ...{ modalities: ["text"], service_tier: "auto", store: false, user: "u", metadata: {}, safety_identifier: "s" },
      ...{ prompt_cache_key: "k", top_logprobs: 0 },
    };
    expect(convertChat(request).dropped).toEqual([]);
  });

  test("names what is lost of messages", () => {
    const messages = [
      { role: "user", name: "Ann", content: "hi" },
      { role: "assistant", audio: { id: "a" } },
    ];
    expect(convertChat({ messages }).dropped).toEqual(["audio", "name"]);
  });
});

describe("a request is refused by its field", () => {
  const message = (fields: unknown) => ({ messages: [fields] });
  const call = (fields: unknown) => message({ role: "assistant", tool_calls: [fields] });
  const deep = JSON.parse(`${'{"a":'.repeat(400)}1${"}".repeat(400)}`) as unknown;

  test.each<[object, string]>([
    [{ messages: null }, "messages"],
    [{ messages: "hi" }, "messages"],
    [message(7), "messages[0]"],
    [message({ content: "x" }), "messages[0].role"],
    [message({ role: "robot", content: "x" }), "messages[0].role"],
    [message({ role: "function", name: "f", content: "x" }), "messages[0].role"],
    [message({ role: "user" }), "messages[0].content"],
    [message({ role: "user", content: 7 }), "messages[0].content"],
    [message({ role: "user", content: [7] }), "messages[0].content[0]"],
    [message({ role: "user", content: [{}] }), "messages[0].content[0].type"],
    [message({ role: "user", content: [{ type: "text" }] }), "messages[0].content[0].text"],
    [message({ role: "user", content: [{ type: "video_url" }] }), "messages[0].content[0].type"],
    [message({ role: "system", content: [{ type: "image_url" }] }), "messages[0].content[0].type"],
    [message({ role: "user", content: "x", cache_control: { type: "x" } }), "messages[0].cache_control.type"],
    [message({ role: "user", content: "x", cache_control: {} }), "messages[0].cache_control.type"],
    [{ cache_control: { type: "ephemeral", ttl: "2h" } }, "cache_control.ttl"],
    [message({ role: "tool", content: "x" }), "messages[0].tool_call_id"],
    [message({ role: "assistant", function_call: {} }), "messages[0].function_call"],
    [message({ role: "assistant", refusal: 7 }), "messages[0].refusal"],
    [message({ role: "assistant", reasoning_details: [7] }), "messages[0].reasoning_details[0]"],
    [message({ role: "assistant", thinking_blocks: [{}] }), "messages[0].thinking_blocks[0].type"],
    [call({}), "messages[0].tool_calls[0].id"],
    [call({ id: "c", type: "custom" }), "messages[0].tool_calls[0].type"],
    [call({ id: "c" }), "messages[0].tool_calls[0].function"],
    [call({ id: "c", function: {} }), "messages[0].tool_calls[0].function.name"],
    [call({ id: "c", function: { name: "f", arguments: 7 } }), "messages[0].tool_calls[0].function.arguments"],
    [{ n: 2 }, "n"],
    [{ n: "1" }, "n"],
    [{ stream: "yes" }, "stream"],
    [{ stream_options: true }, "stream_options"],
    [{ max_tokens: 0 }, "max_tokens"],
    [{ max_tokens: 1.5 }, "max_tokens"],
    [{ max_completion_tokens: "9" }, "max_completion_tokens"],
    [{ temperature: 2.1 }, "temperature"],
    [{ top_p: -1 }, "top_p"],
    [{ stop: 7 }, "stop"],
    [{ stop: ["a", null] }, "stop[1]"],
    [{ reasoning_effort: "much" }, "reasoning_effort"],
    [{ reasoning: { effort: 7 } }, "reasoning.effort"],
    [{ thinking: "on" }, "thinking"],
    [{ web_search_options: {} }, "web_search_options"],
    [{ functions: [] }, "functions"],
    [{ function_call: "auto" }, "function_call"],
    [{ tools: {} }, "tools"],
    [{ tools: [{ type: "custom", custom: {} }] }, "tools[0].type"],
    [{ tools: [{ type: "function" }] }, "tools[0].function"],
    [{ tools: [tool("")] }, "tools[0].function.name"],
    [{ tools: [tool("f"), tool("f")] }, "tools[1].function.name"],
    [{ tools: [tool("f", { parameters: [] })] }, "tools[0].function.parameters"],
    [{ tools: [tool("f", { parameters: deep })] }, "tools[0].function.parameters"],
    [withTools({ tool_choice: "any" }), "tool_choice"],
    [withTools({ tool_choice: 7 }), "tool_choice"],
    [withTools({ tool_choice: {} }), "tool_choice.type"],
    [withTools({ tool_choice: { type: "function" } }), "tool_choice.function"],
    [withTools({ tool_choice: tool("h") }), "tool_choice.function.name"],
    [
      withTools({ tool_choice: { type: "allowed_tools", allowed_tools: { tools: [] } } }),
      "tool_choice.allowed_tools.tools",
    ],
    [{ tool_choice: "required" }, "tool_choice"],
    [withTools({ parallel_tool_calls: 1 }), "parallel_tool_calls"],
    [{ response_format: "json" }, "response_format"],
    [{ response_format: { type: "xml" } }, "response_format.type"],
    [{ response_format: { type: "json_schema" } }, "response_format.json_schema"],
    [{ response_format: { type: "json_schema", json_schema: {} } }, "response_format.json_schema.schema"],
    [{ response_format: { type: "json_schema", json_schema: { schema: deep } } }, "response_format.json_schema.schema"],
  ])("%j", (request, param) => {
    expect(refusedParam(request)).toBe(param);
  });
});
