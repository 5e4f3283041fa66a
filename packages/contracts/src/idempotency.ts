import { z } from "zod";

/**
 * The caller chooses the key, such as a UUID: a repetition with the same key has no further effect. It can also be sent
 * as the header `Idempotency-Key`.
 */
export const idempotencyKey = z.string().regex(/^[\x21-\x7e]{8,200}$/, "8 to 200 visible characters without spaces");
