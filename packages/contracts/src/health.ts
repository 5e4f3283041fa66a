import { z } from "zod";
import { strictObject } from "./strict-object.ts";

/** What `/healthz` says while a process lives. `commit` is null in a checkout. */
export const healthResponse = strictObject(() => ({ version: z.string(), commit: z.string().nullable() }));
