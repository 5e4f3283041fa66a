import { Stripe } from "stripe";
import { z } from "zod";
import { AppError } from "../../../platform/errors.ts";

/** Messages older than this, or from as far ahead, are refused, so that one that was overheard can't be kept for later. */
const toleranceSeconds = 300;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const timePattern = /^\d{1,12}$/;

const eventSchema = z.looseObject({
  id: z.string().min(1).max(255),
  type: z.string().min(1).max(100),
  livemode: z.boolean(),
  /** Of an account that is connected to ours; nothing of ours is about such. */
  account: z.string().nullish(),
  data: z.looseObject({ object: z.record(z.string(), z.unknown()) }),
});

export type CardEvent = z.output<typeof eventSchema>;

/**
 * Checks the signature over the bytes as they came, and only then reads them.
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
  // The package looks at the age only; a time ahead of ours would never grow old.
  if (Math.abs(Math.floor(nowMs / 1_000) - sentAt) > toleranceSeconds) {
    throw new AppError("timestamp_out_of_range");
  }
  if (!event.success) {
    throw new AppError("invalid_value", { internal: { issues: event.error.issues.length } });
  }
  return event.data;
}

/** The header must name one time: of two, the signature may cover the one and the reader believe the other. */
function readTime(signature: string): number {
  const times = signature.split(",").filter((part) => part.startsWith("t="));
  const [time = ""] = times.map((part) => part.slice(2));
  if (times.length !== 1 || !timePattern.test(time)) {
    throw new AppError("invalid_signature");
  }
  return Number(time);
}

/** Given as text, so that its bytes are the ones that came; of bytes the package would drop a mark at their beginning. */
async function verify(text: string, signature: string, secret: string): Promise<unknown> {
  try {
    // A tolerance of zero leaves the age out, which is judged by us.
    return await Stripe.webhooks.constructEventAsync(text, signature, secret, 0);
  } catch (cause) {
    // It is read only after its signature was found good; a header that is none makes the package fail in other ways.
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
