import type { ContentBlock, Message, MessagesEvent } from "../messages.ts";

/**
 * The events of a stream for a whole message, for callers that requested a stream and got the response in one piece.
 */
export function toMessageEvents(message: Message): MessagesEvent[] {
  const { usage } = message;
  const opening: Message = {
    ...message,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 0 },
  };
  return [
    { type: "message_start", message: opening },
    { type: "ping" },
    ...message.content.flatMap(blockEvents),
    {
      type: "message_delta",
      delta: { stop_reason: message.stop_reason ?? "end_turn", stop_sequence: message.stop_sequence },
      usage,
    },
    { type: "message_stop" },
  ];
}

function blockEvents(block: ContentBlock, index: number): MessagesEvent[] {
  const stop: MessagesEvent = { type: "content_block_stop", index };
  switch (block.type) {
    case "text":
      return [
        { type: "content_block_start", index, content_block: { type: "text", text: "" } },
        { type: "content_block_delta", index, delta: { type: "text_delta", text: block.text } },
        stop,
      ];
    case "thinking":
      return [
        { type: "content_block_start", index, content_block: { type: "thinking", thinking: "", signature: "" } },
        { type: "content_block_delta", index, delta: { type: "thinking_delta", thinking: block.thinking } },
        stop,
      ];
    case "tool_use":
      return [
        { type: "content_block_start", index, content_block: { ...block, input: {} } },
        {
          type: "content_block_delta",
          index,
          delta: { type: "input_json_delta", partial_json: JSON.stringify(block.input) },
        },
        stop,
      ];
    default:
      return [{ type: "content_block_start", index, content_block: block }, stop];
  }
}
