import { isGiven, type JsonObject } from "@sluice/messages-conversion/json";
import { type AnswerConverter, ConversionError, type StreamConverter } from "../model.ts";
import type { CallFacts } from "./output-items.ts";
import { ResponseStream } from "./response-stream.ts";

/** Makes responses of chat completions. */
export class ResponseConverter implements AnswerConverter {
  readonly #facts: JsonObject;
  readonly #calls: CallFacts;
  readonly #makeId: () => string;

  constructor(facts: JsonObject, calls: CallFacts, makeId: () => string) {
    this.#facts = facts;
    this.#calls = calls;
    this.#makeId = makeId;
  }

  /** A whole completion is read as a stream of one chunk, so that both give the same response. */
  whole(answer: JsonObject): JsonObject {
    const { choices, error } = answer;
    const [first] = Array.isArray(choices) ? choices : [];
    if (isGiven(error) || !isGiven(first)) {
      throw new ConversionError("The provider did not send a chat completion.");
    }
    const stream = this.#open();
    stream.take(answer);
    stream.end();
    return stream.response;
  }

  stream(): StreamConverter {
    return this.#open();
  }

  #open(): ResponseStream {
    return new ResponseStream(this.#facts, this.#calls, this.#makeId);
  }
}
