/** How the gateway handles channels that refuse, fail, are full, or lead back to itself. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { FaultRig } from "../support/calls/fault-rig.ts";
import { errorIn, type RelayedResponse } from "../support/calls/relayed-call.ts";
import { arrangements } from "../support/service/sluice.ts";

const isFull = process.env["TEST_FULL"] === "1";

describe.each(arrangements)("the state of channels, %s", (arrangement) => {
  let faulty: FaultRig;

  beforeAll(async () => {
    faulty = await FaultRig.create();
    const { user } = faulty;
    await faulty.addModel("words", [{ name: "words-1" }, { name: "words-2" }]);
    await faulty.addModel("pause", [{ name: "pause-1" }, { name: "pause-2" }]);
    await faulty.addModel("storm", [{ name: "storm-1" }, { name: "storm-2" }, { name: "storm-3" }]);
    await faulty.addModel("circuit", [{ name: "circuit-1" }, { name: "circuit-2" }]);
    await faulty.addModel("only", [{ name: "only" }]);
    await faulty.addModel("full", [{ name: "full-1", concurrencyMax: 3 }]);
    await faulty.addModel("overflow", [
      { name: "overflow-1", concurrencyMax: 3 },
      { name: "overflow-2", concurrencyMax: 5 },
    ]);
    await faulty.addModel("nobody", []);
    await faulty.start(arrangement);
    await faulty.addModel("loop", [
      { name: "loop-1", baseUrl: `${faulty.relay.url}/v1`, credential: user.apiKey },
      { name: "loop-2" },
    ]);
    await faulty.addModel("keyless-loop", [
      { name: "keyless-loop-1", baseUrl: `${faulty.relay.url}/v1` },
      { name: "keyless-loop-2" },
    ]);
    await faulty.waitForModel("keyless-loop");
  });

  afterAll(async () => {
    await faulty.close();
  });

  const always = (channel: string) => ({ match: { credential: `upstream-${channel}` }, times: "always" }) as const;
  const requestsTo = (channel: string) =>
    faulty.provider.requests.filter(({ credential }) => credential === `upstream-${channel}`).length;
  const many = (count: number, model: string, body: object = {}): Promise<RelayedResponse[]> =>
    Promise.all(Array.from({ length: count }, () => faulty.call(model, body)));
  const countStatuses = (answers: readonly RelayedResponse[]) => {
    const counts: Record<number, number> = {};
    for (const { status } of answers) {
      counts[status] = (counts[status] ?? 0) + 1;
    }
    return counts;
  };

  test.each([
    ["filtered content", 400, "content_filter"],
    ["a context that is too long", 400, "context_length_exceeded"],
    ["an unknown parameter", 422, "unknown_parameter"],
    ["an unknown model", 404, "model_not_found"],
  ])(
    "%s is reported in the provider's words, without its secrets, and not retried elsewhere",
    async (what, status, code) => {
      const secrets = "key sk-abcdefghijklmnop0123456789, Bearer abcdefghijklmnop.123456 and ?api_key=hunter22";
      const error = { message: `${what}: ${secrets}`, type: "invalid_request_error", param: "messages", code };
      const before = requestsTo("words-2");
      for (const body of [{}, { stream: true }]) {
        faulty.provider.script(
          { status, body: { error, secret: "not for clients" } },
          { match: { credential: "upstream-words-1" } },
        );
        const answer = await faulty.call("words", body);
        expect(answer.status).toBe(status);
        expect(JSON.parse(answer.body.toString("utf8"))).toEqual({
          error: {
            ...error,
            message: `${what}: key sk-[redacted], Bearer [redacted] and ?api_key=[redacted]`,
          },
        });
        const row = await faulty.row(answer.requestId);
        expect(row).toMatchObject({ outcome: "failed", error_code: "upstream_rejected", quota: 0n });
      }
      expect(requestsTo("words-2")).toBe(before);
    },
  );

  test("a refusal of ten megabytes says nothing about the request: 502 when all channels send one, without its text", async () => {
    const huge = { status: 400, hugeBodyBytes: 10_485_760, headers: { "Content-Type": "application/json" } };
    faulty.provider.script(huge, { times: 2 });
    const answer = await faulty.call("words");
    expect(answer.status).toBe(502);
    expect(errorIn(answer.body)?.code).toBe("upstream_error");
    expect(answer.body.length).toBeLessThan(1_000);
  });

  test("a channel that asks for a pause gets it, and calls go to other channels meanwhile", async () => {
    faulty.provider.script({ status: 429, retryAfter: 30 }, always("pause-1"));
    expect((await faulty.call("pause")).status).toBe(200);
    expect(countStatuses(await many(10, "pause"))).toEqual({ 200: 10 });
    expect({ first: requestsTo("pause-1"), second: requestsTo("pause-2") }).toEqual({ first: 1, second: 11 });
  });

  test("a provider that refuses everything for a while is not flooded", async () => {
    const [callers, callsMin] = [8, 150];
    for (const channel of ["storm-1", "storm-2", "storm-3"]) {
      faulty.provider.script({ status: 429, retryAfter: 1 }, always(channel));
    }
    let calls = 0;
    const refusals: RelayedResponse[] = [];
    const began = performance.now();
    const caller = async () => {
      while (performance.now() - began < (isFull ? 20_000 : 3_500) || calls < callsMin) {
        calls += 1;
        refusals.push(await faulty.call("storm"));
        await Bun.sleep(25);
      }
    };
    await Promise.all(Array.from({ length: callers }, caller));
    const seconds = (performance.now() - began) / 1_000;
    const attempts = ["storm-1", "storm-2", "storm-3"].reduce((sum, channel) => sum + requestsTo(channel), 0);
    // Each channel is asked once a second, by as many as come at that moment. A flood is three attempts for each call.
    expect(attempts).toBeLessThanOrEqual(3 * callers * (1 + seconds));
    expect(countStatuses(refusals)).toEqual({ 429: calls });
    expect(refusals.every(({ headers }) => Number(headers.get("retry-after")) >= 1)).toBe(true);
    expect(new Set(refusals.map(({ body }) => errorIn(body)?.code))).toEqual(new Set(["upstream_rate_limited"]));
  });

  test("a circuit opens when half of twenty calls fail, sends one probe, and closes when that succeeds", async () => {
    faulty.provider.script({ status: 500 }, always("circuit-1"));
    // One after the other, so that each failure is known before the next call chooses; few after the pause has begun, which
    // would be over after many on a busy machine.
    for (let call = 0; call < 23; call += 1) {
      expect((await faulty.call("circuit")).status).toBe(200);
    }
    expect({ first: requestsTo("circuit-1"), second: requestsTo("circuit-2") }).toEqual({ first: 20, second: 23 });
    // Once the pause is over, one call at a time is let through.
    faulty.provider.reset();
    faulty.provider.script({ silence: { afterBytes: 0 } }, { match: { credential: "upstream-circuit-1" } });
    const probe = await faulty.callUntilRequest("circuit", "upstream-circuit-1");
    expect(countStatuses(await many(12, "circuit"))).toEqual({ 200: 12 });
    expect(requestsTo("circuit-1")).toBe(1);
    probe.record.release();
    expect((await probe.answer).status).toBe(200);
    expect((await faulty.call("circuit")).status).toBe(200);
    expect(requestsTo("circuit-1")).toBe(2);
  });

  test("with every circuit open a call ends as 503 at once", async () => {
    faulty.provider.script({ status: 500 }, always("only"));
    // Each call tries the only channel twice. All at once, because twenty failures count together only if they come within seconds.
    expect(countStatuses(await many(10, "only"))).toEqual({ 502: 10 });
    const answer = await faulty.call("only");
    expect({ status: answer.status, code: errorIn(answer.body)?.code }).toEqual({ status: 503, code: "no_upstream" });
    expect(Number(answer.headers.get("retry-after"))).toBeWithin(1, 6);
    expect(await faulty.row(answer.requestId)).toMatchObject({ outcome: "failed", quota: 0n, attempts: [] });
  });

  test("a model that no channel serves ends as 503", async () => {
    const answer = await faulty.call("nobody");
    expect({ status: answer.status, code: errorIn(answer.body)?.code }).toEqual({ status: 503, code: "no_upstream" });
  });

  test("a channel for three concurrent calls never gets a fourth; the others learn when to retry, and pay nothing", async () => {
    // Far longer than it takes for all of them to arrive, on a busy machine too.
    faulty.provider.script({ firstTokenDelayMs: 2_000, text: "slow" }, always("full-1"));
    const answers = await many(50, "full");
    const counts = countStatuses(answers);
    expect(faulty.provider.totals.inFlightMaxByCredential["upstream-full-1"]).toBe(3);
    expect(counts[200]).toBeGreaterThanOrEqual(3);
    expect((counts[200] ?? 0) + (counts[429] ?? 0)).toBe(50);
    for (const answer of answers.filter(({ status }) => status === 429)) {
      expect(errorIn(answer.body)?.code).toBe("upstream_rate_limited");
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
      expect(await faulty.row(answer.requestId)).toMatchObject({ outcome: "failed", quota: 0n, usage_source: "none" });
    }
  });

  test("calls above a channel's limit go to the next one, up to its limit", async () => {
    const behaviour = { chunks: 4, chunkDelayMs: 500 };
    faulty.provider.script(behaviour, always("overflow-1"));
    faulty.provider.script(behaviour, always("overflow-2"));
    const answers = await many(50, "overflow", { stream: true });
    const most = faulty.provider.totals.inFlightMaxByCredential;
    expect([most["upstream-overflow-1"], most["upstream-overflow-2"]]).toEqual([3, 5]);
    expect(countStatuses(answers)[200]).toBeGreaterThanOrEqual(8);
    expect(answers.filter(({ status }) => status === 200).every(({ isWhole }) => isWhole)).toBe(true);
    // The slots of a channel are released: the next calls find room again.
    expect(countStatuses(await many(8, "overflow", { stream: true }))).toEqual({ 200: 8 });
  });

  test.each(["loop", "keyless-loop"])("a channel that leads back here ends as 508 (%s)", async (model) => {
    const answer = await faulty.call(model);
    expect({ status: answer.status, code: errorIn(answer.body)?.code }).toEqual({ status: 508, code: "loop_detected" });
    const row = await faulty.row(answer.requestId);
    expect(row).toMatchObject({ outcome: "failed", quota: 0n });
    expect(row.attempts.map(({ result }) => result)).toEqual(["loop"]);
  });

  test("afterwards nothing is held and the books are correct", async () => {
    await faulty.waitUntilReleased();
    expect(await faulty.rig.checkMoney()).toEqual([]);
  });
});
