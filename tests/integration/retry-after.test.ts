/** The time that a provider asks to wait reaches the client unchanged, in both dialects. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { MessagesRig } from "../support/messages/messages-rig.ts";
import { arrangements } from "../support/service/sluice.ts";

const dialects = { chat: "/v1/chat/completions", messages: "/msgcompat/v1/messages" } as const;

describe.each(arrangements)("a provider that asks for a pause, %s", (arrangement) => {
  let messages: MessagesRig;
  let models = 0;

  beforeAll(async () => {
    messages = await MessagesRig.start(arrangement);
  });
  afterEach(() => messages.provider.reset());
  afterAll(() => messages.close());

  const ask = (dialect: keyof typeof dialects, name: string): Promise<Response> => {
    const model = dialect === "chat" ? `upstream-${name}` : name;
    const body = { model, max_tokens: 5, messages: [{ role: "user", content: "Hi" }] };
    return messages.call(dialects[dialect], { method: "POST", body: JSON.stringify(body) });
  };

  /** A model with a separate channel, whose next call gets this response. */
  async function modelThat(behaviour: Behaviour): Promise<string> {
    models += 1;
    const name = `pausing-${models}`;
    await messages.addModel(name);
    messages.provider.script(behaviour);
    return name;
  }

  const date = (offsetMs: number) => new Date(Date.now() + offsetMs).toUTCString();

  describe.each(["chat", "messages"] as const)("in the dialect of %s", (dialect) => {
    test.each<[string, () => Record<string, string>, string | null, string | null]>([
      ["2 seconds stay 2", () => ({ "retry-after": "2" }), "2", null],
      ["30 seconds stay 30", () => ({ "retry-after": "30" }), "30", null],
      [
        "milliseconds stay, and are a second for those who only know seconds",
        () => ({ "retry-after-ms": "700" }),
        "1",
        "700",
      ],
      ["both stay", () => ({ "retry-after": "3", "retry-after-ms": "2600" }), "3", "2600"],
      ["a date is the seconds to it", () => ({ date: date(0), "retry-after": date(20_000) }), "20", null],
      [
        "a date by a clock that is wrong as well",
        () => ({ date: date(3.6e6), "retry-after": date(3.607e6) }),
        "7",
        null,
      ],
    ])("%s", async (_name, headers, seconds, ms) => {
      for (const status of [429, 503]) {
        const name = await modelThat({ status, headers: headers() });
        const answer = await ask(dialect, name);
        expect(answer.status).toBe(status === 429 || dialect === "chat" ? status : 529);
        expect([answer.headers.get("retry-after"), answer.headers.get("retry-after-ms")]).toEqual([seconds, ms]);
        await answer.text();
      }
    });

    test("a client that comes back at the announced time is served", async () => {
      const name = await modelThat({ status: 429, headers: { "retry-after-ms": "300" } });
      const refused = await ask(dialect, name);
      expect(refused.status).toBe(429);
      await Bun.sleep(Number(refused.headers.get("retry-after-ms")));
      expect((await ask(dialect, name)).status).toBe(200);
    });
  });
});
