import { expect } from "bun:test";
import { type ErrorCode, errorDefinition } from "@sluice/contracts/errors";
import type { SluiceProcess, TestUser } from "../service/sluice.ts";
import { promptMs } from "../values/patience.ts";
import type { Exchange } from "../wire/raw-exchange.ts";
import { type RelayScene, waitUntil } from "./relay-scene.ts";

/** How a call is refused. Omitted fields follow from the code. */
export type Wanted = {
  readonly code: ErrorCode;
  readonly status?: number;
  readonly param?: string | null;
  /** How often the provider is asked; never by default. */
  readonly upstreamCalls?: number;
  readonly retryAfter?: boolean;
  /** The front first waits for the body of this call, which does not come. */
  readonly isBodyAwaited?: boolean;
  /** The only channel is tried a second time after a short while. */
  readonly isRepeated?: boolean;
  /** Another format than the OpenAI API's: paths outside of `/v1` belong to no dialect. */
  readonly isOutside?: boolean;
};

const durationMsMax = 250;
/** How long a busy machine may take to carry a long body through its processes. */
const carriedBytesPerMs = 10_000;
/** How long the front waits for a body, and how late its timer may be. */
const awaitedMs = 1_200;
/** How long a channel may rest before it is tried again. */
const restMsMax = 1_500;
const triesMax = 8;

/**
 * Sends a call that must be refused, and checks everything that applies to every refusal. Returns the last response.
 */
export async function expectRefusal(
  scene: RelayScene,
  send: () => Promise<Exchange>,
  wanted: Wanted,
): Promise<Exchange> {
  const callsBefore = scene.provider.totals.requests;
  let answer = await send();
  let tries = 1;
  // A machine that is busy with something else is not the service's fault; being slow each time is. A channel is not
  // asked twice, because it may be in a pause by then.
  while (answer.durationMs > limitMs(answer, wanted) && tries < triesMax && wanted.upstreamCalls === undefined) {
    answer = await send();
    tries += 1;
  }
  expect(describeAnswer(answer, wanted)).toEqual(describeWanted(wanted));
  expect(answer.headers.get("content-type")).toMatch(/^application\/json; ?charset=utf-8$/);
  expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.headers.has("retry-after")).toBe(wanted.retryAfter === true);
  expect(scene.provider.totals.requests - callsBefore).toBe((wanted.upstreamCalls ?? 0) * tries);
  expect(answer.durationMs).toBeLessThanOrEqual(limitMs(answer, wanted));
  await expectNoSecret(scene, `${JSON.stringify([...answer.headers])}${answer.body}`);
  return answer;
}

function limitMs(answer: Exchange, wanted: Wanted): number {
  const restMs = (wanted.isRepeated === true ? restMsMax : 0) + (wanted.isBodyAwaited === true ? awaitedMs : 0);
  return wanted.upstreamCalls === undefined
    ? durationMsMax + answer.sentBytes / carriedBytesPerMs + restMs
    : promptMs + restMs;
}

function describeWanted(wanted: Wanted): object {
  const { status, openaiType, message } = errorDefinition(wanted.code);
  const outside = { ok: false, code: wanted.code, message };
  const inside = { code: wanted.code, type: openaiType, param: wanted.param ?? null };
  return { status: wanted.status ?? status, ...(wanted.isOutside === true ? outside : inside) };
}

function describeAnswer(answer: Exchange, wanted: Wanted): object {
  const { ok, error } = JSON.parse(answer.body === "" ? "{}" : answer.body);
  const { code, type, param, message } = error ?? {};
  expect(message).toBeString();
  const { status } = answer;
  return wanted.isOutside === true ? { status, ok, code, message } : { status, code, type, param };
}

/** Fails when a text contains the credential of a channel, or enough of an API key to be of use. */
export async function expectNoSecret(scene: RelayScene, text: string): Promise<void> {
  const channels = await scene.rig.db.sql<{ name: string }>`select name from channel`;
  const credentials = channels.map(({ name }) => `upstream-${name}`);
  const ends = scene.rig.users.flatMap(({ apiKey }) => [apiKey.slice(0, 20), apiKey.slice(-20)]);
  expect([...credentials, ...ends].filter((secret) => text.includes(secret))).toEqual([]);
}

/** The whole lines of a log; one that is being written does not count yet. */
export function linesOf(process: SluiceProcess): string[] {
  return process.log().split("\n").slice(0, -1);
}

/** Fails unless every line of the logs so far is JSON with time, level and event, and none holds a secret. */
export async function expectCleanLogs(scene: RelayScene): Promise<void> {
  for (const process of new Set([scene.sluice, scene.gateway])) {
    const lines = linesOf(process);
    await expectNoSecret(scene, lines.join("\n"));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      const { time, level, event } = JSON.parse(line);
      expect([new Date(time).toISOString(), level, event]).toEqual([time, expect.any(String), expect.any(String)]);
    }
  }
}

/**
 * Fails unless the service still works and the one good call that it gets here is all that anyone was ever charged for.
 */
export async function expectNothingCharged(scene: RelayScene, user: TestUser): Promise<void> {
  const answer = await fetch(`${scene.sluice.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${user.apiKey}`, "content-type": "application/json" },
    body: '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"hello"}]}',
  });
  expect(answer.status).toBe(200);
  const requestId = answer.headers.get("x-request-id") ?? "";
  // Rows are committed in the order in which calls ended, so all earlier ones exist once this one does.
  const findRow = () => scene.rig.db.sql`select 1 from usage_log where request_id = ${requestId}::uuid and quota > 0`;
  await waitUntil(async () => (await findRow()).length === 1);
  const charged = await scene.rig.db.sql`
    select request_id::text as request_id, path, error_code, quota from usage_log
    where quota <> 0 and request_id <> ${requestId}::uuid`;
  expect([...charged]).toEqual([]);
  expect(await scene.rig.checkMoney()).toEqual([]);
}
