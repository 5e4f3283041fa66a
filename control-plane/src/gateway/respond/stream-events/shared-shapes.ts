import type { StreamForm } from "../../operations/model.ts";
import { type EventShape, outlineOf, shapeOf, type TextOf } from "./event-shape.ts";

/** An event that no stream has seen is compared with each of them. */
const shapesMax = 5;
/** How many outlines of events without a shape are kept. */
const outlinesMax = 8;

/** The shapes of events that streams of one kind have learned: what one has learned, the others need not. */
export class SharedShapes {
  /** The latest first. */
  readonly #shapes: EventShape[] = [];
  /** The outlines of events that were seen once; true if they were seen again and have no shape. */
  readonly #outlines = new Map<string, boolean>();

  /** The shape of the event that was found last. */
  found: EventShape | null = null;

  /** Where the event at `start` ends, if it has a shape that a stream has learned, and ends by `end`; else 0. */
  endIn(bytes: Buffer, start: number, end: number): number {
    for (const shape of this.#shapes) {
      const found = shape.endIn(bytes, start, end);
      if (found > 0) {
        this.found = shape;
        return found;
      }
    }
    return 0;
  }

  /** Learns the shape of a parsed event with content, if it is like an earlier one of any stream; else null. */
  learn(event: string, form: StreamForm, textOf: TextOf): EventShape | null {
    const outline = outlineOf(event);
    if (outline === null || this.#outlines.get(outline) === true) {
      return null;
    }
    if (!this.#outlines.has(outline)) {
      this.#note(outline, false);
      return null;
    }
    const shape = shapeOf(event, form, textOf);
    if (shape === null) {
      this.#note(outline, true);
    } else {
      this.#outlines.delete(outline);
      this.#shapes.unshift(shape);
      this.#shapes.length = Math.min(this.#shapes.length, shapesMax);
    }
    return shape;
  }

  #note(outline: string, isShapeless: boolean): void {
    this.#outlines.set(outline, isShapeless);
    const [oldest] = this.#outlines.keys();
    if (this.#outlines.size > outlinesMax && oldest !== undefined) {
      this.#outlines.delete(oldest);
    }
  }
}

/** Where a stream comes from. The channel is replaced as a whole when anything about it changes, and its shapes with it. */
export type StreamKind = { readonly channel: object; readonly usageDialect: string; readonly model: string };

const byChannel = new WeakMap<object, Map<string, ModelShapes[]>>();

/** Those of one model, in one of the forms that its streams may have. */
type ModelShapes = { readonly form: StreamForm; readonly usageDialect: string; readonly shapes: SharedShapes };

export function shapesOf({ channel, usageDialect, model }: StreamKind, form: StreamForm): SharedShapes {
  let ofChannel = byChannel.get(channel);
  if (ofChannel === undefined) {
    ofChannel = new Map();
    byChannel.set(channel, ofChannel);
  }
  let ofModel = ofChannel.get(model);
  if (ofModel === undefined) {
    ofModel = [];
    ofChannel.set(model, ofModel);
  }
  for (const known of ofModel) {
    if (known.form === form && known.usageDialect === usageDialect) {
      return known.shapes;
    }
  }
  const shapes = new SharedShapes();
  ofModel.push({ form, usageDialect, shapes });
  return shapes;
}
