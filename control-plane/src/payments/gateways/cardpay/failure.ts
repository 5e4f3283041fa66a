import type { Stripe } from "stripe";
import { AppError } from "../../../platform/errors.ts";
import { isPackageError } from "./card-package.ts";

/** Codes and ids for the log; the gateway's message may quote what was sent. */
export function failureOf(error: unknown): AppError {
  if (!isPackageError(error, "StripeError")) {
    return new AppError("payment_gateway_failed", { cause: error });
  }
  const { type, code, param, statusCode, requestId } = error;
  return new AppError("payment_gateway_failed", {
    internal: { gateway: "cardpay", type, code, param, statusCode, gatewayRequestId: requestId },
  });
}

/** Whether the gateway has refused a request for what it says, as opposed to failing it. */
export const isInvalidRequest = (error: unknown): error is Stripe.errors.StripeInvalidRequestError =>
  isPackageError(error, "StripeInvalidRequestError");

/** @throws AppError `payment_gateway_failed` */
export async function asked<Answer>(request: Promise<Answer>): Promise<Answer> {
  return await request.catch((error: unknown) => {
    throw failureOf(error);
  });
}

/** Null for something that the gateway does not have. @throws AppError `payment_gateway_failed` */
export async function orMissing<Answer>(request: Promise<Answer>): Promise<Answer | null> {
  return await request.catch((error: unknown) => {
    if (isInvalidRequest(error) && error.statusCode === 404) {
      return null;
    }
    throw failureOf(error);
  });
}

/** Null for what the gateway refuses: it is so already, or can't be. @throws AppError `payment_gateway_failed` */
export async function orRefused<Answer>(request: Promise<Answer>): Promise<Answer | null> {
  return await request.catch((error: unknown) => {
    if (isInvalidRequest(error)) {
      return null;
    }
    throw failureOf(error);
  });
}
