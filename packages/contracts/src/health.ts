import { z } from "zod";

/** What `/healthz` says while a process lives. `commit` is null in a checkout. */
export const healthResponse = z.strictObject({ version: z.string(), commit: z.string().nullable() });
