/**
 * What `broken-streams`, `client-abort` and `upstream-faults` say of chat completions, in short, for every other route
 * from a client to a provider: native Messages and Responses, and the conversions.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { allRoutes, type CallRoute, surfaces } from "../support/calls/call-routes.ts";
import { FaultRig, type FaultRow } from "../support/calls/fault-rig.ts";
import { type RelayedResponse, relayedRequest } from "../support/calls/relayed-call.ts";
import { testRandom } from "../support/values/test-seed.ts";
import { connectRaw } from "../support/wire/raw-tcp-client.ts";

const isFull = process.env["TEST_FULL"] === "1";
const routes = allRoutes.slice(1);
const text = "One zwölf 三 🙂 four and a longer piece of text ";
const counts = { prompt: 1_011, completion: 29 };
const stream: Behaviour = { text, tokens: counts };
/** A channel that fails twenty times in a row is skipped for a while, so the cuts are spread over several. */
const cutsPerModel = 10;
const modelsPerRoute = isFull ? 40 : 1;
const patienceMs = 300;

type Fault = {
  readonly name: string;
  readonly behaviour: Behaviour;
  /** What clients get if there is no other channel: status and code, and status and type in the Messages API. */
  readonly openai: readonly [status: number, code: string];
  readonly messages: readonly [status: number, type: string];
  /** Tried twice if there is no other channel. */
  readonly isRepeated?: boolean;
};

const failed = { openai: [502, "upstream_error"], messages: [502, "api_error"] } as const;
const overloaded = { openai: [503, "no_upstream"], messages: [529, "overloaded_error"] } as const;
const late = { openai: [504, "upstream_timeout"], messages: [504, "timeout_error"] } as const;
const limited = { openai: [429, "upstream_rate_limited"], messages: [429, "rate_limit_error"] } as const;
const interrupted = { openai: [502, "stream_interrupted"], messages: [502, "api_error"] } as const;

const faults: readonly Fault[] = [
  { name: "status 500", behaviour: { status: 500 }, ...failed, isRepeated: true },
  { name: "status 502 with a page", behaviour: { status: 502, isHtmlBody: true }, ...failed, isRepeated: true },
  { name: "status 429", behaviour: { status: 429, retryAfter: 7 }, ...limited },
  { name: "status 503", behaviour: { status: 503, retryAfter: 3 }, ...overloaded },
  { name: "status 529", behaviour: { status: 529, retryAfter: 3 }, ...overloaded },
  { name: "status 408", behaviour: { status: 408 }, ...late },
  { name: "status 504", behaviour: { status: 504 }, ...late },
  { name: "status 401", behaviour: { status: 401 }, ...failed },
  { name: "status 403", behaviour: { status: 403 }, ...failed },
  { name: "a page with status 200", behaviour: { isHtmlBody: true }, ...failed },
  { name: "an empty body", behaviour: { body: "" }, ...failed },
  { name: "JSON that breaks off", behaviour: { body: '{"id":"x","content":[{"text":' }, ...failed },
  { name: "an object without a result", behaviour: { body: { hello: 1 } }, ...failed },
  { name: "a body that is reset", behaviour: { cut: { afterChunks: 0, with: "rst" } }, ...interrupted },
  { name: "a chunk size that is not a number", behaviour: { malformedFraming: 0, framing: "chunked" }, ...failed },
  { name: "bytes that are not HTTP", behaviour: { raw: "SSH-2.0-OpenSSH_9.2\r\n" }, ...failed },
];

const nameOf = ({ surface, channel }: CallRoute) => `${surface}-${channel}`;
const stories = routes.flatMap((route) =>
  faults.map((fault, index) => ({ ...fault, route, by: route.name, model: `fault-${nameOf(route)}-${index}` })),
);
const byRoute = routes.map((route) => ({ route, by: route.name }));

const priceOf = (row: FaultRow) => (row.input_tokens * 75n + row.output_tokens * 300n + 999n) / 1_000n;

describe("by every other route", () => {
  let faulty: FaultRig;
  let calls = 0;

  beforeAll(async () => {
    faulty = await FaultRig.create();
    for (const { model, route } of stories) {
      const speaks = route.channel;
      await faulty.addModel(`${model}-alone`, [{ name: `${model}-alone-1`, speaks }]);
      await faulty.addModel(`${model}-backed`, [
        { name: `${model}-backed-1`, speaks },
        { name: `${model}-backed-2`, speaks },
      ]);
    }
    for (const route of routes) {
      const speaks = route.channel;
      await faulty.addModel(`left-${nameOf(route)}`, [{ name: `left-${nameOf(route)}`, speaks }]);
      for (let index = 0; index < modelsPerRoute; index += 1) {
        const model = `cut-${nameOf(route)}-${index}`;
        await faulty.addModel(model, [
          { name: `${model}-1`, speaks },
          { name: `${model}-2`, speaks },
        ]);
        faulty.provider.script(stream, { match: { credential: `upstream-${model}-2` }, times: "always" });
      }
    }
    await faulty.start("one-process", { ABORTED_USAGE_TIMEOUT_MS: String(patienceMs) });
  });

  afterAll(async () => {
    await faulty.waitUntilReleased();
    await faulty.rig.waitForUsageRows(calls);
    expect(await faulty.rowCount()).toBe(calls);
    expect(await faulty.rig.checkMoney()).toEqual([]);
    await faulty.close();
  });

  const ask = (route: CallRoute, model: string, body: object = {}): Promise<RelayedResponse> => {
    calls += 1;
    return faulty.ask(route.surface, model, body);
  };

  const idOf = ({ requestId }: RelayedResponse) => `req_${requestId.replaceAll("-", "")}`;

  test.concurrent.each(stories)("$name, $by: alone a clean error, else served by the next channel", async (story) => {
    const { route, model, behaviour, isRepeated = false } = story;
    const times = isRepeated ? 2 : 1;
    const surface = surfaces[route.surface];
    faulty.provider.script(behaviour, { match: { credential: `upstream-${model}-alone-1` }, times });
    const alone = await ask(route, `${model}-alone`);
    const error = surface.errorOf(alone.body);
    expect(
      route.surface === "messages"
        ? [alone.status, error?.type, error?.requestId]
        : [alone.status, error?.code, alone.requestId === ""],
    ).toEqual(route.surface === "messages" ? [...story.messages, idOf(alone)] : [...story.openai, false]);
    const free = await faulty.row(alone.requestId);
    expect(free).toMatchObject({ outcome: "failed", usage_source: "none", quota: 0n });
    expect(free.attempts).toHaveLength(times);

    faulty.provider.script(behaviour, { match: { credential: `upstream-${model}-backed-1` } });
    faulty.provider.script({ tokens: counts }, { match: { credential: `upstream-${model}-backed-2` } });
    const backed = await ask(route, `${model}-backed`);
    expect({ status: backed.status, isWhole: backed.isWhole }).toEqual({ status: 200, isWhole: true });
    const row = await faulty.row(backed.requestId);
    expect(row).toMatchObject({ outcome: "completed", usage_source: "provider", input_tokens: 1_011n, quota: 85n });
    expect(row.attempts.map(({ channel }) => channel)).toEqual([`${model}-backed-1`, `${model}-backed-2`]);
  });

  /** Of a stream that ends at this byte, and how. */
  const expectCharged = async (route: CallRoute, model: string, cut: NonNullable<Behaviour["cut"]>): Promise<void> => {
    const surface = surfaces[route.surface];
    faulty.provider.script({ ...stream, cut }, { match: { credential: `upstream-${model}-1` } });
    const answer = await ask(route, model, { stream: true });
    const row = await faulty.row(answer.requestId);
    const seen = surface.textsOf(answer.body).join("");
    expect(answer.status).toBe(200);
    expect(row.quota).toBe(priceOf(row));
    const isComplete = surface.isComplete(answer.body);
    expect(answer.isWhole).toBe(isComplete || !route.isBrokenOff);
    if (isComplete) {
      // Nothing had been sent, so the other channel responded; or only the end was missing, which is added.
      expect(seen).toBe(text);
      expect(row).toMatchObject({ outcome: "completed", usage_source: "provider", output_tokens: 29n, quota: 85n });
      return;
    }
    expect(text).toStartWith(seen);
    const error = surface.errorOf(answer.body);
    expect(route.surface === "messages" ? [error?.type, error?.requestId] : error?.code).toEqual(
      route.surface === "messages" ? ["api_error", idOf(answer)] : "stream_interrupted",
    );
    expect(row).toMatchObject({ outcome: "failed", error_code: "stream_interrupted" });
    expect(row.attempts.map(({ channel }) => channel)).toEqual([`${model}-1`]);
    // Never more than the provider said, or than the letters that were sent.
    expect(Number(row.output_tokens)).toBeLessThanOrEqual(Math.max(29, seen.length));
    expect(row.output_tokens > 0n).toBe(seen !== "" || row.usage_source === "provider");
  };

  test.concurrent.each(byRoute)(
    "$by: a stream that ends at any byte never looks complete unless it is, and costs what was delivered",
    async ({ route }) => {
      const random = testRandom(routes.indexOf(route));
      faulty.provider.script(stream, { match: { credential: `upstream-cut-${nameOf(route)}-0-1` } });
      const whole = await ask(route, `cut-${nameOf(route)}-0`, { stream: true });
      expect(whole.isWhole).toBe(true);
      const bytes = faulty.provider.requests.findLast(({ credential }) =>
        credential?.startsWith(`upstream-cut-${nameOf(route)}`),
      )?.bytesWritten;
      expect(bytes).toBeGreaterThan(500);
      await Promise.all(
        Array.from({ length: modelsPerRoute }, async (_, index) => {
          for (let nth = 0; nth < cutsPerModel; nth += 1) {
            const cut = {
              afterBytes: 1 + Math.floor(random() * (bytes ?? 0)),
              with: nth % 2 === 0 ? "rst" : "fin",
            } as const;
            await expectCharged(route, `cut-${nameOf(route)}-${index}`, cut).catch((cause: unknown) => {
              throw new Error(`a stream that ends after ${cut.afterBytes} of ${bytes} bytes by ${cut.with}`, { cause });
            });
          }
        }),
      );
    },
  );

  test.concurrent.each(byRoute)("$by: a client that leaves pays for what arrived, once", async ({ route }) => {
    const { path, fields } = surfaces[route.surface];
    const model = `left-${nameOf(route)}`;
    const credential = `upstream-${model}`;
    const requests = () =>
      faulty.provider.requests.flatMap((each, index) => (each.credential === credential ? [index] : []));
    for (const [nth, how] of (["rst", "fin"] as const).entries()) {
      calls += 1;
      faulty.provider.script({ chunks: 60, tokens: counts, silence: { afterChunks: 20 } }, { match: { credential } });
      const user = await faulty.rig.addUser();
      const connection = await connectRaw(Number(new URL(faulty.relay.url).port));
      connection.send(relayedRequest({ apiKey: user.apiKey, path, body: { model, stream: true, ...fields } }));
      await connection.waitForText("tok ");
      await faulty.provider.waitForHeld(requests()[nth] ?? 0);
      connection.close(how);
      await faulty.provider.waitForCancel(requests()[nth] ?? 0);
      const row = await faulty.rowOf(user);
      expect(row).toMatchObject({ outcome: "aborted", http_status: 499, error_code: "client_closed_request" });
      expect(row.attempts).toEqual([expect.objectContaining({ channel: model, result: "client_left" })]);
      expect(row.input_tokens).toBeGreaterThan(0n);
      expect(Number(row.output_tokens)).toBeWithin(1, 25);
      expect(row.quota).toBe(priceOf(row));
    }
  });
});
