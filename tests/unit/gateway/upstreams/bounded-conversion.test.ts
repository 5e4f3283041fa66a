/** Conversions run on the thread that serves all calls, and quota was held for the body of the client. */
import { describe, expect, test } from "bun:test";
import { convertWithinBounds } from "@sluice/control-plane/gateway/upstreams/bounded-conversion.ts";
import { ConversionError } from "@sluice/dialect-conversion/model";
import { fromResponsesRequest } from "@sluice/dialect-conversion/responses-to-chat/convert-request";
import { plainFlags } from "../../../support/conversion/plain-flags.ts";
import { processorMsOf } from "../../../support/values/processor-time.ts";

const settings = {
  ...{ upstreamModel: "vendor/model", clientModel: "model", outputTokensMax: 1_000, flags: plainFlags },
  ...{ makeId: () => "id", nowSeconds: 1_800_000_000 },
};

const convert = (request: object) =>
  convertWithinBounds(fromResponsesRequest, Buffer.from(JSON.stringify(request)), settings);

function refusalOf(request: object): string | null {
  try {
    convert(request);
    return null;
  } catch (error) {
    if (error instanceof ConversionError) {
      return error.message;
    }
    throw error;
  }
}

const repeat = (count: number, make: (index: number) => object) => Array.from({ length: count }, (_, i) => make(i));

describe("a request is not converted", () => {
  test("above 32 MiB", () => {
    expect(refusalOf({ input: "x".repeat(32 * 1024 * 1024) })).toMatch(/32 MiB/);
    expect(refusalOf({ input: "x".repeat(31 * 1024 * 1024) })).toBeNull();
  });

  test("with more than 50,000 objects and lists", () => {
    expect(refusalOf({ input: repeat(50_000, () => ({ role: "user", content: "x" })) })).toMatch(/50,000/);
    expect(refusalOf({ input: repeat(49_000, () => ({ role: "user", content: "x" })) })).toBeNull();
  });

  test("if it becomes far longer, because its quota was held for its own length", () => {
    expect(refusalOf({ input: "x", tools: repeat(2_000, (i) => ({ type: "custom", name: `t${i}` })) })).toMatch(
      /longer/,
    );
    expect(refusalOf({ input: "x", tools: repeat(20, (i) => ({ type: "custom", name: `t${i}` })) })).toBeNull();
  });
});

test("a list of a million numbers is looked through at once", () => {
  const parameters = { type: "object", enum: Array.from({ length: 1_000_000 }, () => 1) };
  // On a quiet machine it is 100 ms.
  const run = () => convert({ input: "Hi", tools: [{ type: "function", name: "f", parameters }] });
  expect(processorMsOf(run)).toBeLessThan(1_000);
});

test("a converted request is the bytes of its body", () => {
  const { body, converted } = convert({ input: "Hi" });
  expect(JSON.parse(body.toString("utf8"))).toEqual(converted.body);
});
