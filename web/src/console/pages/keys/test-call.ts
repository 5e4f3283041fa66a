import { sentenceInOwnWords } from "../../error-words.ts";

type Outcome = { readonly isAnswered: boolean; readonly text: string };

const answerShown = 200;

type ChatAnswer = {
  readonly choices?: readonly { readonly message?: { readonly content?: unknown } }[];
  readonly error?: { readonly message?: unknown };
};

/** Calls a model with a key like any program would, and reports the outcome. The call is charged. */
export async function sendTestCall(apiKey: string, model: string): Promise<Outcome> {
  try {
    const answer = await fetch("/v1/chat/completions", {
      method: "POST",
      credentials: "omit",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Say hello." }], max_tokens: 16 }),
    });
    const body = (await answer.json()) as ChatAnswer;
    const text = answer.ok ? body.choices?.[0]?.message?.content : body.error?.message;
    const shown = typeof text === "string" ? text.slice(0, answerShown) : String(answer.status);
    return { isAnswered: answer.ok, text: answer.ok ? shown : await sentenceInOwnWords(shown) };
  } catch (error) {
    return { isAnswered: false, text: error instanceof Error ? error.message : String(error) };
  }
}
