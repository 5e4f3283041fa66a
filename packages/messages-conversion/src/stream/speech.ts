import type { BlockWriter, SpeechKind } from "./block-writer.ts";
import type { ToolBlocks } from "./tool-blocks.ts";

/** What is said beside the tool calls: it waits while a call is half told, and leaves out empty lines before a call. */
export class Speech {
  readonly #writer: BlockWriter;
  readonly #tools: ToolBlocks;
  /** White space at the head of a text block; it is only worth a block if something follows. */
  #whiteSpace = "";
  readonly #held: { readonly kind: SpeechKind; text: string }[] = [];

  constructor(writer: BlockWriter, tools: ToolBlocks) {
    this.#writer = writer;
    this.#tools = tools;
  }

  /** Whether something waits for a tool call to be told. */
  get isHolding(): boolean {
    return this.#held.length > 0;
  }

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

  /** Says what waited, now that the tool calls are told. */
  release(): void {
    for (const { kind, text } of this.#held.splice(0)) {
      this.#writer.speak(kind, text);
    }
  }

  #withWhiteSpace(piece: string): string {
    const last = this.#held.at(-1)?.kind ?? this.#writer.openKind;
    const text = this.#whiteSpace + piece;
    if (last !== "text" && text.trim() === "") {
      this.#whiteSpace = text;
      return "";
    }
    this.#whiteSpace = "";
    return text;
  }

  #hold(kind: SpeechKind, text: string): void {
    const last = this.#held.at(-1);
    if (last?.kind === kind) {
      last.text += text;
    } else {
      this.#held.push({ kind, text });
    }
  }
}
