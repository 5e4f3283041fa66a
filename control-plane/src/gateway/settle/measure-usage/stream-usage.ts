import { noUnits } from "../../../models/units.ts";
import { asObject, type Json, type ReportedUnits } from "../../usage-count/units.ts";
import { type UsageDialect, usageReaders } from "../../usage-count/usage-readers.ts";

const pictureEvent = /^image_(?:generation|edit)\.completed$/;

function isPicture({ type }: Json): boolean {
  return typeof type === "string" && pictureEvent.test(type);
}

/** Follows what the events of a stream report about its usage. */
export class StreamUsage {
  readonly #dialect: UsageDialect;
  /** What was reported so far, where reports complete each other. */
  #merged: Json = {};
  #reported: ReportedUnits | null = null;

  constructor(dialect: UsageDialect) {
    this.#dialect = dialect;
  }

  /** The usage by everything reported so far, or null. */
  get reported(): ReportedUnits | null {
    return this.#reported;
  }

  /** Whether an event reports anything. Nearly none does. */
  reports(payload: Json): boolean {
    const { mayReport, places, read } = usageReaders[this.#dialect];
    return (
      mayReport(payload) && (isPicture(payload) || places(payload).some((place) => read(asObject(place)) !== null))
    );
  }

  /**
   * Adds the usage in an event's payload; each finished image counts.
   * @returns whether the event reported anything
   */
  add(payload: Json): boolean {
    if (!usageReaders[this.#dialect].mayReport(payload)) {
      return false;
    }
    const known = this.#reported;
    const usage = this.#read(payload);
    const isOfPicture = isPicture(payload);
    if (isOfPicture) {
      this.#reported = { ...(usage ?? known ?? noUnits), images: (known?.images ?? 0) + 1 };
    } else if (usage !== null) {
      this.#reported = usage;
    }
    return isOfPicture || usage !== null;
  }

  #read(payload: Json): ReportedUnits | null {
    const { places, read, merge } = usageReaders[this.#dialect];
    for (const place of places(payload)) {
      const usage = asObject(place);
      const units = read(usage);
      if (units !== null) {
        this.#merged = merge === null ? usage : merge(this.#merged, usage);
        return merge === null ? units : read(this.#merged);
      }
    }
    return null;
  }
}
