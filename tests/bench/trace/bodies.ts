import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { GatewayUserId, RequestId } from "@sluice/contracts/ids";
import type { Payload } from "@sluice/control-plane/trace/model.ts";

/** Prose of a real document, because invented words compress far better or far worse than real text. */
const prose = readFileSync(join(import.meta.dir, "../README.md"), "utf8");

function piece(bytes: number, seed: number): string {
  const start = (seed * 977) % prose.length;
  return prose.repeat(1 + Math.ceil((start + bytes) / prose.length)).slice(start, start + bytes);
}

/** A chat request of roughly that length. */
export function chatRequest(bytes: number, seed: number): Uint8Array {
  const messages = [
    { role: "system", content: "You are a careful assistant. Answer briefly." },
    { role: "user", content: piece(Math.max(1, bytes - 200), seed) },
  ];
  return Buffer.from(JSON.stringify({ model: "gpt-4o-mini", messages, temperature: 0.7, max_tokens: 1_024 }));
}

/** The complete response to it. */
export function chatAnswer(bytes: number, seed: number): Uint8Array {
  const message = { role: "assistant", content: piece(Math.max(1, bytes - 350), seed + 5), refusal: null };
  return Buffer.from(
    JSON.stringify({
      id: `chatcmpl-${Bun.randomUUIDv7()}`,
      object: "chat.completion",
      created: 1_760_000_000,
      model: "gpt-4o-mini-2024-07-18",
      choices: [{ index: 0, message, logprobs: null, finish_reason: "stop" }],
      usage: { prompt_tokens: 512, completion_tokens: 140, total_tokens: 652 },
    }),
  );
}

/** The same response as a stream of small events. */
export function chatStream(bytes: number, seed: number): Uint8Array {
  const id = `chatcmpl-${Bun.randomUUIDv7()}`;
  let stream = "";
  for (let index = 0; stream.length < bytes; index += 1) {
    const choices = [{ index: 0, delta: { content: piece(4, seed + index) }, finish_reason: null }];
    stream += `data: ${JSON.stringify({ id, object: "chat.completion.chunk", model: "gpt-4o-mini", choices })}\n\n`;
  }
  return Buffer.from(stream.slice(0, bytes));
}

export function payloadsOf(day: string, bodies: (seed: number) => readonly [Uint8Array, Uint8Array]): Payload[] {
  return Array.from({ length: 64 }, (_, seed) => {
    const [request, response] = bodies(seed);
    return {
      requestId: Bun.randomUUIDv7() as RequestId,
      day,
      gatewayUserId: BigInt(seed + 1) as GatewayUserId,
      request,
      response: [response],
      requestBytes: request.length,
      responseBytes: response.length,
    };
  });
}
