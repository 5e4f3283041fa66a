import { z } from "zod";
import { rowId, typedCode, typedPassword } from "./accounts.ts";
import { strictObject } from "./strict-object.ts";
import { adminTokenScopes, userTokenScopes } from "./token-scopes.ts";
import { type Unsent, wireInteger, wireMoment } from "./wire.ts";

export const liveTokensMax = 20;
export const tokenDaysMax = 365;
/** For a token that may do what otherwise requires a fresh login. */
export const sensitiveTokenDaysMax = 90;

const name = z
  .string()
  .trim()
  .min(1)
  .max(60)
  .regex(/^[^\p{Cc}\p{Cf}]*$/u);
const days = z.int().min(1).max(tokenDaysMax);

function scopesOf<const Scopes extends readonly [string, ...string[]]>(scopes: Scopes) {
  return z
    .array(z.enum(scopes))
    .min(1)
    .max(scopes.length)
    .refine((chosen) => new Set(chosen).size === chosen.length, "Name each scope once.");
}

export const userTokenCreateInput = strictObject(() => ({
  name,
  scopes: scopesOf(userTokenScopes),
  expires_in_days: days,
  /** Asked for, because a token outlives the session that creates it; an account without a password needs a recent login. */
  password: typedPassword.optional(),
  /** Required if logins require one. */
  code: typedCode.optional(),
}));

export const adminTokenCreateInput = strictObject(() => ({
  name,
  scopes: scopesOf(adminTokenScopes),
  expires_in_days: days,
}));

export const tokenRevokeInput = strictObject(() => ({ token_id: rowId }));

export const tokenView = strictObject(() => ({
  token_id: wireInteger,
  name: z.string(),
  /** The last four characters. */
  hint: z.string(),
  scopes: z.array(z.string()),
  /** The organisation that it is for; null for one of the person's or the admin's own. */
  organisation: z.string().nullable(),
  /** `active`, `expired` or `revoked`. */
  status: z.enum(["active", "expired", "revoked"]),
  created_at: wireMoment,
  expires_at: wireMoment,
  last_used_at: wireMoment.nullable(),
  last_used_ip: z.string().nullable(),
}));

/** A token as the server has it. */
export type TokenView = Unsent<z.output<typeof tokenView>>;

export const tokenListResponse = strictObject(() => ({ tokens: z.array(tokenView) }));
/** The token itself is shown only this once. */
export const tokenCreateResponse = strictObject(() => ({ secret: z.string(), token: tokenView }));
export const tokenResponse = strictObject(() => ({ token: tokenView }));
