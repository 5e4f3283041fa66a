import { noUnits, type Units } from "../../models/units.ts";
import { plus } from "../../platform/amount.ts";
import type { ModelEntry } from "../model.ts";
import { charactersPerSpokenToken, Tally } from "../usage-count/tally.ts";
import { toTokens } from "../usage-count/text-tokens.ts";
import type { Piece } from "./server-events.ts";

/** A token of input audio is twice as long as one of output audio. */
const charactersPerHeardToken = charactersPerSpokenToken * 2;
/** How many items of a response, and parts of an item, are told apart. */
const keysMax = 1_024;
const audioAppendMark = '"input_audio_buffer.append"';

/** What was delivered of one item: in deltas, and in parts that were sent whole. */
class ItemCount {
  readonly #pieces = new Tally();
  readonly #wholes = new Map<string, Tally>();

  add(piece: Piece): void {
    const pieces = this.#pieces;
    if (piece.kind === "whole") {
      const { part, size } = piece;
      const known = this.#wholes.get(part);
      if ((known === undefined && this.#wholes.size < keysMax) || (known !== undefined && known.tokens < size.tokens)) {
        this.#wholes.set(part, size);
      }
    } else if (piece.kind === "audio") {
      pieces.soundCharacters += piece.length;
    } else {
      pieces.letters += piece.length - piece.signs;
      pieces.signs += piece.signs;
      pieces.events += piece.length > 0 ? 1 : 0;
    }
  }

  /** A part sent whole counts only as far as it exceeds its deltas; text and audio are counted separately. */
  get tokens(): number {
    const parts = new Tally();
    for (const [part, size] of this.#wholes) {
      if (part !== "all") {
        parts.letters += size.letters;
        parts.signs += size.signs;
        parts.soundCharacters += size.soundCharacters;
      }
    }
    const tallies = [this.#pieces, parts, this.#wholes.get("all") ?? parts];
    const text = Math.max(...tallies.map((tally) => toTokens(tally, tally.events)));
    const sound = Math.max(...tallies.map(({ soundCharacters }) => soundCharacters));
    return text + Math.ceil(sound / charactersPerSpokenToken);
  }
}

/** The part of a response that was delivered, in case the provider never counts it. */
export class ResponseCount {
  readonly #items = new Map<string, ItemCount>();

  add(piece: Piece): void {
    const item = this.#items.get(piece.item) ?? new ItemCount();
    item.add(piece);
    if (this.#items.size < keysMax) {
      this.#items.set(piece.item, item);
    }
  }

  /** The tokens of the text by the general rule, and one for each 50 ms of audio. */
  outputTokens(): number {
    return [...this.#items.values()].reduce((sum, { tokens }) => sum + tokens, 0);
  }
}

/** The input of the next response, which is the conversation so far. */
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

  /** The provider counted a response: its input was the whole conversation, and its output is now part of it. */
  onCounted(units: Units): void {
    this.#countedTokens = Number(plus(units.inputTokens, units.outputTokens));
    this.#textBytes = 0;
    this.#audioCharacters = 0;
  }

  /**
   * The units of a response that the provider did not count. Whatever the provider had counted before is assumed to
   * come from its cache, because that is how providers treat a continuing conversation. The units never exceed what the
   * model can read.
   */
  estimate(response: ResponseCount, model: ModelEntry): Units {
    const freshTokens =
      toTokens({ letters: this.#textBytes, signs: 0 }, 0) + Math.ceil(this.#audioCharacters / charactersPerHeardToken);
    const inputTokens = Math.min(this.#countedTokens + freshTokens, model.contextTokensMax);
    return {
      ...noUnits,
      inputTokens,
      outputTokens: Math.min(response.outputTokens(), model.outputTokensMax),
      cacheReadTokens: Math.min(this.#countedTokens, inputTokens),
    };
  }
}
