import { z } from "zod";
import { AppError } from "../../../platform/errors.ts";
import { loadCardPackage } from "./card-package.ts";

/**
 * Messages older than this, or as far in the future, are refused, so that an intercepted one can't be kept for later.
 */
const toleranceSeconds = 300;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const timePattern = /^\d{1,12}$/;

const eventSchema = z.looseObject({
  id: z.string().min(1).max(255),
  type: z.string().min(1).max(100),
  livemode: z.boolean(),
  /** An account that is connected to ours; nothing of ours concerns such accounts. */
  account: z.string().nullish(),
  data: z.looseObject({ object: z.record(z.string(), z.unknown()) }),
});

export type CardEvent = z.output<typeof eventSchema>;

/**
 * Checks the signature over the bytes as received, and only then parses them.
 * @param nowMs since 1970
 * @throws AppError `invalid_signature`, `timestamp_out_of_range`, `invalid_json`, `invalid_value`
 */
export async function readSignedEvent(
  bytes: Uint8Array,
  signature: string | null,
  secret: string,
  nowMs: number,
): Promise<CardEvent> {
  const sentAt = readTime(signature ?? "");
  const event = eventSchema.safeParse(await verify(decode(bytes), signature ?? "", secret));
  // The package only checks the age; a message with a time in the future would never be too old.
  if (Math.abs(Math.floor(nowMs / 1_000) - sentAt) > toleranceSeconds) {
    throw new AppError("timestamp_out_of_range");
  }
  if (!event.success) {
    throw new AppError("invalid_value", { internal: { issues: event.error.issues.length } });
  }
  return event.data;
}

/** The header must name one time: with two, the signature may cover one and the parser use the other. */
function readTime(signature: string): number {
  const times = signature.split(",").filter((part) => part.startsWith("t="));
  const [time = ""] = times.map((part) => part.slice(2));
  if (times.length !== 1 || !timePattern.test(time)) {
    throw new AppError("invalid_signature");
  }
  return Number(time);
}

/** Passed as text, so that its bytes are the received ones; from bytes the package would drop a byte order mark. */
async function verify(text: string, signature: string, secret: string): Promise<unknown> {
  const { webhooks } = await loadCardPackage();
  try {
    // A tolerance of zero disables the age check, which is ours.
    return await webhooks.constructEventAsync(text, signature, secret, 0);
  } catch (cause) {
    // It is parsed only after its signature was found valid; a malformed header makes the package fail in other ways.
    throw new AppError(cause instanceof SyntaxError ? "invalid_json" : "invalid_signature", { cause });
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new AppError("invalid_signature", { internal: { reason: "not UTF-8" } });
  }
}
