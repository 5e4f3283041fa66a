import { Database as Sqlite } from "bun:sqlite";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { peerFile } from "./peers.ts";

const [heldQuota, callQuota] = [500, 100];

/** A chat completion as every provider answers it, whole or as a stream that takes this long. */
export function answerChat(isStream: boolean, streamMs = 40): Response {
  const usage = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 };
  const head = { id: "chatcmpl-1", created: 1, model: "gpt-4o" };
  const message = { role: "assistant", content: "Hello." };
  if (!isStream) {
    return Response.json({
      ...head,
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason: "stop" }],
      usage,
    });
  }
  const chunk = (fields: object): string =>
    `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...fields })}\n\n`;
  const body = new ReadableStream<Uint8Array>({
    start: async (controller) => {
      const encoder = new TextEncoder();
      controller.enqueue(encoder.encode(chunk({ choices: [{ index: 0, delta: message, finish_reason: null }] })));
      // The time that a provider takes to write.
      await Bun.sleep(streamMs);
      controller.enqueue(encoder.encode(chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })));
      controller.enqueue(encoder.encode(chunk({ choices: [], usage })));
      controller.enqueue(encoder.encode("data: [DONE]\n\n"));
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/**
 * one-api as its customers see it, on a copy of a database that it has written: a call needs a key that is enabled, holds
 * quota of its user while it runs, and costs less in the end.
 */
export class OldGateway implements Disposable {
  readonly path: string;
  readonly url: string;
  calls = 0;
  running = 0;
  readonly #folder = mkdtempSync(join(tmpdir(), "sluice-old-"));
  readonly #file: Sqlite;
  readonly #server: Bun.Server<undefined>;

  /** @param upstreamUrl where the channels of its database lead */
  constructor(upstreamUrl: string) {
    this.path = join(this.#folder, "one-api.db");
    copyFileSync(peerFile("one-api"), this.path);
    this.#file = new Sqlite(this.path);
    this.#file.run("pragma busy_timeout = 5000");
    this.#file.run("update channels set base_url = ? where type = 1", [upstreamUrl]);
    this.#server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => this.#answer(request) });
    this.url = `http://127.0.0.1:${this.#server.port}`;
  }

  quotaOf(username: string): number {
    return (
      this.#file.query<{ quota: number }, [string]>("select quota from users where username = ?").get(username)
        ?.quota ?? 0
    );
  }

  async #answer(request: Request): Promise<Response> {
    const key =
      request.headers
        .get("authorization")
        ?.replace(/^Bearer /, "")
        .replace(/^sk-/, "") ?? "";
    const user = this.#file
      .query<{ id: number }, [string]>(
        "select u.id from tokens t join users u on u.id = t.user_id where t.key = ? and t.status = 1 and u.status = 1",
      )
      .get(key);
    if (user === null) {
      return Response.json({ error: { message: "invalid token" } }, { status: 401 });
    }
    const { stream = false, user: slow } = (await request.json()) as { stream?: boolean; user?: string };
    this.calls += 1;
    this.running += 1;
    this.#change(user.id, -heldQuota);
    const answer = answerChat(stream, slow === "slow" ? 3_000 : 40);
    const text = answer.body?.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        flush: () => {
          this.#change(user.id, heldQuota - callQuota);
          this.running -= 1;
        },
      }),
    );
    return new Response(text ?? null, { headers: answer.headers });
  }

  #change(userId: number, quota: number): void {
    this.#file.run("update users set quota = quota + ? where id = ?", [quota, userId]);
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true);
    this.#file.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
