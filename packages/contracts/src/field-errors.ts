import type { ErrorCode } from "./errors.ts";

/** The error code by field name. Any other field is an `invalid_value`. */
const codes: Readonly<Record<string, ErrorCode>> = {
  amount: "invalid_amount",
  amount_usd: "invalid_amount",
  price_usd: "invalid_amount",
  currency: "unsupported_currency",
  email: "invalid_email",
  password: "invalid_password",
  current_password: "invalid_password",
  new_password: "invalid_password",
  token: "invalid_token",
  rate_multiplier: "invalid_multiplier",
  name: "invalid_name",
  display_name: "invalid_name",
  id: "invalid_id",
  order_no: "invalid_id",
};

/** The code for an invalid field of a body. */
export function codeOfField(name: string): ErrorCode {
  return Object.hasOwn(codes, name) ? (codes[name] ?? "invalid_value") : isId(name) ? "invalid_id" : "invalid_value";
}

/** The code for an invalid query parameter. */
export function codeOfParameter(name: string): ErrorCode {
  const code = codeOfField(name);
  return code === "invalid_id" || code === "invalid_token" ? code : "invalid_parameter";
}

function isId(name: string): boolean {
  return name.endsWith("_id");
}
