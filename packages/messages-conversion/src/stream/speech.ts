import { badUpstreamResponse } from "../errors/messages-error.ts";
import type { BlockWriter, SpeechKind } from "./block-writer.ts";
import type { ToolBlocks } from "./tool-blocks.ts";

/** The limit for text of one response that is held back, in characters. */
const heldLengthMax = 16_777_216;

/** Text beside the tool calls. It waits while a call is incomplete, and omits empty lines before a call. */
export class Speech {
  readonly #writer: BlockWriter;
  readonly #tools: ToolBlocks;
  /** White space at the start of a text block; it is only sent if something follows. */
  #whiteSpace = "";
  readonly #held: { readonly kind: SpeechKind; text: string }[] = [];
  #heldLength = 0;

  constructor(writer: BlockWriter, tools: ToolBlocks) {
    this.#writer = writer;
    this.#tools = tools;
  }

  /** Whether text is held back until a tool call was sent. */
  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /** @throws MessagesError when more text is held back than any response needs */
  say(kind: SpeechKind, piece: string): void {
    const text = kind === "text" ? this.#withWhiteSpace(piece) : piece;
    if (text === "") {
      return;
    }
    if (this.#tools.hasPending && !this.#tools.areComplete) {
      this.#hold(kind, text);
      return;
    }
    this.#tools.flush(false);
    this.release();
    this.#writer.speak(kind, text);
  }

  forgetWhiteSpace(): void {
    this.#whiteSpace = "";
  }

  /** Sends the held text, now that the tool calls were sent. */
  release(): void {
    for (const { kind, text } of this.#held.splice(0)) {
      this.#writer.speak(kind, text);
    }
  }

  #withWhiteSpace(piece: string): string {
    const last = this.#held.at(-1)?.kind ?? this.#writer.openKind;
    const text = this.#whiteSpace + piece;
    // The held text is only white space, so only the new piece has to be checked.
    if (last !== "text" && piece.trim() === "") {
      this.#countHeld(piece);
      this.#whiteSpace = text;
      return "";
    }
    this.#whiteSpace = "";
    return text;
  }

  #hold(kind: SpeechKind, text: string): void {
    this.#countHeld(text);
    const last = this.#held.at(-1);
    if (last?.kind === kind) {
      last.text += text;
    } else {
      this.#held.push({ kind, text });
    }
  }

  #countHeld(text: string): void {
    this.#heldLength += text.length;
    if (this.#heldLength > heldLengthMax) {
      throw badUpstreamResponse("The provider's response is too long.");
    }
  }
}
