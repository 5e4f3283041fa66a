import { describe, expect, test } from "bun:test";
import type { ChannelId } from "@sluice/contracts/ids";
import { parseRequest } from "@sluice/control-plane/gateway/admit/parse-request.ts";
import { refusesUsageOption, UsageOptions } from "@sluice/control-plane/gateway/dispatch/usage-option.ts";
import type { AttemptFailure } from "@sluice/control-plane/gateway/model.ts";
import { findOperation } from "@sluice/control-plane/gateway/operations/table.ts";
import { type Bytes, viewOf } from "@sluice/http-client/packet-part";
import fc from "fast-check";
import { keyText, objectText, spaced, valueText } from "../../../../support/values/json-text.ts";

const numRuns = process.env["TEST_FULL"] === "1" ? 20_000 : 300;
const chat = findOperation("/v1/chat/completions");
const parse = (text: string) => parseRequest(Buffer.from(text), "application/json", chat);
const asText = (bytes: Bytes) => viewOf(bytes).toString("utf8");

type Member = readonly [name: string, value: string];

const fixed: readonly Member[] = [
  ["model", '"any"'],
  ["messages", '[{"role":"user","content":"x"}]'],
  ["stream", "true"],
];
const others = fc.uniqueArray(fc.tuple(fc.constantFrom("x1", "x2", "x3", "x4"), valueText), {
  selector: ([name]) => name,
  maxLength: 4,
});

/** A request for a stream with these members besides the required and some random ones, in any order and spelling. */
function requestWith(more: readonly Member[]): fc.Arbitrary<string> {
  const shuffled = others.chain((some) => {
    const all = [...fixed, ...more, ...some];
    return fc.shuffledSubarray(all, { minLength: all.length });
  });
  const written = shuffled.chain((pairs) =>
    fc.tuple(...pairs.map(([name, value]) => fc.tuple(keyText(name), fc.constant(value)))),
  );
  return spaced(objectText(written));
}

describe("the usage option of a stream", () => {
  test("is added, and every byte of the client is still there in its order", () => {
    fc.assert(
      fc.property(requestWith([]), (text) => {
        const sent = asText(parse(text).body);
        expect(JSON.parse(sent)).toEqual({ ...JSON.parse(text), stream_options: { include_usage: true } });
        const added = '"stream_options":{"include_usage":true},';
        const at = sent.indexOf(added);
        expect(sent.slice(0, at) + sent.slice(at + added.length)).toBe(text);
      }),
      { numRuns },
    );
  });

  test("is switched on inside existing options, and everything around them stays", () => {
    const options = fc.constantFrom(
      "null",
      "{}",
      '{"include_usage":false}',
      '{ "include_obfuscation" : true }',
      '{"a":[1]}',
    );
    const request = options.chain((value) => requestWith([["stream_options", value]]).map((text) => ({ text, value })));
    fc.assert(
      fc.property(request, ({ text, value }) => {
        const sent = asText(parse(text).body);
        const expected = { ...JSON.parse(value), include_usage: true };
        expect(JSON.parse(sent)).toEqual({ ...JSON.parse(text), stream_options: expected });
        expect(sent.replace(JSON.stringify(expected), () => value)).toBe(text);
      }),
      { numRuns },
    );
  });

  const messages = '"messages":[{"role":"user","content":"x"}]';
  test.each([
    [
      "the client asked for it itself",
      `{"model":"m",${messages},"stream":true,"stream_options":{"include_usage":true}}`,
    ],
    [
      "the client asked for it itself, in another spelling",
      `{"model":"m",${messages},"stream":true,"stream_options":{ "include_usage" : true }}`,
    ],
    ["there is no stream", `{"model":"m",${messages},"stream":false}`],
    ["no stream is mentioned", ` {"model":"m",${messages}}\n`],
  ])("changes nothing when %s", (_why, text) => {
    expect(asText(parse(text).body)).toBe(text);
  });

  const request = parse(`{"model":"m",${messages},"stream":true}`);
  const refused = (status: number, message: string, param: string | null = null) => ({
    failure: { status } as AttemptFailure,
    upstreamError: { message, type: "invalid_request_error", param, code: "bad" },
  });

  test("counts as refused by a provider only when the provider names it, and the client did not request it", () => {
    const named = refused(400, "Unknown field: stream_options");
    expect(refusesUsageOption(named, request)).toBe(true);
    expect(refusesUsageOption(refused(422, "Unknown field", "stream_options"), request)).toBe(true);
    expect(refusesUsageOption(refused(400, "The prompt is too long"), request)).toBe(false);
    expect(refusesUsageOption(refused(500, "stream_options"), request)).toBe(false);
    expect(refusesUsageOption({ ...named, upstreamError: null }, request)).toBe(false);
    const asked = parse(`{"model":"m",${messages},"stream":true,"stream_options":{"include_usage":true}}`);
    expect(refusesUsageOption(named, asked)).toBe(false);
  });

  test("is left out for ten minutes at a channel that refused it, and at no other", () => {
    let tick = 5;
    const options = new UsageOptions({ tick: () => tick });
    const [one, other] = [1n, 2n] as [ChannelId, ChannelId];
    options.leaveOut(one);
    expect([options.asks(one), options.asks(other)]).toEqual([false, true]);
    tick += 599_999;
    expect(options.asks(one)).toBe(false);
    tick += 1;
    expect(options.asks(one)).toBe(true);
  });

  test("is not sent to the Responses API, which reports its usage anyway", () => {
    const text = '{"model":"m","input":"x","stream":true}';
    expect(asText(parseRequest(Buffer.from(text), "application/json", findOperation("/v1/responses")).body)).toBe(text);
  });
});
