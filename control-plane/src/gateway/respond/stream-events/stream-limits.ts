/** A longer event is invalid. */
export const eventBytesMax = 4_194_304;
/** How much an upstream may send after the last event before we hang up; the end of a chunked body takes a few bytes. */
export const afterLastEventBytesMax = 16_384;

export const nothing = Buffer.alloc(0);
