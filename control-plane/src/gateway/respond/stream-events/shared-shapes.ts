import type { StreamForm } from "../../operations/model.ts";
import type { EventShape } from "./event-shape.ts";

/** An event that no stream has seen is compared with each of them. */
const shapesMax = 4;

/** The shapes of events that streams of one kind have learned: what one has learned, the others need not. */
export class SharedShapes {
  /** The latest first. */
  readonly #shapes: EventShape[] = [];

  /** The shape of an event that was parsed; null if no stream has learned it yet. */
  find(bytes: Buffer, start: number, end: number): EventShape | null {
    for (const shape of this.#shapes) {
      if (shape.endIn(bytes, start, end) === end) {
        return shape;
      }
    }
    return null;
  }

  add(shape: EventShape): void {
    this.#shapes.unshift(shape);
    this.#shapes.length = Math.min(this.#shapes.length, shapesMax);
  }
}

/** Where a stream comes from. The channel is replaced as a whole when anything about it changes, and its shapes with it. */
export type StreamKind = { readonly channel: object; readonly usageDialect: string; readonly model: string };

const byChannel = new WeakMap<object, Map<string, SharedShapes>>();

export function shapesOf({ channel, usageDialect, model }: StreamKind, form: StreamForm): SharedShapes {
  let ofChannel = byChannel.get(channel);
  if (ofChannel === undefined) {
    ofChannel = new Map();
    byChannel.set(channel, ofChannel);
  }
  const key = `${form} ${usageDialect} ${model}`;
  let shapes = ofChannel.get(key);
  if (shapes === undefined) {
    shapes = new SharedShapes();
    ofChannel.set(key, shapes);
  }
  return shapes;
}
