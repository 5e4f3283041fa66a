import { z } from "zod";

/** Chosen by the caller, like a UUID: the same key again does nothing twice. It can also come as the header `Idempotency-Key`. */
export const idempotencyKey = z.string().regex(/^[\x21-\x7e]{8,200}$/, "8 to 200 visible characters without spaces");
