import { AppError } from "../../platform/errors.ts";
import type { OrderFrom } from "../orders/place-order.ts";
import type { CodeAttempts } from "../port.ts";

/**
 * Does something with a coupon that a user named. Only unknown codes count as attempts, together with wrong redemption
 * codes.
 * @throws AppError `too_many_attempts`, and what `work` throws
 */
export async function tryCoupon<Result>(
  attempts: CodeAttempts,
  { user, clientIp }: OrderFrom,
  code: string | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  if (code === undefined || user === null) {
    return await work();
  }
  const attempt = await attempts.begin(user.userId, clientIp);
  const settled = await Promise.allSettled([work()]);
  const [result] = settled;
  if (result.status === "fulfilled" || !isUnknown(result.reason)) {
    await attempt.succeeded();
  }
  if (result.status === "rejected") {
    throw result.reason;
  }
  return result.value;
}

const isUnknown = (error: unknown): boolean => error instanceof AppError && error.code === "coupon_unknown";
