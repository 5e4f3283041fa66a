import type { ChatCompletionRequest, ChatMessage, ContentPart } from "./chat-completions.ts";

/** The tokens that a message and a tool cost besides their text. */
const tokensPerMessage = 4;
const tokensPerTool = 8;
/** The tokens of an image of usual size, and the bytes of a usual document page. */
const tokensPerImage = 1_100;
const tokensPerPage = 2_000;
const bytesPerPage = 50_000;

/**
 * Weights of single characters, in tokens. The first of several letters, or of several marks, has most of the weight.
 * They were fitted to the counts of a current tokenizer over prose, code, JSON and logs, and are a little above them: a
 * client that overestimates its context merely shortens it early.
 */
const tokensPerWord = 0.85;
const tokensPerLetter = 0.07;
const tokensPerDigit = 0.5;
const tokensPerSpace = 0.02;
const tokensPerLineBreak = 0.4;
const tokensPerRunOfMarks = 0.4;
const tokensPerMark = 0.3;
/** The weights of scripts with their own alphabet, and of scripts that write a word in one or two characters. */
const tokensPerForeignLetter = 0.34;
const tokensPerIdeograph = 0.8;
const firstIdeograph = 0x2e80;

const asciiSize = 128;
const other = 0;
const letter = 1;
const mark = 2;

/** The kind of each character, and its cost after a character of each kind. */
const kinds = Uint8Array.from({ length: asciiSize }, (_, unit) => kindOf(String.fromCharCode(unit)));
const weights = Float64Array.from({ length: 3 * asciiSize }, (_, at) =>
  weightOf(String.fromCharCode(at % asciiSize), Math.floor(at / asciiSize)),
);

function kindOf(character: string): number {
  if (/[a-z]/i.test(character)) {
    return letter;
  }
  return /[\d\s]/.test(character) ? other : mark;
}

function weightOf(character: string, kindBefore: number): number {
  const kind = kindOf(character);
  if (kind === letter) {
    return tokensPerLetter + (kindBefore === letter ? 0 : tokensPerWord);
  }
  if (kind === mark) {
    return tokensPerMark + (kindBefore === mark ? 0 : tokensPerRunOfMarks);
  }
  if (/\d/.test(character)) {
    return tokensPerDigit;
  }
  return character === "\n" ? tokensPerLineBreak : tokensPerSpace;
}

/** The approximate number of tokens of a text; 0 for an empty one. */
export function estimateTextTokens(text: string): number {
  let tokens = 0;
  let kind = other;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < asciiSize) {
      tokens += weights[kind * asciiSize + unit] as number;
      kind = kinds[unit] as number;
    } else {
      tokens += unit >= firstIdeograph ? tokensPerIdeograph : tokensPerForeignLetter;
      kind = other;
    }
  }
  return tokens;
}

/** The approximate number of tokens of a request's prompt, with its tools and attachments; at least 1. */
export function estimateInputTokens(request: ChatCompletionRequest): number {
  let tokens = 0;
  for (const message of request.messages) {
    tokens += tokensPerMessage + messageTokens(message);
  }
  for (const tool of request.tools ?? []) {
    tokens += tokensPerTool + estimateTextTokens(JSON.stringify(tool.function));
  }
  if (request.response_format !== undefined) {
    tokens += estimateTextTokens(JSON.stringify(request.response_format.json_schema.schema));
  }
  return Math.max(1, Math.ceil(tokens));
}

function messageTokens(message: ChatMessage): number {
  const { content } = message;
  let tokens = 0;
  if (typeof content === "string") {
    tokens += estimateTextTokens(content);
  } else {
    for (const part of content ?? []) {
      tokens += partTokens(part);
    }
  }
  if (message.role === "assistant") {
    tokens += estimateTextTokens(message.reasoning_content ?? "");
    for (const call of message.tool_calls ?? []) {
      tokens += tokensPerTool + estimateTextTokens(call.function.name) + estimateTextTokens(call.function.arguments);
    }
  }
  return tokens;
}

function partTokens(part: ContentPart): number {
  switch (part.type) {
    case "text":
      return estimateTextTokens(part.text);
    case "image_url":
      return tokensPerImage;
    case "file": {
      const bytes = (part.file.file_data.length * 3) / 4;
      return tokensPerPage * Math.max(1, Math.ceil(bytes / bytesPerPage));
    }
  }
}
