import type { FieldReader } from "../field-reader.ts";
import { ConversionError } from "../model.ts";
import type { CacheMark } from "./blocks.ts";

/** Reads `cache_control`, which clients put on messages, parts, tools and the request itself. */
export class CacheMarks {
  #hasAny = false;

  /** Whether the client marked anything, so that it manages the cache itself. */
  get hasAny(): boolean {
    return this.#hasAny;
  }

  /** The mark of an object, to be spread into a block. @throws ConversionError if it is malformed */
  read(holder: FieldReader): CacheMark {
    const control = holder.object("cache_control");
    if (control === null) {
      return {};
    }
    if (control.oneOf("type", ["ephemeral"]) === null) {
      throw new ConversionError(`Missing required parameter: '${control.pathOf("type")}'.`, control.pathOf("type"));
    }
    const ttl = control.oneOf("ttl", ["5m", "1h"]);
    this.#hasAny = true;
    return { cache_control: ttl === null ? { type: "ephemeral" } : { type: "ephemeral", ttl } };
  }
}
