/** The form of a request of Messages, as strict as the real one: a field that it does not know is a mistake. */
import { z } from "zod";
import { refuse } from "../api/json-answer.ts";
import type { JsonObject } from "../api/prompt.ts";

const anything = z.unknown().optional();
const display = z.enum(["summarized", "omitted"]).nullish();
const cacheControl = z.strictObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() }).nullish();
const jsonFormat = z.strictObject({ type: z.literal("json_schema"), schema: z.record(z.string(), anything) }).nullish();

const toolChoice = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("auto"), disable_parallel_tool_use: z.boolean().optional() }),
  z.strictObject({ type: z.literal("any"), disable_parallel_tool_use: z.boolean().optional() }),
  z.strictObject({ type: z.literal("tool"), name: z.string(), disable_parallel_tool_use: z.boolean().optional() }),
  z.strictObject({ type: z.literal("none") }),
]);

const thinking = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("enabled"), budget_tokens: z.int().min(1024), display }),
  z.strictObject({ type: z.literal("adaptive"), display }),
  z.strictObject({ type: z.literal("between_tools") }),
  z.strictObject({ type: z.literal("disabled") }),
]);

const tool = z.looseObject({
  type: z.string().nullish(),
  name: z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,128}$/)
    .optional(),
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal("object") }).optional(),
  cache_control: cacheControl,
});

const turn = z.strictObject({ role: z.string(), content: z.union([z.string(), z.array(anything)]) });

const prompt = {
  model: z.string().min(1),
  messages: z.array(turn),
  system: z.union([z.string(), z.array(anything)]).optional(),
  tools: z.array(tool).optional(),
  tool_choice: toolChoice.optional(),
  thinking: thinking.optional(),
  cache_control: cacheControl,
  context_management: anything,
  mcp_servers: z.array(anything).optional(),
  output_config: z
    .strictObject({
      effort: z.enum(["low", "medium", "high", "xhigh", "max"]).nullish(),
      format: jsonFormat,
      task_budget: anything,
    })
    .optional(),
  output_format: jsonFormat,
  speed: z.enum(["standard", "fast"]).nullish(),
  compaction: anything,
  thread: anything,
  billing_policy: anything,
};

const messageRequest = z.strictObject({
  ...prompt,
  max_tokens: z.int().nonnegative(),
  stream: z.boolean().optional(),
  stop_sequences: z.array(z.string().regex(/\S/)).optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().nonnegative().optional(),
  metadata: z.strictObject({ user_id: z.string().max(256).nullish() }).optional(),
  service_tier: z.enum(["auto", "standard_only"]).optional(),
  inference_geo: z.string().nullish(),
  container: anything,
  diagnostics: anything,
  fallbacks: anything,
  fallback_credit_token: anything,
  user_profile_id: z.string().optional(),
  workspace_id: z.string().optional(),
});

const countRequest = z.strictObject(prompt);

export type MessageRequest = z.infer<typeof messageRequest>;
export type CountRequest = z.infer<typeof countRequest>;

/** @throws RequestRefused that names the first field that is wrong */
export function parseMessageRequest(body: JsonObject): MessageRequest {
  return parse(messageRequest, body);
}

/** @throws RequestRefused that names the first field that is wrong */
export function parseCountRequest(body: JsonObject): CountRequest {
  return parse(countRequest, body);
}

function parse<Parsed>(schema: z.ZodType<Parsed>, body: JsonObject): Parsed {
  const result = schema.safeParse(body, { reportInput: true });
  if (!result.success) {
    throw refuse(describe(result.error));
  }
  return result.data;
}

function describe({ issues: [issue] }: z.ZodError): string {
  const place = issue?.path.join(".") ?? "";
  if (issue?.code === "unrecognized_keys") {
    return `${[...issue.path, issue.keys[0]].join(".")}: Extra inputs are not permitted`;
  }
  if (issue !== undefined && "input" in issue && issue.input === undefined) {
    return `${place}: Field required`;
  }
  return `${place}: ${issue?.message ?? "Input should be valid"}`;
}
