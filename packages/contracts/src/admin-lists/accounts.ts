import { z } from "zod";
import { userStatuses, userTypes } from "../accounts.ts";
import { shownFields } from "../keys.ts";
import { choiceOf, exactText, flagText, idText, listContract } from "../lists.ts";
import { mailStatuses } from "../mail.ts";
import { strictObject } from "../strict-object.ts";
import { wireDecimal, wireInteger, wireMoment } from "../wire.ts";

export const userList = listContract({
  name: "users",
  rowId: "user_id",
  row: strictObject(() => ({
    user_id: wireInteger,
    gateway_user_id: wireInteger,
    email: z.string(),
    display_name: z.string().nullable(),
    user_type: z.enum(userTypes),
    status: z.enum(userStatuses),
    /** The group of calls whose keys name none. */
    group_name: z.string(),
    rate_multiplier: wireDecimal,
    /** Quota that can still be used, and quota used so far. */
    remaining: wireInteger,
    used: wireInteger,
    /** Codes of the active monthly plans. */
    plans: z.array(z.string()),
    live_keys: wireInteger,
    has_totp: z.boolean(),
    /** When the user last used the console, and when the user last used an API key. */
    last_seen_at: wireMoment.nullable(),
    last_call_at: wireMoment.nullable(),
    email_verified_at: wireMoment.nullable(),
    verification_email_error: z.string().nullable(),
    created_at: wireMoment,
    updated_at: wireMoment,
  })),
  filters: {
    /** The beginning of an address or of an API key (`sk-` and four characters), or the id of a user. */
    q: exactText(254),
    user_id: idText,
    gateway_user_id: idText,
    status: choiceOf(userStatuses),
    user_type: choiceOf(userTypes),
    /** Selects users who were put into the group, whatever their calls use now. */
    group_name: exactText(100),
  },
  /** By balance, use and last call as they were at most a minute ago. */
  sorts: ["created_at", "email", "remaining", "used", "last_call_at"],
  defaultSort: "-created_at",
});

export const keyStates = ["active", "disabled", "expired", "revoked"] as const;

export const keyList = listContract({
  name: "keys",
  rowId: "key_id",
  row: strictObject(() => ({
    key_id: wireInteger,
    ...shownFields,
    /** Null for a key without a limit. */
    reset_period: shownFields.reset_period.nullable(),
    key_prefix: z.string(),
    key_last_four: z.string(),
    status: z.enum(keyStates),
    /** Why the operator has locked it; null without a lock. */
    lock_reason: z.string().nullable(),
    user_id: wireInteger.nullable(),
    gateway_user_id: wireInteger,
    email: z.string().nullable(),
    /** The organisation whose account it is, if it is not a person's. */
    organisation_id: wireInteger.nullable(),
    organisation: z.string().nullable(),
    /** The group of its calls; without `has_group`, they are refused because its user lost it. */
    group_name: z.string(),
    has_group: z.boolean(),
    /** The quota that was used of the limit in the current period. */
    quota_used: wireInteger.nullable(),
    rotated_from_id: wireInteger.nullable(),
    first_used_at: wireMoment.nullable(),
    last_used_at: wireMoment.nullable(),
    created_at: wireMoment,
    updated_at: wireMoment,
  })),
  filters: {
    key_id: idText,
    user_id: idText,
    gateway_user_id: idText,
    /** Selects keys that start with this; seven characters of a key are known. */
    prefix: exactText(7),
    status: choiceOf(keyStates),
    group_name: exactText(100),
  },
  sorts: ["created_at"],
  defaultSort: "-created_at",
});

export const mailList = listContract({
  name: "mails",
  rowId: "mail_id",
  row: strictObject(() => ({
    mail_id: wireInteger,
    template: z.string(),
    locale: z.string(),
    user_id: wireInteger.nullable(),
    to: z.string(),
    source: z.string(),
    status: z.enum(mailStatuses),
    attempts: z.int(),
    subject: z.string().nullable(),
    provider_id: z.string().nullable(),
    last_error: z.string().nullable(),
    /** When that error occurred. */
    failed_at: wireMoment.nullable(),
    /** When the next attempt is due, if it is waiting. */
    next_attempt_at: wireMoment.nullable(),
    expires_at: wireMoment.nullable(),
    created_at: wireMoment,
    sent_at: wireMoment.nullable(),
  })),
  filters: {
    mail_id: idText,
    user_id: idText,
    /** Selects emails whose address starts with this. */
    to: exactText(254),
    status: choiceOf(mailStatuses),
    template: exactText(100),
    /** Selects emails that are dead or have an error. */
    has_error: flagText,
  },
  sorts: ["created_at"],
  defaultSort: "-created_at",
});

export const actorKinds = ["admin", "user", "command", "system"] as const;

export const auditList = listContract({
  name: "audit",
  rowId: "audit_id",
  row: strictObject(() => ({
    audit_id: wireInteger,
    at: wireMoment,
    actor_kind: z.enum(actorKinds),
    actor_id: wireInteger.nullable(),
    actor_name: z.string(),
    /** The access token that was used, by name and number. */
    actor_token: z.string().nullable(),
    action: z.string(),
    subject_kind: z.string(),
    subject_id: z.string(),
    before: z.unknown(),
    after: z.unknown(),
    reason: z.string().nullable(),
    request_id: z.string().nullable(),
    ip: z.string().nullable(),
  })),
  filters: {
    actor_kind: choiceOf(actorKinds),
    actor_name: exactText(254),
    /** The action, such as `plan.save`. */
    action: exactText(100),
    subject_kind: exactText(100),
    subject_id: exactText(200),
    /** Selects what was done to a user or by a user. */
    about_user_id: idText,
  },
  sorts: ["at"],
  defaultSort: "-at",
});
