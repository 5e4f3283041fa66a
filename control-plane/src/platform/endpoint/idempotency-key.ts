import { idempotencyKey } from "@sluice/contracts/idempotency";
import { AppError } from "../errors.ts";

/**
 * The idempotency key of a request: the header, or else the field of the body.
 * @throws AppError `invalid_value` for an invalid one, and for two that differ
 */
export function idempotencyKeyOf(request: Request, field: string | undefined): string | null {
  const header = request.headers.get("idempotency-key");
  if (header === null) {
    return field ?? null;
  }
  if (!idempotencyKey.safeParse(header).success || (field !== undefined && field !== header)) {
    throw new AppError("invalid_value", { fields: { idempotency_key: "8 to 200 visible characters, sent once" } });
  }
  return header;
}

/** @throws AppError `missing_field` without a key */
export function requiredIdempotencyKey(request: Request, field: string | undefined): string {
  const key = idempotencyKeyOf(request, field);
  if (key === null) {
    throw new AppError("missing_field", { fields: { idempotency_key: "is required" } });
  }
  return key;
}
