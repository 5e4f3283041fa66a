import type { ModelCapability, StatedCapability } from "@sluice/contracts/model-capabilities";
import type { ModelKind } from "@sluice/contracts/model-kinds";

/** What the families of chat models can do; the first match counts. */
const families: readonly (readonly [pattern: RegExp, capabilities: readonly StatedCapability[]])[] = [
  [/claude-(instant|2)/, []],
  [/claude-3-7|claude-3\.7/, ["tools", "reasoning"]],
  [/claude-3/, ["tools"]],
  [/claude-(sonnet|opus)-4(-0|-2|$|@)/, ["tools", "reasoning"]],
  [/claude/, ["tools", "reasoning", "structured_output"]],
  [/gpt-oss/, ["tools", "reasoning", "structured_output"]],
  [/gpt-4o(-mini)?-audio|gpt-audio/, ["tools", "audio_input"]],
  [/gpt-4o(-mini)?-search|gpt-5(\.\d)?-chat|chatgpt-4o/, ["structured_output"]],
  [/gpt-4o|gpt-4\.1/, ["tools", "structured_output"]],
  [/gpt-(4|3\.5-turbo)(-|$)/, ["tools"]],
  [/gpt-[5-9]/, ["tools", "reasoning", "structured_output"]],
  [/(^|\/)o1-(mini|preview)/, ["reasoning"]],
  [/(^|\/)o[134](-|$)/, ["tools", "reasoning", "structured_output"]],
  [/gemini-(2\.5|[3-9])/, ["tools", "reasoning", "structured_output", "audio_input"]],
  [/gemini/, ["tools", "structured_output", "audio_input"]],
  [/deepseek-(reasoner|r1)/, ["reasoning"]],
  [/deepseek-(chat|v[3-9])/, ["tools"]],
  [/grok-(3-mini|[4-9])/, ["tools", "reasoning", "structured_output"]],
  [/grok/, ["tools", "structured_output"]],
  [/qwq|qwen.*-thinking/, ["tools", "reasoning"]],
  [/qwen(-?[23]|-(max|plus|turbo|flash))/, ["tools"]],
  [/magistral/, ["tools", "reasoning"]],
  [/voxtral/, ["tools", "audio_input"]],
  [/mistral|mixtral|codestral|devstral|pixtral/, ["tools"]],
  [/llama-?(3\.[1-9]|4)/, ["tools"]],
  [/glm-(4\.[5-9]|[5-9])/, ["tools", "reasoning"]],
  [/glm-4/, ["tools"]],
  [/kimi.*-thinking|minimax-m[1-9]/, ["tools", "reasoning"]],
  [/kimi/, ["tools"]],
  [/command-[ar]/, ["tools"]],
];

type Row = {
  readonly name: string;
  readonly kind: ModelKind;
  readonly image_tokens_max: number;
  /** Null where the operator has said nothing. */
  readonly capabilities: readonly StatedCapability[] | null;
};

/** What a model can do: as the operator says, else as the names of its family are known. */
export function capabilitiesOf({ name, kind, image_tokens_max: imageTokens, capabilities }: Row): ModelCapability[] {
  const known = kind === "chat" ? families.find(([pattern]) => pattern.test(name.toLowerCase()))?.[1] : undefined;
  return [...(imageTokens > 0 ? (["vision"] as const) : []), ...(capabilities ?? known ?? [])];
}
