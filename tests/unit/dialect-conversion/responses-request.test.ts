import { describe, expect, test } from "bun:test";
import { asking, bodyOf, convert, messagesOf, refusedFor } from "../../support/conversion/responses-calls.ts";

const text = (value: string) => ({ type: "input_text", text: value });
const user = (content: unknown) => ({ type: "message", role: "user", content });
const call = (id: string, name = "run", args = "{}") => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: args,
});
const output = (id: string, value: unknown = "done") => ({ type: "function_call_output", call_id: id, output: value });
const chatCall = (id: string, name = "run", args = "{}") => ({
  id,
  type: "function",
  function: { name, arguments: args },
});

describe("the input", () => {
  test("may be a text alone", () => {
    expect(messagesOf("Hi")).toEqual([{ role: "user", content: "Hi" }]);
  });

  test("follows the instructions", () => {
    expect(bodyOf(asking({ instructions: "Be brief." }))["messages"]).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
    ]);
  });

  test("keeps the role developer where the upstream has it", () => {
    const input = [{ type: "message", role: "developer", content: [text("A"), text("B")] }, user("Hi")];
    expect(messagesOf(input)).toEqual([
      { role: "system", content: "A\n\nB" },
      { role: "user", content: "Hi" },
    ]);
    expect(messagesOf(input, { flags: { developerRole: true } })).toEqual([
      { role: "developer", content: "A\n\nB" },
      { role: "user", content: "Hi" },
    ]);
  });

  test("may have messages without a type", () => {
    expect(messagesOf([{ role: "user", content: "Hi" }])).toEqual([{ role: "user", content: "Hi" }]);
  });

  test("has images and files as chat completions have them", () => {
    const url = "data:image/png;base64,AAAA";
    const content = [
      text("Look"),
      { type: "input_image", image_url: url, detail: "low" },
      { type: "input_image", image_url: "https://example.com/a.png", detail: "original" },
      { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" },
    ];
    expect(messagesOf([user(content)])).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "Look" },
          { type: "image_url", image_url: { url, detail: "low" } },
          { type: "image_url", image_url: { url: "https://example.com/a.png" } },
          { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" } },
        ],
      },
    ]);
  });

  test("joins what the model said and called into one turn", () => {
    const input = [
      user("Hi"),
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Wait.", annotations: [] }] },
      call("a"),
      call("b", "walk", '{"to":1}'),
      output("a"),
      output("b", "there"),
      { type: "message", role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
    ];
    expect(messagesOf(input)).toEqual([
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Wait.", tool_calls: [chatCall("a"), chatCall("b", "walk", '{"to":1}')] },
      { role: "tool", tool_call_id: "a", content: "done" },
      { role: "tool", tool_call_id: "b", content: "there" },
      { role: "assistant", content: "No." },
    ]);
  });

  test("has outputs right after their calls, wherever the client put them", () => {
    expect(messagesOf([call("a"), user("Also"), call("b"), output("b", "2"), output("a", "1")])).toEqual([
      { role: "assistant", content: null, tool_calls: [chatCall("a")] },
      { role: "tool", tool_call_id: "a", content: "1" },
      { role: "user", content: "Also" },
      { role: "assistant", content: null, tool_calls: [chatCall("b")] },
      { role: "tool", tool_call_id: "b", content: "2" },
    ]);
  });

  test("may repeat an id in a later turn", () => {
    const input = [call("a"), output("a", "1"), user("Again"), call("a"), output("a", "2")];
    expect(messagesOf(input)).toMatchObject([
      {},
      { role: "tool", content: "1" },
      { role: "user" },
      {},
      { role: "tool", content: "2" },
    ]);
  });

  test("moves images of outputs into a user message after all outputs", () => {
    const picture = { type: "input_image", image_url: "data:image/png;base64,AAAA" };
    const input = [
      call("a"),
      call("b"),
      output("a", [text("One"), picture]),
      output("b", [text("Two"), text("Three")]),
    ];
    expect(messagesOf(input)).toEqual([
      { role: "assistant", content: null, tool_calls: [chatCall("a"), chatCall("b")] },
      { role: "tool", tool_call_id: "a", content: "One\n[image attached in the next user message]" },
      { role: "tool", tool_call_id: "b", content: "Two\nThree" },
      {
        role: "user",
        content: [
          { type: "text", text: "Attachments of the output of tool call a:" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
        ],
      },
    ]);
  });

  test("gives reasoning back with the turn that follows it, where the upstream wants it", () => {
    const summary = [{ type: "summary_text", text: "Short" }];
    const input = [
      user("Hi"),
      { type: "reasoning", id: "rs_1", summary, content: null, encrypted_content: "x" },
      call("a"),
      output("a"),
      { type: "reasoning", id: "rs_2", summary, content: [{ type: "reasoning_text", text: "Long" }] },
      { role: "assistant", content: "Yes" },
      { type: "reasoning", id: "rs_3", summary },
      user("And?"),
    ];
    expect(messagesOf(input, { flags: { reasoningBack: true } })).toEqual([
      { role: "user", content: "Hi" },
      { role: "assistant", content: null, reasoning_content: "Short", tool_calls: [chatCall("a")] },
      { role: "tool", tool_call_id: "a", content: "done" },
      { role: "assistant", content: "Yes", reasoning_content: "Long" },
      { role: "user", content: "And?" },
    ]);
    expect(JSON.stringify(messagesOf(input))).not.toContain("reasoning");
  });

  test("has messages of other agents as a user's, with their name", () => {
    const input = [{ type: "agent_message", author: "/root/a", recipient: "/root", content: [text("Done.")] }];
    expect(messagesOf(input)).toEqual([{ role: "user", content: "Message from agent /root/a:\nDone." }]);
  });

  test("omits what a provider ran, and names it", () => {
    const { body, dropped } = convert({ input: [{ type: "web_search_call", id: "ws_1" }, user("Hi")] });
    expect(body["messages"]).toEqual([{ role: "user", content: "Hi" }]);
    expect(dropped).toEqual(["web_search_call"]);
  });

  test("sends an empty list of arguments as an object", () => {
    expect(messagesOf([call("a", "run", ""), output("a")])).toMatchObject([{ tool_calls: [chatCall("a")] }, {}]);
  });
});

describe("the settings", () => {
  test("keep their meaning", () => {
    const format = { type: "json_schema", name: "n", schema: { type: "object" }, strict: true };
    const request = asking({
      max_output_tokens: 99,
      temperature: 0.5,
      top_p: 0.9,
      reasoning: { effort: "high", summary: "auto" },
      text: { format, verbosity: "low" },
      prompt_cache_key: "k",
      stream: true,
    });
    expect(bodyOf(request, { flags: { cacheKey: true, verbosity: true } })).toEqual({
      model: "vendor/model",
      messages: [{ role: "user", content: "Hi" }],
      max_tokens: 99,
      temperature: 0.5,
      top_p: 0.9,
      reasoning_effort: "high",
      verbosity: "low",
      response_format: {
        type: "json_schema",
        json_schema: { name: "n", schema: { type: "object" }, strict: true },
      },
      prompt_cache_key: "k",
      stream: true,
    });
  });

  test("omit what most upstreams refuse, and name it if it matters", () => {
    const { body, dropped } = convert(asking({ text: { verbosity: "low" }, prompt_cache_key: "k" }));
    expect(Object.keys(body)).toEqual(["model", "messages"]);
    expect(dropped).toEqual(["text.verbosity"]);
    expect(convert(asking({ text: { verbosity: "medium" } })).dropped).toEqual([]);
  });

  test("use the upstream's name of the limit", () => {
    const body = bodyOf(asking({ max_output_tokens: 9 }), { flags: { tokenParam: "max_completion_tokens" } });
    expect(body).toMatchObject({ max_completion_tokens: 9 });
    expect(body).not.toHaveProperty("max_tokens");
  });

  test("know JSON without a schema, and plain text", () => {
    expect(bodyOf(asking({ text: { format: { type: "json_object" } } }))).toHaveProperty("response_format", {
      type: "json_object",
    });
    expect(bodyOf(asking({ text: { format: { type: "text" } } }))).not.toHaveProperty("response_format");
  });

  test("that change nothing here are left out without a word", () => {
    const request = asking({
      ...{
        store: true,
        include: ["reasoning.encrypted_content"],
        metadata: { a: "b" },
        user: "u",
        truncation: "disabled",
      },
      ...{ client_metadata: { a: "b" }, service_tier: "auto", background: false, previous_response_id: null },
    });
    const { body, dropped } = convert(request);
    expect(Object.keys(body)).toEqual(["model", "messages"]);
    expect(dropped).toEqual([]);
  });

  test("that are lost are named", () => {
    const request = asking({ top_logprobs: 3, truncation: "auto", seed: 1, "bad\r\nname": 1 });
    expect(convert(request).dropped).toEqual(["top_logprobs", "truncation", "seed", "unknown"]);
  });
});

const parts = (content: unknown) => ({ input: [user(content)] });

test.each<[string, unknown, string | null]>([
  ["is not an object", 1, null],
  ["has no input", { model: "model" }, "input"],
  ["has an empty input", { input: [] }, "input"],
  ["has an input that is a number", { input: 3 }, "input"],
  ["has an item that is a text", { input: ["a"] }, "input[0]"],
  ["continues a stored response", asking({ previous_response_id: "resp_1" }), "previous_response_id"],
  ["continues a stored conversation", asking({ conversation: "conv_1" }), "conversation"],
  ["uses a stored prompt", asking({ prompt: { id: "p" } }), "prompt"],
  ["asks for work in the background", asking({ background: true }), "background"],
  ["refers to a stored item", { input: [{ type: "item_reference", id: "msg_1" }] }, "input[0]"],
  ["refers to a stored item without a type", { input: [{ id: "msg_1" }] }, "input[0]"],
  ["has a compaction", { input: [{ type: "compaction", encrypted_content: "x" }] }, "input[0]"],
  ["has an item of a tool without counterpart", { input: [{ type: "computer_call" }] }, "input[0]"],
  ["has a role that is not known", { input: [{ role: "tool", content: "x" }] }, "input[0].role"],
  ["has no content", { input: [{ role: "user" }] }, "input[0].content"],
  ["has a part that is a text", parts(["x"]), "input[0].content[0]"],
  ["has a part of another type", parts([{ type: "input_video" }]), "input[0].content[0].type"],
  ["has a stored picture", parts([{ type: "input_image", file_id: "f" }]), "input[0].content[0].file_id"],
  ["has a stored file", parts([{ type: "input_file", file_id: "f" }]), "input[0].content[0].file_id"],
  ["has a file to load", parts([{ type: "input_file", file_url: "https://a" }]), "input[0].content[0].file_url"],
  [
    "has a picture for the system",
    { input: [{ role: "system", content: [{ type: "input_image" }] }] },
    "input[0].content[0].type",
  ],
  ["has arguments that are an object", { input: [{ ...call("a"), arguments: {} }] }, "input[0].arguments"],
  ["has a call without id", { input: [{ ...call("a"), call_id: null }] }, "input[0].call_id"],
  ["has a call without output", { input: [call("a")] }, "input"],
  ["has an output without call", { input: [user("Hi"), output("a")] }, "input[1].call_id"],
  ["has an output of two for one call", { input: [call("a"), output("a"), output("a")] }, "input[2].call_id"],
  ["has an output that is a number", { input: [call("a"), output("a", 5)] }, "input[1].output"],
  ["has instructions that are a list", asking({ instructions: [] }), "instructions"],
  ["has a limit of zero", asking({ max_output_tokens: 0 }), "max_output_tokens"],
  ["has a temperature that is a text", asking({ temperature: "1" }), "temperature"],
  ["has a format that is not known", asking({ text: { format: { type: "xml" } } }), "text.format.type"],
  [
    "has a format without schema",
    asking({ text: { format: { type: "json_schema", name: "n" } } }),
    "text.format.schema",
  ],
  ["has an effort that is a number", asking({ reasoning: { effort: 1 } }), "reasoning.effort"],
  ["includes a number", asking({ include: [1] }), "include[0]"],
  ["has metadata that is a text", asking({ metadata: "x" }), "metadata"],
])("a request is refused by its field when it %s", (_what, request, param) => {
  expect(refusedFor(request)).toBe(param);
});

test("a request that is nested too deeply is refused at once", () => {
  const nested = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`) as unknown;
  expect(refusedFor(asking({ metadata: { a: nested } }))).toBeNull();
});
