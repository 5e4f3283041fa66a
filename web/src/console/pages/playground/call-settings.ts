import type { ChatMessage } from "./chat-messages.ts";

/** The levels of `reasoning_effort`, the least first. */
export const efforts = ["none", "minimal", "low", "medium", "high"] as const;

/** The settings beside the messages, as they are typed. */
export type Settings = {
  readonly system: string;
  readonly maxTokens: string;
  readonly temperature: string;
  /** One of `efforts`; empty for what the model does by itself. */
  readonly effort: string;
  /** A JSON array of functions; empty for none. */
  readonly tools: string;
  /** A JSON schema that the answer has to fit; empty for none. */
  readonly schema: string;
};

type Offered = { readonly name: string; readonly capabilities: readonly string[] };

/** Whether a model can be told how much to reason. */
export function reasons(offered: readonly Offered[], model: string): boolean {
  return offered.some(({ name, capabilities }) => name === model && capabilities.includes("reasoning"));
}

export const noSettings: Settings = { system: "", maxTokens: "", temperature: "", effort: "", tools: "", schema: "" };

/** What people begin from who have no tool at hand. */
export const exampleTools = [
  {
    name: "get_weather",
    description: "The weather in a city now.",
    parameters: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    },
  },
];

/** The same for the form of an answer. */
export const exampleSchema = {
  type: "object",
  properties: { answer: { type: "string" }, confidence: { type: "number" } },
  required: ["answer", "confidence"],
  additionalProperties: false,
};

export type SettingName = keyof Settings;

/** What is wrong with a setting. */
export type SettingFault = "json" | "tools" | "schema" | "count" | "temperature";

const toolsMax = 64;
const temperatureMax = 2;
const toolName = /^[\w-]{1,64}$/;

/** The settings that can't be sent as they are. */
export function faultsOf(settings: Settings): Partial<Record<SettingName, SettingFault>> {
  const found: [SettingName, SettingFault | null][] = [
    ["maxTokens", faultOfCount(settings.maxTokens)],
    ["temperature", faultOfTemperature(settings.temperature)],
    ["tools", faultOfTools(settings.tools)],
    ["schema", faultOfSchema(settings.schema)],
  ];
  return Object.fromEntries(found.filter(([, fault]) => fault !== null));
}

function faultOfCount(text: string): SettingFault | null {
  return text.trim() === "" || /^[1-9]\d{0,8}$/.test(text.trim()) ? null : "count";
}

function faultOfTemperature(text: string): SettingFault | null {
  const value = Number(text);
  return text.trim() === "" || (value >= 0 && value <= temperatureMax) ? null : "temperature";
}

function faultOfTools(text: string): SettingFault | null {
  if (text.trim() === "") {
    return null;
  }
  const value = parseJson(text);
  if (value === undefined) {
    return "json";
  }
  const isOne = Array.isArray(value) && value.length > 0 && value.length <= toolsMax && value.every(isTool);
  return isOne ? null : "tools";
}

function isTool(value: unknown): boolean {
  const { name, parameters = {} } = functionOf(value);
  return typeof name === "string" && toolName.test(name) && isObject(parameters);
}

function faultOfSchema(text: string): SettingFault | null {
  if (text.trim() === "") {
    return null;
  }
  const value = parseJson(text);
  return value === undefined ? "json" : isObject(value) ? null : "schema";
}

/** The body of a request. A setting with a fault, which its field shows, is left out. */
export function toBody(model: string, messages: readonly ChatMessage[], settings: Settings): Record<string, unknown> {
  const faults = faultsOf(settings);
  const has = (name: SettingName): boolean => settings[name].trim() !== "" && faults[name] === undefined;
  return {
    model,
    messages,
    ...(has("maxTokens") ? { max_tokens: Number(settings.maxTokens) } : {}),
    ...(has("temperature") ? { temperature: Number(settings.temperature) } : {}),
    ...(has("effort") ? { reasoning_effort: settings.effort } : {}),
    ...(has("tools") ? { tools: toTools(settings.tools) } : {}),
    ...(has("schema") ? { response_format: toFormat(settings.schema) } : {}),
  };
}

/** Both ways to write a function are taken: with its type around it, and alone. */
function toTools(text: string): unknown {
  const value = parseJson(text) as readonly unknown[];
  return value.map((each) => ({ type: "function", function: functionOf(each) }));
}

function toFormat(text: string): unknown {
  return { type: "json_schema", json_schema: { name: "answer", strict: true, schema: parseJson(text) } };
}

function functionOf(value: unknown): Readonly<Record<string, unknown>> {
  const outer = isObject(value) ? value : {};
  return isObject(outer["function"]) ? outer["function"] : outer;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of a JSON text; undefined if it is none. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
