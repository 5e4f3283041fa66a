/** Counting tokens is free, so that it is bounded: by the size of what is counted, and one at a time for each key. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { MessagesRig, messagesModel } from "../support/messages/messages-rig.ts";
import { arrangements } from "../support/service/sluice.ts";
import { connectRaw, rawRequest } from "../support/wire/raw-tcp-client.ts";

const path = "/msgcompat/v1/messages/count_tokens";
const bytesMax = 4 * 1024 * 1024;

describe.each(arrangements)("counting tokens, %s", (arrangement) => {
  let messages: MessagesRig;

  beforeAll(async () => {
    messages = await MessagesRig.start(arrangement);
  });
  afterAll(() => messages.close());

  const bodyOf = (content: string): string =>
    JSON.stringify({ model: messagesModel, messages: [{ role: "user", content }] });
  const count = (body: string, apiKey = messages.user.apiKey): Promise<Response> =>
    messages.call(path, { method: "POST", body, apiKey });

  test("of more than 4 MiB is refused in the words of the API; messages may be longer", async () => {
    const large = bodyOf("word ".repeat(bytesMax / 5));
    const answer = await count(large);
    expect([answer.status, await answer.json()]).toMatchObject([413, { error: { type: "request_too_large" } }]);
    const fitting = await count(bodyOf("word ".repeat((bytesMax - 1_024) / 5)));
    expect(fitting.status).toBe(200);
    const { input_tokens: tokens } = (await fitting.json()) as { input_tokens: number };
    expect(tokens).toBeGreaterThan(500_000);
    const sent = await messages.post({ messages: [{ role: "user", content: "word ".repeat(bytesMax / 5) }] });
    expect(sent.status).not.toBe(413);
    await sent.text();
  });

  const why =
    arrangement === "split" ? " (skipped: a relay apart from its gateway asks it once the body has come)" : "";
  test.skipIf(arrangement === "split")(
    `waits for the same key's previous count, and is refused when too many wait; other keys don't notice${why}`,
    async () => {
      const other = await messages.rig.addUser();
      const body = bodyOf("Hello");
      const slow = await connectRaw(Number(new URL(messages.sluice.url).port));
      // A connection is handed over with its first request, which takes longer than the others on theirs.
      slow.send(rawRequest(["GET /healthz HTTP/1.1", "Host: 127.0.0.1"]));
      await slow.waitForText("200 OK");
      // This one is let in and then keeps its turn, because its body does not come.
      slow.send(
        [
          `POST ${path} HTTP/1.1`,
          "Host: 127.0.0.1",
          `x-api-key: ${messages.user.apiKey}`,
          "Content-Type: application/json",
          `Content-Length: ${body.length}\r\n\r\n`,
        ].join("\r\n"),
      );
      const answers: Response[] = [];
      const asked: Promise<unknown>[] = [];
      const ask = () => asked.push(count(body).then((answer) => answers.push(answer)));
      while (answers.length === 0) {
        ask();
        await Bun.sleep(5);
      }
      const [refused] = answers;
      expect([refused?.status, await refused?.json()]).toMatchObject([429, { error: { type: "rate_limit_error" } }]);
      expect(refused?.headers.get("retry-after")).toBe("1");
      expect((await count(body, other.apiKey)).status).toBe(200);
      // One that arrived only now would take a place that the first one leaves.
      await waitUntil(() => Promise.resolve(answers.length === asked.length - 8));
      slow.send(body);
      await slow.waitForText("input_tokens");
      await Promise.all(asked);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(8);
      slow.close();
    },
  );

  test("of one key take turns, however many come at once", async () => {
    const body = bodyOf("word ".repeat(100_000));
    const answers = await Promise.all(Array.from({ length: 40 }, () => count(body)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(8);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
  });

  test("an invalid large count is refused like a small one", async () => {
    const padding = "x".repeat(2 * 1024 * 1024);
    const wrong: [body: string, status: number, start: string][] = [
      [`{"model":"${messagesModel}","messages":[],"x":"${padding}"}`, 400, "messages: "],
      [`{"model":"claude-none","messages":[{"role":"user","content":"${padding}"}]}`, 404, "model: claude-none"],
      [`{"model":"${messagesModel}","thread":{},"x":"${padding}"}`, 400, "thread: "],
      [`{"model":"${padding}`, 400, ""],
    ];
    for (const [body, status, start] of wrong) {
      const answer = await count(body);
      const { error } = (await answer.json()) as { error: { message: string } };
      expect([answer.status, error.message.slice(0, start.length)]).toEqual([status, start]);
    }
  });
});
