import { describe, expect, test } from "bun:test";
import type { TargetAccess } from "@sluice/control-plane/event-targets/access.ts";
import { shownPlace } from "@sluice/control-plane/event-targets/access.ts";
import { judgeResponse } from "@sluice/control-plane/event-targets/delivery/judge-response.ts";
import { failingMsMax, pauseAfterMs, waitAfterMs } from "@sluice/control-plane/event-targets/delivery/retry-times.ts";
import { reasonOf, sendMessage } from "@sluice/control-plane/event-targets/delivery/send-message.ts";
import { writeMessage } from "@sluice/control-plane/event-targets/delivery/write-message.ts";
import type { HttpClientError } from "@sluice/http-client/model";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { ServerGuard } from "@sluice/http-client/server-guard";
import { Webhook } from "standardwebhooks";

const now = new Date();
const publicId = "0191e7b2-0000-4000-8000-00000000beef";
const event = { id: 5n, publicId, type: "channel.recovered", occurredAt: now, userId: null, count: 1 };
const writing = { now, service: "Sluice", isOldSecretValid: false };

describe("a message", () => {
  test("of a webhook verifies with the published library, and is refused once it is changed", () => {
    const secret = "whsec_YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh";
    const access: TargetAccess = { kind: "webhook", url: "https://example.org/", secret, oldSecret: null };
    const sent = { ...event, data: { channel: "ünï 🙂" } };
    const { body, headers } = writeMessage(access, sent, writing);
    const verify = (text: string) => new Webhook(secret).verify(text, Object.fromEntries(headers));
    expect(verify(body)).toMatchObject({ type: "channel.recovered" });
    expect(() => verify(body.replace("recovered", "down"))).toThrow();
  });

  test("to people stays within the smallest limit, whatever the texts", () => {
    const data = { violations: 1, invariants: Array.from({ length: 10 }, () => "*<>&@".repeat(100)) };
    const long = { ...event, type: "money_check.violated", data, count: 1_000_000, userId: 10n ** 18n };
    for (const access of [
      { kind: "slack", url: "https://example.org/" },
      { kind: "discord", url: "https://example.org/" },
      { kind: "telegram", botToken: "1:a", chatId: "1", server: "https://example.org" },
    ] as const) {
      const { text, content } = JSON.parse(writeMessage(access, long, writing).body) as {
        text?: string;
        content?: string;
      };
      expect((text ?? content ?? "").length).toBeWithin(100, 2_000);
    }
  });

  test("of an unknown type still says what it is", () => {
    const access = { kind: "slack", url: "https://example.org/" } as const;
    const { body } = writeMessage(access, { ...event, type: "toString", data: {} }, writing);
    expect(JSON.parse(body)).toEqual({ text: expect.stringContaining("*Sluice: toString*") });
  });
});

test("where a name leads in the network of the service is not told to who chose it", async () => {
  const guard = new ServerGuard({ isAllowed: () => false, lookup: async () => ["10.1.2.3"] });
  const client = new PooledHttpClient({ guard });
  const message = { url: "https://name.example/", headers: [], body: "{}" };
  const thrown = await sendMessage(client, message, new AbortController().signal).catch((error: unknown) => error);
  expect((thrown as Error).message).toContain("10.1.2.3");
  expect(reasonOf(thrown as HttpClientError)).toBe("its address is not allowed");
  client.close();
});

test("the address of a chat is never shown whole", () => {
  expect(shownPlace({ kind: "discord", url: "https://discord.example/api/webhooks/1/abcdef" })).toBe(
    "discord.example/…cdef",
  );
});

describe("a response", () => {
  const answer = (status: number, text = "", retryAfter: string | null = null) => ({ status, text, retryAfter });

  test("asks for a pause in the words of each server", () => {
    expect(judgeResponse("webhook", answer(503, "", "120"), 0)).toMatchObject({ retryAfterMs: 120_000 });
    expect(judgeResponse("discord", answer(429, '{"retry_after":0.3}'), 0)).toMatchObject({ retryAfterMs: 300 });
    expect(judgeResponse("discord", answer(429, '{"retry_after":"x"}'), 0)).toMatchObject({ retryAfterMs: null });
    expect(judgeResponse("webhook", answer(429, '{"retry_after":5}'), 0)).toMatchObject({ retryAfterMs: null });
  });

  test("says for good that an address is gone only where its server means that", () => {
    const isGone = (kind: Parameters<typeof judgeResponse>[0], status: number) =>
      (judgeResponse(kind, answer(status), 0) as { isGone?: boolean }).isGone;
    expect([isGone("webhook", 410), isGone("webhook", 404), isGone("slack", 404), isGone("discord", 404)]).toEqual([
      true,
      false,
      true,
      true,
    ]);
    expect([isGone("telegram", 403), isGone("telegram", 404)]).toEqual([true, false]);
  });

  test("with a success is a success, except where the body says otherwise", () => {
    expect(judgeResponse("webhook", answer(200, '{"code":1}'), 0)).toEqual({ kind: "delivered" });
    expect(judgeResponse("feishu", answer(200, '{"code":0}'), 0)).toEqual({ kind: "delivered" });
    expect(judgeResponse("feishu", answer(200, '{"code":9499}'), 0)).toMatchObject({ error: "code 9499" });
    expect(judgeResponse("webhook", answer(301), 0)).toMatchObject({ kind: "failed" });
  });
});

test("attempts take about a day in all, a pause that is asked for is at most a day, and one of a target ten minutes", () => {
  const waits = Array.from({ length: 8 }, (_, index) => waitAfterMs(index + 1, null, () => 0));
  expect(waits.at(-1)).toBeNull();
  const hours = waits.reduce<number>((sum, wait) => sum + (wait ?? 0), 0) / 3_600_000;
  expect(hours).toBeWithin(23, 26);
  expect(waitAfterMs(1, 10 * 86_400_000, () => 0)).toBe(86_400_000);
  expect([pauseAfterMs(1, null), pauseAfterMs(50, null)]).toEqual([2_000, 600_000]);
  expect(failingMsMax).toBeGreaterThan(86_400_000);
});
