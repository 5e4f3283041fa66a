import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import type { Decimal } from "@sluice/contracts/money";

export type UserType = "personal" | "business" | "internal";
export type UserStatus = "email_pending" | "active" | "suspended" | "closed";

/** A user as the business sees it. `rateMultiplier` is stored with the gateway user. */
export type Profile = {
  readonly userId: UserId;
  readonly gatewayUserId: GatewayUserId;
  readonly email: string;
  readonly displayName: string | null;
  readonly userType: UserType;
  readonly status: UserStatus;
  readonly locale: string;
  readonly rateMultiplier: Decimal;
  readonly emailVerifiedAt: Date | null;
  readonly verificationEmailSentAt: Date | null;
  readonly verificationEmailError: string | null;
  /** Users who came by a provider have none until they set one. */
  readonly hasPassword: boolean;
  readonly hasCode: boolean;
  /** The number of unused recovery codes. */
  readonly recoveryCodesLeft: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** The fields of a profile in responses, with times in ISO 8601. */
export function profileFields(profile: Profile): Record<string, unknown> {
  return {
    user_id: profile.userId,
    gateway_user_id: profile.gatewayUserId,
    email: profile.email,
    display_name: profile.displayName,
    user_type: profile.userType,
    status: profile.status,
    locale: profile.locale,
    rate_multiplier: profile.rateMultiplier,
    email_verified_at: profile.emailVerifiedAt?.toISOString() ?? null,
    verification_email_sent_at: profile.verificationEmailSentAt?.toISOString() ?? null,
    verification_email_error: profile.verificationEmailError,
    has_password: profile.hasPassword,
    has_totp: profile.hasCode,
    recovery_codes_left: profile.recoveryCodesLeft,
    created_at: profile.createdAt.toISOString(),
    updated_at: profile.updatedAt.toISOString(),
  };
}

/** Whether the user may log in, and the user's API keys may be used. */
export function isOpen(status: UserStatus): boolean {
  return status === "active" || status === "email_pending";
}

/** Where a request comes from, for sessions and the audit log. */
export type Origin = { readonly ip: string; readonly userAgent: string; readonly requestId: string };

// Matches line breaks, escapes, and marks that reverse the text direction. A display name is one line that reads as
// written.
const unreadable = /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;
const nameLengthMax = 100;

/** A display name, trimmed; null when empty. `undefined` when it is not a valid one. */
export function parseDisplayName(text: string | null): string | null | undefined {
  const name = text?.trim() ?? "";
  if (name === "") {
    return null;
  }
  return [...name].length > nameLengthMax || unreadable.test(name) ? undefined : name;
}

/** A local path to open after a login; anything that could lead elsewhere becomes the start page of the console. */
export function safeNext(next: string): string {
  const fallback = "/console/";
  if (!/^\/(?![/\\])/.test(next) || /[\p{Cc}\\\s]/u.test(next) || next.length > 2_000) {
    return fallback;
  }
  const origin = "http://here.invalid";
  if (!URL.canParse(next, origin)) {
    return fallback;
  }
  const url = new URL(next, origin);
  // A program further downstream may decode what is encoded here.
  if (/%(0[0-9a-f]|1[0-9a-f]|2f|5c|7f)/i.test(url.pathname)) {
    return fallback;
  }
  return url.origin === origin && !url.pathname.startsWith("//") ? `${url.pathname}${url.search}${url.hash}` : fallback;
}
