import { expect, test } from "bun:test";
import { faultsOf, noSettings, reasons, toBody } from "@sluice/web/src/console/pages/playground/call-settings.ts";

const messages = [{ role: "user", content: "Hi" }] as const;
const tool = { name: "get_time", description: "The time.", parameters: { type: "object" } };

test("settings that are empty are not sent", () => {
  expect(toBody("some-model", messages, noSettings)).toEqual({ model: "some-model", messages });
});

test("settings are sent as the API spells them", () => {
  const settings = {
    system: "",
    maxTokens: " 20 ",
    temperature: "0",
    effort: "low",
    tools: JSON.stringify([tool, { type: "function", function: tool }]),
    schema: '{"type":"object"}',
  };
  expect(faultsOf(settings)).toEqual({});
  expect(toBody("some-model", messages, settings)).toEqual({
    model: "some-model",
    messages,
    max_tokens: 20,
    temperature: 0,
    reasoning_effort: "low",
    tools: [
      { type: "function", function: tool },
      { type: "function", function: tool },
    ],
    response_format: {
      type: "json_schema",
      json_schema: { name: "answer", strict: true, schema: { type: "object" } },
    },
  });
});

test.each([
  ["maxTokens", "0", "count"],
  ["maxTokens", "1.5", "count"],
  ["maxTokens", "many", "count"],
  ["temperature", "2.1", "temperature"],
  ["temperature", "-1", "temperature"],
  ["temperature", "warm", "temperature"],
  ["tools", "[", "json"],
  ["tools", "{}", "tools"],
  ["tools", "[]", "tools"],
  ["tools", '[{"name":"with space"}]', "tools"],
  ["tools", '[{"name":"f","parameters":[]}]', "tools"],
  ["schema", "{", "json"],
  ["schema", "[]", "schema"],
] as const)("a wrong value of %s is found: %s", (name, value, fault) => {
  const settings = { ...noSettings, [name]: value };
  expect(faultsOf(settings)).toEqual({ [name]: fault });
  expect(toBody("some-model", messages, settings)).toEqual({ model: "some-model", messages });
});

test("only models that reason are told how much", () => {
  const offered = [
    { name: "thinker", capabilities: ["tools", "reasoning"] },
    { name: "talker", capabilities: ["tools"] },
  ];
  expect(["thinker", "talker", "gone"].map((model) => reasons(offered, model))).toEqual([true, false, false]);
});
