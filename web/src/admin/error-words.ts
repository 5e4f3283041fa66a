import type { ErrorDetail } from "../api/client.ts";
import { fill } from "../i18n/messages.ts";
import { errorsZh } from "./zh/errors.ts";

/** The sentences of the service with places in them, whatever is there. */
const patterns = Object.entries(errorsZh)
  .filter(([sentence]) => /\{\w+\}/.test(sentence))
  .map(([sentence, chinese]) => {
    const source = sentence.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{(\w+)\}/g, "(?<$1>.+)");
    return { pattern: new RegExp(`^${source}$`, "u"), chinese };
  });

const whole = new Map<string, string>(Object.entries(errorsZh));

function inChinese(sentence: string): string {
  const own = whole.get(sentence);
  if (own !== undefined) {
    return own;
  }
  for (const { pattern, chinese } of patterns) {
    const match = pattern.exec(sentence);
    if (match !== null) {
      return fill(chinese, match.groups ?? {});
    }
  }
  return sentence;
}

/** What is wrong, in Chinese; the service speaks English, and a sentence that is not known stays as it said it. */
export function errorInChinese(detail: ErrorDetail): ErrorDetail {
  const fields = Object.entries(detail.fields ?? {}).map(([name, sentence]) => [name, inChinese(sentence)] as const);
  return { ...detail, message: inChinese(detail.message), fields: Object.fromEntries(fields) };
}
