import { z } from "zod";
import { momentText } from "./moments.ts";
import { strictObject } from "./strict-object.ts";

/** The model map of the Messages route, in requests from admins. */

const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
const count = z.int().min(0).max(100_000_000);

/** What an upstream model can and can't do; omitted flags keep their default. */
export const messagesModelFlags = strictObject(() => ({
  token_param: z.enum(["max_tokens", "max_completion_tokens"]).optional(),
  max_output: count.min(1).nullable().optional(),
  reasoning: z.boolean().optional(),
  reasoning_efforts: z.array(z.enum(efforts)).min(1).max(efforts.length).optional(),
  effort_with_tools: z.boolean().optional(),
  sampling: z.boolean().optional(),
  vision: z.boolean().optional(),
  files: z.boolean().optional(),
  mid_system: z.enum(["keep", "user", "hoist", "refuse"]).optional(),
  reasoning_history: z.enum(["drop", "keep"]).optional(),
  top_k: z.enum(["drop", "send"]).optional(),
  stop_limit: z.int().min(0).max(1_000).nullable().optional(),
  parallel_flag: z.boolean().optional(),
  user_field: z.enum(["drop", "user", "safety_identifier"]).optional(),
  service_tier: z.boolean().optional(),
  json_schema: z.boolean().optional(),
  include_usage: z.boolean().optional(),
  empty_content: z.enum(["null", "empty_string"]).optional(),
  merge: z.boolean().optional(),
  lenient_eof: z.boolean().optional(),
  split_think: z.boolean().optional(),
}));

/** Names are used in URLs and headers. */
const name = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[A-Za-z0-9._:@/-]+$/, "Use letters, digits and . _ : @ / -");

/** One name that clients may ask for, and the model that serves it. */
export const messagesModelInput = strictObject(() => ({
  name,
  display_name: z.string().trim().min(1).max(256),
  upstream_model: z.string().min(1).max(256),
  flags: messagesModelFlags.default({}),
  is_enabled: z.boolean().default(true),
  /** The model's release date: RFC 3339. Clients sort by it. */
  released_at: momentText,
  /** The loaded version; 0 for a new name. */
  version: z.int().min(0),
}));

export type MessagesModelInput = z.output<typeof messagesModelInput>;

/** A name of the model map, in responses to admins. Flags are the differences from the default. */
const messagesModelEntry = strictObject(() => ({
  name: z.string(),
  display_name: z.string(),
  upstream_model: z.string(),
  flags: z.record(z.string(), z.unknown()),
  is_enabled: z.boolean(),
  released_at: z.iso.datetime({ offset: true }),
  version: z.int(),
  /** The catalog has a model with the same name, which only one of the two can mean. */
  is_in_catalog: z.boolean(),
}));
export const messagesModelListResponse = strictObject(() => ({ models: z.array(messagesModelEntry) }));
export const messagesModelResponse = strictObject(() => ({ model: messagesModelEntry }));
