import type { Delivered, EventText, EventTexts } from "../../usage-count/model.ts";
import { Tally } from "../../usage-count/tally.ts";
import { asObject, type Json } from "../../usage-count/units.ts";

/** Events of an item whose types end like this contain something new; others repeat earlier content. */
const newParts = /(?:delta|partial_image)$/;
const draft = /partial_image$/;
/** Output tokens of a square image; larger ones cost more. */
const usualPictureTokens = 1_056;
const pictureTokens: ReadonlyMap<unknown, number> = new Map([
  ["low", 272],
  ["medium", usualPictureTokens],
  ["high", 4_160],
]);
/** How many items of a response are told apart. */
const itemsMax = 1_024;
/** What an item of a response delivered: in deltas, and where it was repeated whole. */
type Item = { readonly pieces: Tally; whole: Tally };

/** Counts what events deliver while they pass. */
export class DeliveredCount {
  readonly #rest: Item = { pieces: new Tally(), whole: new Tally() };
  /** Null while there are none, as in most dialects. */
  #items: Map<unknown, Item> | null = null;
  /** A draft of an image came, and the final image has not. */
  #isDrawing = false;
  #hasOutput = false;
  #pictureTokens = usualPictureTokens;

  add(event: Json): void {
    const { response, output_index: index } = event;
    const type = typeOf(event);
    if (event["type"] === undefined && response === undefined) {
      this.#addRest(event, "");
    } else if (typeof response === "object" && response !== null) {
      const { output } = response as Json;
      for (const [place, item] of Array.isArray(output) ? output.entries() : []) {
        this.#sayAgain(this.#item(place), asObject(item));
      }
    } else if (index !== undefined) {
      const item = this.#item(index);
      if (newParts.test(type)) {
        item.pieces.addEvent(event);
        this.#hasOutput ||= !item.pieces.isEmpty;
      } else {
        this.#sayAgain(item, event);
      }
    } else if (type.endsWith(".done")) {
      this.#sayAgain(this.#rest, event);
    } else {
      this.#addRest(event, type);
    }
  }

  /** What an event adds that is counted by its text, and not with an image or what it repeats; null for any other. */
  textOf(event: Json): EventText | null {
    const { response, output_index: index } = event;
    const type = typeOf(event);
    if (response !== undefined || type.endsWith(".done")) {
      return null;
    }
    if (index !== undefined && !(typeof index === "number" && newParts.test(type))) {
      return null;
    }
    const { letters, signs, pictures, soundCharacters } = tallyOf(event);
    return pictures + soundCharacters === 0 ? { letters, signs, item: index ?? null } : null;
  }

  /** Adds events by what they would add. */
  addTexts(texts: EventTexts): void {
    const { pieces } = texts.item === null ? this.#rest : this.#item(texts.item);
    pieces.addTexts(texts, texts.events);
    this.#hasOutput ||= !pieces.isEmpty;
  }

  get hasOutput(): boolean {
    return this.#hasOutput;
  }

  /** Events with new text, without those of items. */
  get texts(): number {
    return this.#rest.pieces.events;
  }

  get delivered(): Delivered {
    let { tokens, textBytes } = larger(this.#rest);
    let pictures = this.#rest.pieces.pictures + (this.#isDrawing ? 1 : 0);
    for (const item of this.#items?.values() ?? []) {
      const written = larger(item);
      tokens += written.tokens;
      textBytes += written.textBytes;
      // An item is one image, however often it is redrawn.
      pictures += item.pieces.pictures + item.whole.pictures > 0 ? 1 : 0;
    }
    return { outputTokens: tokens + pictures * this.#pictureTokens, textBytes, pictures, items: 0 };
  }

  /** All drafts without a final image count as one image. */
  #addRest(event: Json, type: string): void {
    const { pieces } = this.#rest;
    const before = pieces.pictures;
    pieces.addEvent(event);
    this.#hasOutput ||= !pieces.isEmpty;
    if (pieces.pictures > before) {
      this.#pictureTokens = tokensOfPicture(event);
      this.#isDrawing = draft.test(type);
      pieces.pictures = this.#isDrawing ? before : pieces.pictures;
    }
  }

  /** A part sent whole counts only as far as it exceeds its deltas. */
  #sayAgain(item: Item, event: Json): void {
    const whole = tallyOf(event);
    this.#hasOutput ||= !whole.isEmpty;
    if (whole.tokens + whole.pictures >= item.whole.tokens + item.whole.pictures) {
      item.whole = whole;
    }
  }

  #item(index: unknown): Item {
    this.#items ??= new Map();
    let item = this.#items.get(index);
    if (item === undefined) {
      item = { pieces: new Tally(), whole: new Tally() };
      if (this.#items.size < itemsMax) {
        this.#items.set(index, item);
      }
    }
    return item;
  }
}

/** What an item delivered in parts, or what it repeated whole if that is more. */
function larger({ pieces, whole }: Item): Tally {
  return pieces.tokens >= whole.tokens ? pieces : whole;
}

function tallyOf(event: Json): Tally {
  const tally = new Tally();
  tally.add(event, "", 0);
  return tally;
}

function tokensOfPicture({ quality }: Json): number {
  return pictureTokens.get(quality) ?? usualPictureTokens;
}

/** A type that is not a string counts as none: nothing that a provider sends may throw. */
function typeOf({ type }: Json): string {
  return typeof type === "string" ? type : "";
}

/** Counts what a response that came whole delivered. */
export function countDeliveredAnswer(answer: Json): Delivered {
  const size = new Tally();
  const { choices, output, content, candidates } = answer;
  size.add(choices ?? output ?? content ?? candidates ?? answer, "", 0);
  const items = ["data", "results"].reduce(
    (sum, name) => sum + (Array.isArray(answer[name]) ? answer[name].length : 0),
    0,
  );
  const outputTokens = size.tokens + size.pictures * tokensOfPicture(answer);
  return { outputTokens, textBytes: size.textBytes, pictures: size.pictures, items };
}

const pictureKeys = ['"b64_json"', '"url"'].map((key) => Buffer.from(key));
const backslash = 0x5c;
const quote = 0x22;

/**
 * How many images a complete response holds. Images are long, so the response is searched and not parsed. A provider
 * may give one image in both forms, or leave one of them empty.
 */
export function countPictures(body: Buffer): number {
  return Math.max(...pictureKeys.map((key) => countTexts(body, key)));
}

/** Finds the key before a string; inside a string its quotes would be escaped. */
function countTexts(body: Buffer, key: Buffer): number {
  let found = 0;
  for (let at = body.indexOf(key); at !== -1; at = body.indexOf(key, at + key.length)) {
    const value = body.subarray(at + key.length, at + key.length + 8).toString("latin1");
    const isText = value.trimStart().startsWith(":") && value.replace(":", "").trimStart().charCodeAt(0) === quote;
    found += isText && body[at - 1] !== backslash ? 1 : 0;
  }
  return found;
}
