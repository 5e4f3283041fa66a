import { z } from "zod";

/**
 * A password as it is typed. What a new one has to be like is judged by the service, which answers `invalid_password`; the
 * bound here only keeps a text out that is none.
 */
const typedPassword = z.string().min(1).max(1_024);
/** Judged by the service, which answers `invalid_email`. */
const typedEmail = z.string().max(1_024);
const typedCode = z.string().trim().max(16);
/** Digits as text, or a number that JSON can hold exactly. */
const rowId = z.union([
  z.number().int().positive().max(Number.MAX_SAFE_INTEGER).transform(BigInt),
  z
    .string()
    .regex(/^[1-9]\d{0,17}$/)
    .transform(BigInt),
]);

export const userTypes = ["personal", "business", "internal"] as const;
export const userStatuses = ["email_pending", "active", "suspended", "closed"] as const;

export const registerInput = z.strictObject({
  email: typedEmail,
  password: z.string().max(65_536),
  display_name: z.string().max(1_024).nullish(),
  /** Of mails and pages; without it the first language of the browser. */
  locale: z.string().max(35).optional(),
});

export const emailInput = z.strictObject({ email: typedEmail });

export const loginInput = z.strictObject({
  email: typedEmail,
  password: typedPassword,
  /** Of the authenticator, where one is set up. */
  code: typedCode.optional(),
});

export const passwordResetInput = z.strictObject({ token: z.string().max(1_024), password: z.string().max(65_536) });

export const passwordChangeInput = z.strictObject({
  current_password: typedPassword,
  new_password: z.string().max(65_536),
});

export const profileSaveInput = z.strictObject({
  display_name: z.string().max(1_024).nullable().optional(),
  locale: z.string().max(35).optional(),
});

/** One session by its id, or all but the one that asks. */
export const sessionRevokeInput = z.union([
  z.strictObject({ session_id: rowId }),
  z.strictObject({ all_others: z.literal(true) }),
]);

export const totpBeginInput = z.strictObject({ password: typedPassword });
export const totpEnableInput = z.strictObject({ code: typedCode.min(1) });
export const totpDisableInput = z.strictObject({ password: typedPassword, code: typedCode.min(1) });

export const adminLoginInput = z.strictObject({
  /** Username, e-mail or mobile number. */
  login: z.string().trim().min(1).max(254),
  password: typedPassword,
  code: typedCode.optional(),
});

/** Of a user or of an admin. */
export const totpRemoveInput = z.union([
  z.strictObject({ user_id: rowId, reason: z.string().trim().min(1).max(1_000) }),
  z.strictObject({ admin_id: rowId, reason: z.string().trim().min(1).max(1_000) }),
]);

/** What is absent stays as it is. */
export const userSaveInput = z.strictObject({
  user_id: rowId,
  display_name: z.string().max(1_024).nullable().optional(),
  user_type: z.enum(userTypes).optional(),
  status: z.enum(userStatuses).optional(),
  /** A decimal with at most four places, best as text. Judged by the service, which answers `invalid_multiplier`. */
  rate_multiplier: z
    .union([z.string().max(40), z.number()])
    .transform(String)
    .optional(),
  /** The `updated_at` that was read before: the change is refused if somebody else was quicker. */
  updated_at: z.iso.datetime().optional(),
  reason: z.string().trim().max(1_000).optional(),
});
