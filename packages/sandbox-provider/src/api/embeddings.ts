/** POST /v1/embeddings: vectors of length 1 that depend only on the text. */
import type { Answer } from "../wire/plan.ts";
import { seededRandom } from "../wire/seeded-random.ts";
import type { ApiCall } from "./api-call.ts";
import { jsonAnswer, refuse } from "./json-answer.ts";
import { asArray, optionalCount, requireBody } from "./prompt.ts";
import { countContent } from "./usage.ts";

const dimensionsDefault = 1_536;
const dimensionsMax = 8_192;

/** @throws RequestRefused */
export function answerEmbeddings(call: ApiCall): Answer {
  const body = requireBody(call.request);
  const inputs = readInputs(body["input"]);
  const dimensions = Math.min(optionalCount(body, "dimensions", 1) ?? dimensionsDefault, dimensionsMax);
  const data = inputs.map((input, index) => {
    const vector = embed(input, dimensions);
    const isBase64 = body["encoding_format"] === "base64";
    const embedding = isBase64 ? Buffer.from(vector.buffer).toString("base64") : Array.from(vector);
    return { object: "embedding", index, embedding };
  });
  const tokens = inputs.reduce(
    (sum, input) => sum + (typeof input === "string" ? countContent(input) : input.length),
    0,
  );
  const usage = { prompt_tokens: tokens, total_tokens: tokens, ...call.behaviour.usage };
  return jsonAnswer({
    object: "list",
    data,
    model: body.model,
    ...(call.behaviour.omitUsage === true ? {} : { usage }),
  });
}

type Input = string | readonly number[];

/** The input is a text, a list of texts, a list of token numbers, or a list of such lists. */
function readInputs(input: unknown): readonly Input[] {
  const listed = typeof input === "string" || isTokenList(input) ? [input] : asArray(input);
  const inputs = listed.filter((one): one is Input => (typeof one === "string" && one !== "") || isTokenList(one));
  if (inputs.length === 0 || inputs.length !== listed.length) {
    throw refuse("'$.input' is invalid.", "input");
  }
  return inputs;
}

function isTokenList(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((token) => typeof token === "number");
}

/** A vector of length 1. */
export function embed(input: Input, dimensions: number): Float32Array {
  const random = seededRandom(Bun.hash.crc32(typeof input === "string" ? input : input.join(" ")));
  const vector = Float32Array.from({ length: dimensions }, () => random() - 0.5);
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}
