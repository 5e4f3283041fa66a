import type { ChatAssistantMessage, ChatMessage, ChatUserMessage, ContentPart } from "../chat-completions.ts";

/**
 * Joins consecutive messages of the user, or of the assistant, for templates that insist on alternating turns; both
 * forms mean the same to the Messages API.
 */
export function mergeMessages(messages: readonly ChatMessage[]): ChatMessage[] {
  const merged: ChatMessage[] = [];
  for (let at = 0; at < messages.length; ) {
    const users = runOf(messages, at, isUser);
    const spoken = runOf(messages, at, isAssistant);
    if (users.length > 1) {
      merged.push({ role: "user", content: joinContents(users) });
    } else if (spoken.length > 1) {
      merged.push(joinSpoken(spoken));
    } else {
      merged.push(...messages.slice(at, at + 1));
    }
    at += Math.max(users.length, spoken.length, 1);
  }
  return merged;
}

const isUser = (message: ChatMessage): message is ChatUserMessage => message.role === "user";
const isAssistant = (message: ChatMessage): message is ChatAssistantMessage => message.role === "assistant";

function runOf<M extends ChatMessage>(
  messages: readonly ChatMessage[],
  from: number,
  belongs: (message: ChatMessage) => message is M,
): M[] {
  const run: M[] = [];
  for (let at = from; at < messages.length; at += 1) {
    const message = messages[at];
    if (message === undefined || !belongs(message)) {
      break;
    }
    run.push(message);
  }
  return run;
}

function joinContents(messages: readonly ChatUserMessage[]): string | ContentPart[] {
  const texts = messages.map(({ content }) => (typeof content === "string" ? content : null));
  return texts.includes(null) ? messages.flatMap(partsOf) : texts.join("\n\n");
}

/** Only the last one can call tools, because the results of calls come right after them. */
function joinSpoken(messages: readonly ChatAssistantMessage[]): ChatAssistantMessage {
  const reasoning = messages.map((message) => message.reasoning_content ?? "").join("");
  return {
    ...messages.at(-1),
    role: "assistant",
    content: messages.map(({ content }) => content ?? "").join(""),
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
  };
}

function partsOf({ content }: ChatUserMessage): ContentPart[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}
