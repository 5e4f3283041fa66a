import { noUnits, type Units } from "../../models/units.ts";
import type { ModelEntry } from "../model.ts";
import { toTokens } from "../usage-count/text-tokens.ts";
import type { Delta } from "./server-events.ts";

/** Sound travels as 16-bit samples, 24,000 a second, in base64: a token of speech is 50 ms of it, one of listening 100 ms. */
const charactersPerSpokenToken = 3_200;
const charactersPerHeardToken = 6_400;
const msPerHeardToken = 100n;
const audioAppendMark = '"input_audio_buffer.append"';

/** What a time of listening is in tokens. */
export function toHeardTokens(audioMs: bigint): bigint {
  return (audioMs + msPerHeardToken - 1n) / msPerHeardToken;
}

/** What was delivered of one response, for the case that the provider never counts it. */
export class ResponseCount {
  #letters = 0;
  #signs = 0;
  #textPieces = 0;
  #audioCharacters = 0;

  add({ kind, length, signs }: Delta): void {
    if (kind === "audio") {
      this.#audioCharacters += length;
    } else {
      this.#letters += length - signs;
      this.#signs += signs;
      this.#textPieces += length > 0 ? 1 : 0;
    }
  }

  /** The tokens of the text by the rule of every text, and one for each 50 ms of sound. */
  outputTokens(): number {
    const text = toTokens({ letters: this.#letters, signs: this.#signs }, this.#textPieces);
    return text + Math.ceil(this.#audioCharacters / charactersPerSpokenToken);
  }
}

/** What a response would be given to read: the conversation so far. */
export class ConversationCount {
  /** The size of the conversation when the provider last counted it. */
  #countedTokens = 0;
  #textBytes = 0;
  #audioCharacters = 0;

  /** The client added something. */
  onClientFrame(frame: string | Buffer): void {
    if (typeof frame === "string" && frame.includes(audioAppendMark)) {
      this.#audioCharacters += frame.length;
    } else {
      this.#textBytes += frame.length;
    }
  }

  /** The provider counted a response: its input was the whole conversation, and its output is a part of it now. */
  onCounted(units: Units): void {
    this.#countedTokens = Number(units.inputTokens + units.outputTokens);
    this.#textBytes = 0;
    this.#audioCharacters = 0;
  }

  /**
   * The units of a response that was not counted. What the provider had counted before is taken to come out of its
   * cache, because that is what providers do with a conversation that goes on. Never more than the model can take.
   */
  estimate(response: ResponseCount, model: ModelEntry): Units {
    const freshTokens =
      toTokens({ letters: this.#textBytes, signs: 0 }, 0) + Math.ceil(this.#audioCharacters / charactersPerHeardToken);
    const inputTokens = Math.min(this.#countedTokens + freshTokens, model.contextTokensMax);
    return {
      ...noUnits,
      inputTokens: BigInt(inputTokens),
      outputTokens: BigInt(Math.min(response.outputTokens(), model.outputTokensMax)),
      cacheReadTokens: BigInt(Math.min(this.#countedTokens, inputTokens)),
    };
  }
}
