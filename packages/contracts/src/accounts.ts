import { z } from "zod";
import { adminRoles } from "./admin-roles.ts";
import { waitingResponse } from "./approvals.ts";
import { recordId } from "./keys.ts";
import { adminLocales } from "./locales.ts";
import { loginMethods } from "./login-methods.ts";
import { reasonText } from "./readable-text.ts";
import { registrationPasses } from "./registration-passes.ts";
import { strictObject } from "./strict-object.ts";
import { type Unsent, wireDecimal, wireInteger, wireMoment } from "./wire.ts";

/**
 * A password as typed at a login: impossible ones are refused before anything is hashed. The service checks new ones,
 * and responds with `invalid_password`, too.
 */
export const typedPassword = z
  .string()
  .min(1)
  .refine((text) => [...text].length <= 256 && !text.includes("\0"), "This can't be a password.");
/** An email address as typed; the service checks it and responds with `invalid_email`. */
const typedEmail = z.string().max(1_024);
export const typedCode = z.string().trim().max(40);
/** Digits as text, or a number that JSON can represent exactly. */
export const rowId = z.union([
  z.number().int().positive().max(Number.MAX_SAFE_INTEGER).transform(BigInt),
  z
    .string()
    .regex(/^[1-9]\d{0,17}$/)
    .transform(BigInt),
]);

export const userTypes = ["personal", "business", "internal"] as const;
export const userStatuses = ["email_pending", "active", "suspended", "closed"] as const;

export const registerInput = strictObject(() => ({
  email: typedEmail,
  password: z.string().max(65_536),
  display_name: z.string().max(1_024).nullish(),
  /** The language for emails and pages; by default the browser's first language. */
  locale: z.string().max(35).optional(),
  ...registrationPasses,
}));

export const exportDataInput = strictObject(() => ({ password: typedPassword.optional(), code: typedCode.optional() }));

export const changeEmailInput = strictObject(() => ({
  email: typedEmail,
  password: typedPassword.optional(),
  code: typedCode.optional(),
}));

export const emailInput = strictObject(() => ({ email: typedEmail }));

export const loginInput = strictObject(() => ({
  email: typedEmail,
  password: typedPassword,
  /** A code from the authenticator, if one is set up, or a recovery code. */
  code: typedCode.optional(),
}));

export const passwordResetInput = strictObject(() => ({
  token: z.string().max(1_024),
  password: z.string().max(65_536),
  /** Whether the sign-ins with other services that are linked to the account are removed. */
  end_sign_ins: z.boolean().default(false),
  /** Whether the passkeys of the account are removed. */
  end_passkeys: z.boolean().default(false),
}));

export const passwordChangeInput = strictObject(() => ({
  current_password: typedPassword,
  new_password: z.string().max(65_536),
}));

export const profileSaveInput = strictObject(() => ({
  display_name: z.string().max(1_024).nullable().optional(),
  locale: z.string().max(35).optional(),
}));

export const adminLocaleInput = strictObject(() => ({ locale: z.enum(adminLocales) }));

/** One session by its id, or all but the current one. */
export const sessionRevokeInput = z.union([
  strictObject(() => ({ session_id: rowId })),
  strictObject(() => ({ all_others: z.literal(true) })),
]);

export const totpBeginInput = strictObject(() => ({ password: typedPassword }));
export const totpEnableInput = strictObject(() => ({ code: typedCode.min(1) }));
export const totpDisableInput = strictObject(() => ({ password: typedPassword, code: typedCode.min(1) }));
export const recoveryCodesInput = strictObject(() => ({ password: typedPassword, code: typedCode.min(1) }));

export const adminLoginInput = strictObject(() => ({
  /** Username, email or mobile number. */
  login: z.string().trim().min(1).max(254),
  password: typedPassword,
  code: typedCode.optional(),
}));

/** The kind of owner: a user or an admin. */
export const totpRemoveInput = z.union([
  strictObject(() => ({ user_id: rowId, reason: reasonText(1_000) })),
  strictObject(() => ({ admin_id: rowId, reason: reasonText(1_000) })),
]);

/** Changes to a user; absent fields stay as they are. */
export const userSaveInput = strictObject(() => ({
  user_id: rowId,
  display_name: z.string().max(1_024).nullable().optional(),
  user_type: z.enum(userTypes).optional(),
  status: z.enum(userStatuses).optional(),
  /**
   * A decimal with at most four places, preferably as text. The service checks it and responds with
   * `invalid_multiplier`.
   */
  rate_multiplier: z
    .union([z.string().max(40), z.number()])
    .transform(String)
    .optional(),
  /** The `updated_at` that was loaded: the change is refused if someone else has changed the user since. */
  updated_at: z.iso.datetime().optional(),
  reason: z.string().trim().max(1_000).optional(),
}));

/**
 * The response to a registration, which is the same for an address that is already registered. It includes the link
 * only if the operator allows that.
 */
export const registrationResponse = strictObject(() => ({
  status: z.literal("email_pending"),
  verification_url: z.url().optional(),
}));

export const verifiedResponse = strictObject(() => ({ status: z.literal("active").optional() }));

export const loginResponse = strictObject(() => ({
  user: z.strictObject({ user_id: wireInteger, email: z.string() }),
}));

/** A user in responses to the owner and to admins. */
export const userView = strictObject(() => ({
  user_id: wireInteger,
  gateway_user_id: wireInteger,
  email: z.string(),
  display_name: z.string().nullable(),
  user_type: z.enum(userTypes),
  status: z.enum(userStatuses),
  locale: z.string(),
  rate_multiplier: wireDecimal,
  email_verified_at: wireMoment.nullable(),
  verification_email_sent_at: wireMoment.nullable(),
  verification_email_error: z.string().nullable(),
  /** Users who came by a provider have none until they set one. */
  has_password: z.boolean(),
  has_totp: z.boolean(),
  /** The number of unused recovery codes. */
  recovery_codes_left: z.number().int(),
  created_at: wireMoment,
  updated_at: wireMoment,
}));
export const userResponse = strictObject(() => ({ user: userView }));
export const userSaveResponse = z.union([userResponse, waitingResponse]);

export const sessionListResponse = strictObject(() => ({
  sessions: z.array(
    z.strictObject({
      id: wireInteger,
      ip: z.string(),
      user_agent: z.string(),
      /** How the owner logged in; null for logins of earlier releases. */
      method: z.enum(loginMethods).nullable(),
      created_at: wireMoment,
      seen_at: wireMoment,
      expires_at: wireMoment,
      is_current: z.boolean(),
    }),
  ),
}));
export const sessionRevokeResponse = strictObject(() => ({ revoked: z.int().min(0) }));

/** The secret for an authenticator: as text, and as the URI that a QR code contains. */
/** The codes are shown only this once, because only their digests are stored. */
export const recoveryCodesResponse = strictObject(() => ({ recovery_codes: z.array(z.string()) }));
export const totpBeginResponse = strictObject(() => ({ secret: z.string(), uri: z.string() }));

const adminView = { username: z.string(), is_super: z.boolean() };
const storedRole = z.enum(adminRoles);
export const adminLoginResponse = strictObject(() => ({ admin: z.strictObject(adminView) }));
export const adminMeResponse = strictObject(() => ({
  admin: z.strictObject({
    ...adminView,
    role: z.enum([...adminRoles, "super_admin"]),
    has_totp: z.boolean(),
    recovery_codes_left: z.number().int(),
    /** Whether the login is recent enough for actions that require a fresh one. */
    is_fresh: z.boolean(),
    /** Whether admins need an authenticator and this one lacks it; such an admin can do nothing but set one up. */
    lacks_second_factor: z.boolean(),
  }),
}));

/** 0 for nobody, 1 for an admin, 2 for a super-admin. */
const agent = z.union([z.literal(0), z.literal(1), z.literal(2)]);

export const saveAdminInput = strictObject(() => ({
  admin_id: recordId,
  agent,
  /** Only for `agent` 1. Absent, it stays as it is. */
  role: storedRole.optional(),
  /** The value that was loaded: the change is refused if someone else has changed the admin since. */
  updated_at: z.iso.datetime({ offset: true }),
  reason: reasonText(500),
}));
export type SaveAdminInput = z.output<typeof saveAdminInput>;

export const createAdminInput = strictObject(() => ({
  username: z.string().regex(/^[\w.-]{1,64}$/, "1 to 64 letters, digits, dots, underscores and dashes"),
  /** The email address that the password link is sent to. */
  email: z.string().trim().max(254).pipe(z.email()),
  mobile: z
    .string()
    .regex(/^\+?\d{5,20}$/, "digits, with or without a plus before them")
    .optional(),
  agent: z.union([z.literal(1), z.literal(2)]),
  /** Only for `agent` 1. Absent, it is `admin`. */
  role: storedRole.optional(),
  reason: reasonText(500),
}));
export type CreateAdminInput = z.output<typeof createAdminInput>;

/** What a super-admin does to another admin. */
export const adminActInput = strictObject(() => ({ admin_id: recordId, reason: reasonText(500) }));

const adminEntry = strictObject(() => ({
  admin_id: wireInteger,
  username: z.string(),
  email: z.string().nullable(),
  mobile: z.string().nullable(),
  /** Other programs that share the table may use more values; everything above 1 is a super-admin here. */
  agent: z.int(),
  /** What limits an admin with `agent` 1. */
  role: storedRole,
  has_totp: z.boolean(),
  last_login_at: wireMoment.nullable(),
  /** The number of valid sessions. */
  sessions: wireInteger,
  created_at: wireMoment,
  updated_at: wireMoment,
}));
export type AdminEntry = Unsent<z.output<typeof adminEntry>>;
export const saveAdminResponse = z.union([strictObject(() => ({ admin: adminEntry })), waitingResponse]);
export const adminListResponse = strictObject(() => ({ admins: z.array(adminEntry) }));

/** A response without content. */
export const emptyResponse = z.strictObject({});
export const doneOrWaiting = z.union([emptyResponse, waitingResponse]);
