import type { z } from "zod";

/** The names of the fields that an input can have; of a union, those of all its parts. */
export function inputNames(schema: z.ZodType): string[] {
  const {
    shape,
    options,
    in: inner,
  } = schema.def as unknown as {
    shape?: Record<string, unknown>;
    options?: z.ZodType[];
    in?: z.ZodType;
  };
  if (shape !== undefined) {
    return Object.keys(shape);
  }
  if (inner !== undefined) {
    return inputNames(inner);
  }
  return [...new Set((options ?? []).flatMap(inputNames))];
}

const telling: readonly unknown[] = [
  "abc\0def",
  "\ud800",
  "0001-01-01",
  `1${"0".repeat(30)}`,
  "1e3",
  1e30,
  -1,
  [],
  {},
  null,
];

const all: readonly unknown[] = [
  ...telling,
  "",
  " ",
  "\0",
  "first\0@example.com",
  "abcdefgh\udfff",
  "'; drop table plan; --",
  "../../etc/passwd",
  "01.0",
  " 1",
  "-1",
  "1.005",
  "9223372036854775808",
  "Infinity",
  "NaN",
  "2026-02-30",
  "2026-13-01T00:00:00Z",
  "9999-12-31T23:59:59Z",
  "Mars/Olympus",
  "00000000-0000-0000-0000-000000000000",
  "ünï@çödé.com",
  "用户@例え.jp",
  "\u202eabc",
  "x".repeat(5_000),
  0,
  0.5,
  Number.MAX_SAFE_INTEGER,
  -(2 ** 63),
  true,
  false,
  [1],
  ["\0"],
  [[]],
  { "\0": "\0" },
  { $ne: null },
];

/** Values that no field of the program accepts; the most revealing ones, and all of them with `TEST_FULL=1`. */
export const oddValues: readonly unknown[] = process.env["TEST_FULL"] === "1" ? all : telling;

/** Good values by field name, so that an odd one is the only fault. */
export const soundValues: Readonly<Record<string, unknown>> = {
  email: "someone@example.com",
  password: "a long enough password",
  current_password: "a long enough password",
  new_password: "another long password",
  display_name: "Someone",
  locale: "en",
  token: "x".repeat(43),
  code: "123456",
  login: "somebody",
  user_id: "1",
  rate_multiplier: "1",
  session_id: "1",
  token_id: "1",
  target_id: "1",
  delivery_id: "1",
  url: "https://127.0.0.1:9/",
  events: ["key.created"],
  is_enabled: true,
  version: 1,
  place: { kind: "mail", to: "ops@example.com" },
  scopes: ["usage"],
  expires_in_days: 30,
  reason: "a reason",
  order_no: "S0000000000",
  claim_code: "AAAAAAAA",
  plan_code: "no-such-plan",
  gateway_user_id: "1",
  amount: "1",
  price_usd: "1.00",
  amount_usd: "1.00",
  quota: 1,
  kind: "monthly",
  month: "2026-11",
  format: "csv",
  vendor: "cardpay_card",
  sender: "default",
  dry_run: true,
  name: "a name",
  value: "a value",
  key_id: "1",
  group: "default",
  updated_at: "2026-01-01T00:00:00Z",
  id: "1",
  ids: ["1"],
  limit: "10",
  template: "email_verify",
  // Nothing listens there, in case someone may ask for it.
  upstream: { dialects: { chat: { base_url: "http://127.0.0.1:9/v1" } } },
  credential: "a-credential",
};
