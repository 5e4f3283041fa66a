import { z } from "zod";
import { wireInteger } from "./wire.ts";

/** After a clearing: how many there have been. */
export const clearedCacheOutput = z.strictObject({ generation: wireInteger });
