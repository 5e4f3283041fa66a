import type { JsonObject } from "@sluice/messages-conversion/json";
import type { ClientEvent } from "../model.ts";

/** The events of one response, numbered from 0. */
export class EventQueue {
  #events: ClientEvent[] = [];
  #count = 0;

  put(type: string, fields: JsonObject): void {
    this.#events.push({ event: type, data: { type, sequence_number: this.#count, ...fields } });
    this.#count += 1;
  }

  /** The events since the last call. */
  drain(): readonly ClientEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}
