import type { ChatMessage, ContentPart } from "../chat-completions.ts";
import { invalidRequest, MessagesError } from "../errors/messages-error.ts";
import { isGiven, isJsonObject, type JsonObject } from "../json.ts";
import { AssistantTurn, readAssistantContent } from "./assistant-message.ts";
import { asObject } from "./check-fields.ts";
import type { RequestContext } from "./context.ts";
import { readSystemText } from "./system-text.ts";
import { readToolResult, type ToolResult, toAttachmentParts } from "./tool-results.ts";
import { toUserMessage, toUserParts } from "./user-parts.ts";

export type ConvertedHistory = {
  readonly messages: ChatMessage[];
  /** System texts that the model wants at the front. */
  readonly hoisted: readonly string[];
};

type Role = "system" | "user" | "assistant";

/**
 * The conversation in the upstream's format. It is processed turn by turn: first the assistant's messages, and then
 * everything up to its next message, because the results of its calls have to come right after them. The conversion of
 * a turn depends on that turn alone, so that a longer history begins with exactly the messages of the shorter one.
 * @throws MessagesError when a message is malformed, or calls and results do not match
 */
export function convertHistory(messages: readonly unknown[], context: RequestContext): ConvertedHistory {
  const history = { messages: [] as ChatMessage[], hoisted: [] as string[] };
  const entries = messages.map(readEntry);
  for (let at = 0; at < entries.length; ) {
    const spokenEnd = endOfRun(entries, at, (role) => role === "assistant");
    const replyEnd = endOfRun(entries, spokenEnd, (role) => role !== "assistant");
    const callers = convertSpoken(entries.slice(at, spokenEnd), context, history.messages);
    convertReplies(entries.slice(spokenEnd, replyEnd), callers, context, history);
    at = replyEnd;
  }
  return history;
}

type Entry = {
  readonly role: Role;
  readonly content: unknown;
  /** Settings from a system message. */
  readonly outputConfig: unknown;
  readonly at: string;
};

function readEntry(value: unknown, index: number): Entry {
  const at = `messages.${index}`;
  const message = asObject(value, at);
  const { role, content } = message;
  if (role !== "user" && role !== "assistant" && role !== "system") {
    throw invalidRequest(
      `${at}.role`,
      role === undefined ? "Field required" : "Input should be 'user', 'assistant' or 'system'",
    );
  }
  const outputConfig = role === "system" ? message["output_config"] : null;
  if (!isGiven(content) && isJsonObject(outputConfig) && Object.keys(outputConfig).length > 0) {
    return { role, content: "", outputConfig, at };
  }
  if (typeof content !== "string" && !Array.isArray(content)) {
    throw invalidRequest(
      `${at}.content`,
      content === undefined ? "Field required" : "Input should be a valid string or list",
    );
  }
  return { role, content, outputConfig, at };
}

function endOfRun(entries: readonly Entry[], from: number, belongs: (role: Role) => boolean): number {
  let end = from;
  for (let entry = entries[end]; entry !== undefined && belongs(entry.role); entry = entries[end]) {
    end += 1;
  }
  return end;
}

/** The calls that wait for results, in order, and the path of the message that made them. */
type OpenCalls = { readonly ids: ReadonlySet<string>; readonly at: string };

/**
 * The assistant's messages of a turn. Consecutive messages stay separate unless one of them calls a tool: then they
 * become one, as the API understands them, or the results would not come after every call.
 */
function convertSpoken(entries: readonly Entry[], context: RequestContext, into: ChatMessage[]): OpenCalls {
  const turns = entries.map((entry) => {
    const turn = new AssistantTurn();
    readAssistantContent(entry.content, entry.at, turn, context);
    return turn;
  });
  const at = entries.at(-1)?.at ?? "messages.0";
  const hasCalls = turns.some(({ calls }) => calls.length > 0);
  const shown = hasCalls ? [joinTurns(turns, at)] : turns;
  for (const turn of shown) {
    const message = turn.toMessage(context);
    if (message !== null) {
      into.push(message);
    }
  }
  return { ids: new Set(shown.flatMap(({ calls }) => calls.map(({ id }) => id))), at };
}

function joinTurns(turns: readonly AssistantTurn[], at: string): AssistantTurn {
  const [first = new AssistantTurn(), ...rest] = turns;
  for (const turn of rest) {
    first.absorb(turn, at);
  }
  return first;
}

type Reply = { readonly entry: Entry; readonly parts: ContentPart[]; readonly results: ToolResult[] };

function convertReplies(
  entries: readonly Entry[],
  calls: OpenCalls,
  context: RequestContext,
  into: { messages: ChatMessage[]; hoisted: string[] },
): void {
  const replies = entries.map((entry) => readReply(entry, context));
  const results = matchResults(replies, calls);
  // Clients return results in the order in which tools finish; upstreams want the order of the calls.
  for (const id of calls.ids) {
    into.messages.push({ role: "tool", tool_call_id: id, content: results.get(id)?.text ?? "" });
  }
  for (const reply of replies) {
    if (reply.entry.role === "system") {
      placeSystem(reply.entry, context, into);
      continue;
    }
    const attached = reply.results.filter((result) => results.get(result.toolUseId) === result);
    const parts = attached.flatMap(toAttachmentParts);
    const message = toUserMessage(parts.length === 0 ? reply.parts : [...parts, ...reply.parts]);
    if (message !== null) {
      into.messages.push(message);
    }
  }
}

function readReply(entry: Entry, context: RequestContext): Reply {
  const reply: Reply = { entry, parts: [], results: [] };
  const { content, at, role } = entry;
  if (role === "system") {
    return reply;
  }
  if (typeof content === "string") {
    pushText(content, reply.parts);
    return reply;
  }
  for (const [index, value] of (content as readonly unknown[]).entries()) {
    const place = `${at}.content.${index}`;
    if (typeof value === "string") {
      pushText(value, reply.parts);
      continue;
    }
    const block: JsonObject = asObject(value, place);
    if (block["type"] === "tool_result") {
      reply.results.push(readToolResult(block, place, context));
    } else {
      for (const part of toUserParts(block, place, context)) {
        reply.parts.push(part);
      }
    }
  }
  return reply;
}

function pushText(text: string, into: ContentPart[]): void {
  if (text !== "") {
    into.push({ type: "text", text });
  }
}

/** The result of each call; a later result for the same call replaces an earlier one. */
function matchResults(replies: readonly Reply[], calls: OpenCalls): ReadonlyMap<string, ToolResult> {
  const results = new Map<string, ToolResult>();
  for (const result of replies.flatMap((reply) => reply.results)) {
    if (!calls.ids.has(result.toolUseId)) {
      throw invalidRequest(
        result.at,
        `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${result.toolUseId}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    results.set(result.toolUseId, result);
  }
  if (results.size < calls.ids.size) {
    const missing = [...calls.ids].filter((id) => !results.has(id));
    throw invalidRequest(
      calls.at,
      `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    );
  }
  return results;
}

function placeSystem(
  entry: Entry,
  context: RequestContext,
  into: { messages: ChatMessage[]; hoisted: string[] },
): void {
  const mode = context.flags.mid_system;
  context.talk.takeOutputConfig(entry.outputConfig);
  const text = readSystemText(entry.content, `${entry.at}.content`, context);
  if (text === "") {
    return;
  }
  if (mode === "refuse") {
    // Clients recognise exactly this sentence, without a path, and then send the text as the user's.
    throw new MessagesError(400, "invalid_request_error", "role 'system' is not supported on this model");
  }
  if (mode === "hoist") {
    into.hoisted.push(text);
  } else if (mode === "user") {
    into.messages.push({ role: "user", content: `<system-reminder>\n${text}\n</system-reminder>` });
  } else {
    into.messages.push({ role: "system", content: text });
  }
}
