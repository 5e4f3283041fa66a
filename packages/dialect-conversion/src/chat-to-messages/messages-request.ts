import type { CacheMark, TextBlock, Turn } from "./blocks.ts";
import type { OutputFormat } from "./output-format.ts";
import type { SamplingFields } from "./sampling.ts";
import type { SpentEffort, ThinkingField } from "./thinking.ts";
import type { MessagesToolChoice } from "./tool-choice.ts";
import type { MessagesTool } from "./tools.ts";

/** The body of a converted request. */
export type MessagesRequest = {
  model: string;
  max_tokens: number;
  system?: TextBlock[];
  tools?: MessagesTool[];
  tool_choice?: MessagesToolChoice;
  messages: Turn[];
  thinking?: ThinkingField;
  output_config?: { effort?: SpentEffort; format?: OutputFormat };
  stop_sequences?: string[];
  stream?: true;
} & CacheMark &
  SamplingFields;
