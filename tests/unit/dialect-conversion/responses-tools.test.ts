import { describe, expect, test } from "bun:test";
import type { JsonObject } from "@sluice/dialect-conversion/model";
import { asking, bodyOf, completion, convert, refusedFor } from "../../support/conversion/responses-calls.ts";

const parameters = { type: "object", properties: { a: { type: "string" } } };
const run = { type: "function", name: "run", description: "Runs.", parameters, strict: true };
const patch = {
  type: "custom",
  name: "apply_patch",
  description: "Patches.",
  format: { type: "grammar", syntax: "lark", definition: 'start: "x"' },
};
const agents = {
  type: "namespace",
  name: "agents",
  description: "Other agents.",
  tools: [
    { type: "function", name: "wait", parameters },
    { type: "function", name: "stop", description: "Stops one." },
  ],
};
const search = { type: "tool_search", execution: "client", description: "Finds tools.", parameters };

const namesOf = (request: JsonObject): readonly string[] =>
  ((bodyOf(request)["tools"] ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name);

/** The item that the client gets for a call of the upstream. */
function itemFor(tools: readonly unknown[], name: string, args: string): unknown {
  const { answers } = convert(asking({ tools }));
  const calls = [{ id: "call_1", type: "function", function: { name, arguments: args } }];
  const response = answers.whole(completion({ tool_calls: calls }, "tool_calls"));
  return (response["output"] as unknown[])[0];
}

describe("a tool", () => {
  test("of the client stays a function", () => {
    expect(bodyOf(asking({ tools: [run], tool_choice: "auto", parallel_tool_calls: false }))).toMatchObject({
      tools: [{ type: "function", function: { name: "run", description: "Runs.", parameters, strict: true } }],
      tool_choice: "auto",
      parallel_tool_calls: false,
    });
    expect(itemFor([run], "run", '{"a":"b"}')).toEqual({
      id: "fc_2",
      type: "function_call",
      status: "completed",
      arguments: '{"a":"b"}',
      call_id: "call_1",
      name: "run",
    });
  });

  test("without parameters gets the schema of an empty object", () => {
    const body = bodyOf(asking({ tools: [{ type: "function", name: "run", parameters: null }] }));
    expect(body["tools"]).toEqual([
      { type: "function", function: { name: "run", parameters: { type: "object", properties: {} } } },
    ]);
  });

  test("of a namespace repeats no more than the beginning of a long description", () => {
    const many = Array.from({ length: 100 }, (_, index) => ({ type: "function", name: `run_${index}` }));
    const namespace = { type: "namespace", name: "n", description: "d".repeat(1_000_000), tools: many };
    const text = JSON.stringify(bodyOf(asking({ tools: [namespace] })));
    expect(text.length).toBeLessThan(200_000);
  });

  test("with free input is a function with one text, which is told its grammar", () => {
    const [tool] = bodyOf(asking({ tools: [patch] }))["tools"] as { function: JsonObject }[];
    expect(tool?.function).toMatchObject({
      name: "apply_patch",
      parameters: { required: ["input"], properties: { input: { type: "string" } } },
    });
    expect(tool?.function["description"]).toContain('start: "x"');
  });

  test.each([
    ["in the one field", '{"input":"*** Begin\\n"}', "*** Begin\n"],
    ["in a field of another name", '{"patch":"*** Begin\\n"}', "*** Begin\n"],
    ["without JSON", "*** Begin\n", "*** Begin\n"],
    ["in several fields, as it is", '{"a":"1","b":"2"}', '{"a":"1","b":"2"}'],
  ])("with free input gets it %s", (_how, args, input) => {
    expect(itemFor([patch], "apply_patch", args)).toEqual({
      ...{ id: "ctc_2", type: "custom_tool_call", status: "completed", call_id: "call_1", name: "apply_patch" },
      input,
    });
  });

  test("in a namespace has it in its name, and apart in the call", () => {
    expect(bodyOf(asking({ tools: [agents] }))["tools"]).toEqual([
      { type: "function", function: { name: "agents__wait", description: "Other agents.", parameters } },
      {
        type: "function",
        function: { name: "agents__stop", description: "Stops one.", parameters: { type: "object", properties: {} } },
      },
    ]);
    expect(itemFor([agents], "agents__wait", "{}")).toMatchObject({ name: "wait", namespace: "agents" });
  });

  test("has the name of its namespace in the history too", () => {
    const input = [
      { type: "function_call", call_id: "a", name: "wait", namespace: "agents", arguments: "{}" },
      { type: "function_call_output", call_id: "a", output: "ok" },
    ];
    expect(bodyOf({ input, tools: [agents] })["messages"]).toMatchObject([
      { tool_calls: [{ function: { name: "agents__wait" } }] },
      {},
    ]);
  });

  test("with a long name has a short one, the same in every request, and gets its own back", () => {
    const name = "n".repeat(100);
    const tool = { type: "function", name };
    const [short = ""] = namesOf(asking({ tools: [tool] }));
    expect(short).toMatch(/^[\w-]{1,64}$/);
    expect(namesOf(asking({ tools: [run, tool] }))).toContain(short);
    expect(itemFor([tool], short, "{}")).toMatchObject({ name });
  });

  test("is told from another one whose name only looks the same", () => {
    const flat = { type: "function", name: "agents__wait" };
    const names = namesOf(asking({ tools: [agents, flat] }));
    expect(new Set(names).size).toBe(3);
    expect(itemFor([agents, flat], names[2] ?? "", "{}")).not.toHaveProperty("namespace");
    expect(itemFor([agents, flat], "agents__wait", "{}")).toHaveProperty("namespace", "agents");
  });

  test("that searches for tools is a function, and its call a search", () => {
    expect(namesOf(asking({ tools: [search] }))).toEqual(["tool_search"]);
    expect(itemFor([search], "tool_search", '{"query":"x"}')).toEqual({
      ...{ id: "tsc_2", type: "tool_search_call", status: "completed", execution: "client" },
      ...{ arguments: { query: "x" }, call_id: "call_1" },
    });
  });

  test("that a search found can be called", () => {
    const input = [
      { type: "tool_search_call", call_id: "s", execution: "client", arguments: { query: "agents" } },
      { type: "tool_search_output", call_id: "s", execution: "client", tools: [agents] },
    ];
    const body = bodyOf({ input, tools: [search] });
    expect(body["messages"]).toMatchObject([
      { tool_calls: [{ id: "s", function: { name: "tool_search", arguments: '{"query":"agents"}' } }] },
      { role: "tool", tool_call_id: "s", content: "These tools can be called now: agents__wait, agents__stop" },
    ]);
    expect(body["tools"]).toHaveLength(3);
  });

  test("that was added on the way can be called", () => {
    const input = [
      { type: "additional_tools", role: "developer", tools: [run] },
      { role: "user", content: "Hi" },
    ];
    expect(bodyOf({ input })["tools"]).toHaveLength(1);
  });

  test("that a provider runs is left out and named", () => {
    const tools = [run, { type: "web_search" }, { type: "mcp", server_label: "x" }, { type: "tool_search" }];
    const { body, dropped } = convert(asking({ tools }));
    expect(body["tools"]).toHaveLength(1);
    expect(dropped).toEqual(["web_search", "mcp", "tool_search"]);
  });

  test("that no request had is passed on under its name", () => {
    expect(itemFor([run], "invented", "{}")).toMatchObject({ type: "function_call", name: "invented" });
  });

  test("is not mentioned when none is left", () => {
    const body = bodyOf(asking({ tools: [{ type: "web_search" }], tool_choice: "auto", parallel_tool_calls: true }));
    expect(Object.keys(body)).toEqual(["model", "messages"]);
  });
});

describe("the choice of a tool", () => {
  test.each<[string, unknown, unknown]>([
    ["one function", { type: "function", name: "run" }, "run"],
    ["a tool with free input", { type: "custom", name: "apply_patch" }, "apply_patch"],
    ["a function of a namespace", { type: "function", name: "wait", namespace: "agents" }, "agents__wait"],
  ])("can be %s", (_what, choice, name) => {
    expect(bodyOf(asking({ tools: [run, patch, agents], tool_choice: choice }))["tool_choice"]).toEqual({
      type: "function",
      function: { name },
    });
  });

  test("can be one of several", () => {
    const choice = { type: "allowed_tools", mode: "required", tools: [{ type: "custom", name: "apply_patch" }] };
    const request = asking({ tools: [run, patch], tool_choice: choice });
    expect(bodyOf(request)["tool_choice"]).toBe("required");
    expect(namesOf(request)).toEqual(["apply_patch"]);
  });

  test.each<[string, JsonObject, string]>([
    [
      "names a tool that is missing",
      { tools: [run], tool_choice: { type: "function", name: "x" } },
      "tool_choice.name",
    ],
    ["names one that a provider runs", { tools: [run], tool_choice: { type: "web_search" } }, "tool_choice"],
    ["is not a choice", { tools: [run], tool_choice: "maybe" }, "tool_choice"],
    ["requires a tool of none", { tools: [], tool_choice: "required" }, "tool_choice"],
    ["is a number", { tools: [run], tool_choice: 1 }, "tool_choice"],
  ])("is refused when it %s", (_what, fields, param) => {
    expect(refusedFor(asking(fields))).toBe(param);
  });
});

test.each<[string, unknown, string]>([
  ["tools that are an object", {}, "tools"],
  ["a tool that is a text", ["x"], "tools[0]"],
  ["a tool without type", [{ name: "x" }], "tools[0].type"],
  ["a tool without name", [{ type: "function" }], "tools[0].name"],
  ["a schema that is a text", [{ type: "function", name: "x", parameters: "y" }], "tools[0].parameters"],
  ["a namespace of a text", [{ type: "namespace", name: "x", tools: "y" }], "tools[0].tools"],
  ["a namespace in a namespace, unnamed", [{ type: "namespace", tools: [] }], "tools[0].name"],
  [
    "a grammar without definition",
    [{ ...patch, format: { type: "grammar", syntax: "lark" } }],
    "tools[0].format.definition",
  ],
])("a request with %s is refused", (_what, tools, param) => {
  expect(refusedFor(asking({ tools }))).toBe(param);
});
