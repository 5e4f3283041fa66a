import type { z } from "zod";
import { TokenError } from "./token-error.ts";

/** The parts of a stored credential. @throws TokenError when it is not of the kind that its channel says */
export function readCredential<Schema extends z.ZodType>(schema: Schema, credential: string): z.output<Schema> {
  try {
    return schema.parse(JSON.parse(credential));
  } catch {
    // The causes quote the credential.
    throw new TokenError("the stored credential is of another kind", true);
  }
}
