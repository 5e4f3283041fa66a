import { Stripe } from "stripe";
import { AppError } from "../../../platform/errors.ts";

/** Codes and ids for the log; the gateway's message may quote what was sent. */
export function failureOf(error: unknown): AppError {
  if (!(error instanceof Stripe.errors.StripeError)) {
    return new AppError("payment_gateway_failed", { cause: error });
  }
  const { type, code, param, statusCode, requestId } = error;
  return new AppError("payment_gateway_failed", {
    internal: { gateway: "cardpay", type, code, param, statusCode, gatewayRequestId: requestId },
  });
}
