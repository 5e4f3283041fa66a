import type { ErrorDetail } from "../../api/client.ts";
import { sentenceIn } from "./known-sentences.ts";
import { errorArea } from "./messages/messages.ts";

/** What is wrong, in the user's language. An unknown sentence stays as the backend wrote it. */
export async function inOwnWords(detail: ErrorDetail): Promise<ErrorDetail> {
  await errorArea.load();
  const texts = errorArea.texts();
  const fields = Object.entries(detail.fields ?? {}).map(([name, said]) => [name, sentenceIn(texts, said)] as const);
  return { ...detail, message: sentenceIn(texts, detail.message), fields: Object.fromEntries(fields) };
}
