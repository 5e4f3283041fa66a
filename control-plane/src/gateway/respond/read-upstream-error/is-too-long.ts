import type { ErrorWords } from "@sluice/messages-conversion/errors/read-error-words";

/** What providers call a prompt that is longer than their model reads, without case and separators. */
const names: ReadonlySet<string> = new Set([
  "contextlengthexceeded",
  "contextwindowexceeded",
  "exceedcontextsizeerror",
  "inputtoolong",
  "modelmaxlengthexceeded",
  "promptlengthexceeded",
  "prompttoolong",
]);

/** How they say it where they have no name for it. */
const sentences: readonly RegExp[] = [
  /\b(?:prompt|input|request|conversation)(?: \w+)? is too long\b/i,
  /\b(?:maximum|max|model'?s|available) (?:\w+ )?(?:context|prompt) (?:length|size|window)\b/i,
  /\bexceeds?\b.{0,60}\bcontext (?:length|limit|size|window)\b/i,
  /\binput token count\b.{0,80}\b(?:exceeds|only supports)\b/i,
  /\blonger than the model'?s context\b/i,
  /\bcontext window\b.{0,40}\bexceed/i,
  /\bexceeded model token limit\b/i,
  /\brange of input length should be\b/i,
  /\btoo large for model with \d+ maximum context\b/i,
  /\btoo many tokens\b.{0,80}\bprompt\b/i,
  /\bprompt (?:exceeds max length|contains \d+ tokens)/i,
];

/** Whether the prompt is longer than the model reads. */
export function isTooLong({ code, type, message }: ErrorWords): boolean {
  const isNamed = [code, type].some((name) => names.has((name ?? "").replaceAll(/[_\W]/g, "").toLowerCase()));
  return isNamed || (message !== null && sentences.some((sentence) => sentence.test(message)));
}
