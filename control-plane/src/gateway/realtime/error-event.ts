import type { AppError } from "../../platform/errors.ts";
import { toOpenaiError } from "../respond/write-error.ts";

/**
 * An error as an event of a session.
 * @param causeId the id of the client's event that caused it
 */
export function toErrorEvent(error: AppError, causeId: string | null = null): string {
  const event = { ...toOpenaiError(error).error, event_id: causeId };
  return JSON.stringify({ type: "error", event_id: `event_${Bun.randomUUIDv7("hex")}`, error: event });
}
