const openTag = "<think>";
const closeTag = "</think>";

export type ThinkPiece = { readonly kind: "thinking" | "text"; readonly text: string };

/**
 * Extracts the thinking from a text that begins with it, between `<think>` and `</think>`. Pieces may be torn anywhere,
 * even inside a tag; text that could still become a tag is held back until it is clear.
 */
export class ThinkTagSplitter {
  #place: "before" | "inside" | "after" = "before";
  #held = "";

  /** Returns everything that is certain after the next piece, in order. */
  push(piece: string): ThinkPiece[] {
    if (this.#place === "after") {
      return piecesOf("text", piece);
    }
    const text = this.#held + piece;
    this.#held = "";
    return this.#place === "before" ? this.#beforeTag(text) : this.#insideTag(text);
  }

  /** The text is over; anything held back is plain text. */
  end(): ThinkPiece[] {
    const kind = this.#place === "inside" ? "thinking" : "text";
    const held = this.#held;
    this.#held = "";
    return piecesOf(kind, held);
  }

  #beforeTag(text: string): ThinkPiece[] {
    const visible = text.trimStart();
    if (visible.startsWith(openTag)) {
      this.#place = "inside";
      return this.#insideTag(visible.slice(openTag.length));
    }
    if (openTag.startsWith(visible)) {
      this.#held = text;
      return [];
    }
    this.#place = "after";
    return piecesOf("text", text);
  }

  #insideTag(text: string): ThinkPiece[] {
    const end = text.indexOf(closeTag);
    if (end !== -1) {
      this.#place = "after";
      return [...piecesOf("thinking", text.slice(0, end)), ...piecesOf("text", text.slice(end + closeTag.length))];
    }
    const certain = text.length - tornTagLength(text);
    this.#held = text.slice(certain);
    return piecesOf("thinking", text.slice(0, certain));
  }
}

/** How much of the text's end could be the beginning of the closing tag. */
function tornTagLength(text: string): number {
  for (let length = Math.min(closeTag.length - 1, text.length); length > 0; length -= 1) {
    if (closeTag.startsWith(text.slice(-length))) {
      return length;
    }
  }
  return 0;
}

function piecesOf(kind: ThinkPiece["kind"], text: string): ThinkPiece[] {
  return text === "" ? [] : [{ kind, text }];
}
