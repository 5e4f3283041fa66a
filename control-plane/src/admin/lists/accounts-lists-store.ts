import { auditList, keyList, mailList, userList } from "@sluice/contracts/admin-lists/accounts";
import { consentList } from "@sluice/contracts/consents";
import { byKeyField, type KeySetting, keySettings } from "@sluice/contracts/key-fields";
import { organisationAdminList } from "@sluice/contracts/organisation-admin";
import { registrationCreditList } from "@sluice/contracts/registration";
import {
  type Bind,
  type Column,
  column,
  either,
  equals,
  isOneOf,
  listSource,
  startsWith,
} from "../../platform/list-query/model.ts";

const userCreated = column("timestamptz", "p.created_at");
const userId = column("bigint", "p.id");

export const users = listSource({
  contract: userList,
  from: `user_profile p
    left join gateway_user g on g.id = p.gateway_user_id
    left join budget b on b.gateway_user_id = p.gateway_user_id`,
  countedFrom: "user_profile p",
  columns: {
    user_id: userId,
    gateway_user_id: column("bigint", "p.gateway_user_id"),
    email: column("text", "p.email"),
    display_name: column("text", "p.display_name"),
    user_type: column("text", "p.user_type"),
    status: column("text", "p.status"),
    group_name: column("text", "(select c.group_name from key_group(p.gateway_user_id, null) c)"),
    rate_multiplier: column("numeric", "g.rate_multiplier"),
    remaining: column("bigint", "b.granted - (b.used - b.period_base) - b.reserved"),
    used: column("bigint", "b.used"),
    plans: column(
      "text[]",
      `array(select s.plan_code from subscription s where s.gateway_user_id = p.gateway_user_id and s.status = 'active' order by s.plan_code)`,
    ),
    live_keys: column(
      "bigint",
      `(select count(*) from api_key k where k.gateway_user_id = p.gateway_user_id and k.status = 'active'
        and (k.expires_at is null or k.expires_at > now()))`,
    ),
    has_totp: column("boolean", "p.totp_enabled_at is not null"),
    last_seen_at: column("timestamptz", "(select max(s.seen_at) from session s where s.user_id = p.id)"),
    last_call_at: column(
      "timestamptz",
      "(select c.last_at from usage_user c where c.gateway_user_id = p.gateway_user_id)",
    ),
    email_verified_at: column("timestamptz", "p.email_verified_at"),
    verification_email_error: column("text", "p.verification_email_error"),
    created_at: userCreated,
    updated_at: column("timestamptz", "p.updated_at"),
  },
  filters: {
    q: (text, bind) => findAccount({ id: "p.id", account: "p.gateway_user_id", text: "p.email" }, text, bind),
    user_id: equals("bigint", "p.id"),
    gateway_user_id: equals("bigint", "p.gateway_user_id"),
    status: isOneOf("p.status"),
    user_type: isOneOf("p.user_type"),
    group_name: (value, bind) => `p.gateway_user_id in (${inGroup(bind(value, "text"))})`,
  },
  sorts: {
    created_at: [userCreated, userId],
    email: [column("text", "lower(p.email)"), userId],
    remaining: [column("bigint", "p.sorted_remaining"), userId],
    used: [column("bigint", "p.sorted_used"), userId],
    last_call_at: [column("timestamptz", "p.sorted_call_at"), userId],
  },
  time: { at: userCreated },
});

/** The users who were put into a group; everyone can use a public one as well. */
const inGroup = (group: string): string =>
  `select m.gateway_user_id from group_of_user m where m.group_name = ${group} and m.source <> 'public'`;

const keyPrefixLength = 7;
const idDigitsMax = 18;

type Finder = { readonly id: string; readonly account: string; readonly text: string };

/** Finds an account by a name, key or id of its owner; each form of the text uses its own index. */
function findAccount({ id, account, text: named }: Finder, text: string, bind: Bind): string {
  if (text.startsWith("sk-")) {
    const known = `${text.slice(0, keyPrefixLength).replace(/[\\%_]/g, "\\$&")}%`;
    return `${account} in (select k.gateway_user_id from api_key k where k.key_prefix like ${bind(known, "text")})`;
  }
  if (/^\d+$/.test(text) && text.length <= idDigitsMax) {
    const number = bind(text, "bigint");
    return `${id} = ${number} or ${account} = ${number} or ${startsWith(named)(text, bind)}`;
  }
  return startsWith(named)(text, bind);
}

const organisationCreated = column("timestamptz", "o.created_at");
const organisationId = column("bigint", "o.id");
const isMemberOf = "m.organisation_id = o.id and m.left_at is null";

export const organisations = listSource({
  contract: organisationAdminList,
  from: `organisation o
    left join gateway_user g on g.id = o.gateway_user_id
    left join budget b on b.gateway_user_id = o.gateway_user_id`,
  countedFrom: "organisation o",
  columns: {
    organisation_id: organisationId,
    gateway_user_id: column("bigint", "o.gateway_user_id"),
    name: column("text", "o.name"),
    status: column("text", "o.status"),
    owners: column(
      "text[]",
      `array(select p.email from organisation_member m join user_profile p on p.id = m.user_id
        where ${isMemberOf} and m.role = 'owner' order by m.id limit 10)`,
    ),
    members: column("bigint", `(select count(*) from organisation_member m where ${isMemberOf})`),
    projects: column("bigint", "(select count(*) from organisation_project j where j.organisation_id = o.id)"),
    live_keys: column(
      "bigint",
      `(select count(*) from api_key k where k.gateway_user_id = o.gateway_user_id and k.status = 'active'
        and (k.expires_at is null or k.expires_at > now()))`,
    ),
    group_name: column("text", "(select c.group_name from key_group(o.gateway_user_id, null) c)"),
    rate_multiplier: column("numeric", "g.rate_multiplier"),
    remaining: column("bigint", "b.granted - (b.used - b.period_base) - b.reserved"),
    used: column("bigint", "b.used"),
    last_call_at: column(
      "timestamptz",
      "(select c.last_at from usage_user c where c.gateway_user_id = o.gateway_user_id)",
    ),
    created_at: organisationCreated,
    updated_at: column("timestamptz", "o.updated_at"),
  },
  filters: {
    q: (text, bind) => findAccount({ id: "o.id", account: "o.gateway_user_id", text: "o.name" }, text, bind),
    organisation_id: equals("bigint", "o.id"),
    gateway_user_id: equals("bigint", "o.gateway_user_id"),
    status: isOneOf("o.status"),
    user_id: (value, bind) =>
      `o.id in (select m.organisation_id from organisation_member m where m.user_id = ${bind(value, "bigint")} and m.left_at is null)`,
  },
  sorts: {
    created_at: [organisationCreated, organisationId],
    name: [column("text", "lower(o.name)"), organisationId],
  },
  time: { at: organisationCreated },
});

const keyCreated = column("timestamptz", "k.created_at");
const keyId = column("bigint", "k.id");
const settingTypes = {
  name: "text",
  models: "text[]",
  addresses: "text[]",
  moment: "timestamptz",
  count: "integer",
  flag: "boolean",
} as const;
const { name, ...limits } = byKeyField<Readonly<Record<KeySetting["kind"], Column>>, KeySetting>(
  keySettings,
  (setting) => column(settingTypes[setting.kind], `k.${setting.name}`),
);
const chosenGroup = "(select c.group_name from key_group(k.gateway_user_id, null) c)";
const isExpired = "k.status = 'active' and k.expires_at <= now()";
const isInState = {
  active: "k.status = 'active' and (k.expires_at is null or k.expires_at > now())",
  expired: isExpired,
  disabled: "k.status = 'disabled'",
  revoked: "k.status = 'revoked'",
};

export const keys = listSource({
  contract: keyList,
  from: `api_key k
    left join user_profile p on p.gateway_user_id = k.gateway_user_id
    left join organisation n on n.gateway_user_id = k.gateway_user_id
    left join api_key_use u on u.api_key_id = k.id
    left join budget b on b.api_key_id = coalesce(k.limit_key_id, k.id) and b.is_enforced`,
  columns: {
    key_id: keyId,
    name,
    key_prefix: column("text", "k.key_prefix"),
    key_last_four: column("text", "k.key_last_four"),
    status: column("text", `case when ${isExpired} then 'expired' else k.status end`),
    lock_reason: column("text", "k.lock_reason"),
    user_id: column("bigint", "p.id"),
    gateway_user_id: column("bigint", "k.gateway_user_id"),
    email: column("text", "p.email"),
    organisation_id: column("bigint", "n.id"),
    organisation: column("text", "n.name"),
    group_name: column("text", `coalesce(k.group_name, ${chosenGroup})`),
    has_group: column("boolean", "exists (select from key_group(k.gateway_user_id, k.group_name))"),
    quota_limit: column("bigint", "b.granted"),
    quota_used: column("bigint", "b.used - b.period_base"),
    reset_period: column("text", "b.period"),
    ...limits,
    rotated_from_id: column("bigint", "k.rotated_from_id"),
    first_used_at: column("timestamptz", "k.first_used_at"),
    last_used_at: column("timestamptz", "u.last_used_at"),
    created_at: keyCreated,
    updated_at: column("timestamptz", "k.updated_at"),
  },
  filters: {
    key_id: equals("bigint", "k.id"),
    user_id: (value, bind) =>
      `k.gateway_user_id = (select gateway_user_id from user_profile where id = ${bind(value, "bigint")})`,
    gateway_user_id: equals("bigint", "k.gateway_user_id"),
    prefix: (value, bind) => `k.key_prefix like ${bind(`${value.replace(/[\\%_]/g, "\\$&")}%`, "text")}`,
    status: (values) => values.map((value) => `(${isInState[value]})`).join(" or "),
    // Only the users in the group have to be looked at one by one.
    group_name: (value, bind) => {
      const group = bind(value, "text");
      return `k.group_name = ${group} or (k.group_name is null and k.gateway_user_id in (${inGroup(group)})
        and ${chosenGroup} = ${group})`;
    },
  },
  sorts: { created_at: [keyCreated, keyId] },
  time: { at: keyCreated },
});

const mailCreated = column("timestamptz", "m.created_at");
const mailId = column("bigint", "m.id");

/** Each of the three conditions uses its own index. */
function isAboutUser(user: bigint, bind: Bind): string {
  const id = bind(user, "bigint");
  return `a.subject_kind = 'user' and a.subject_id = ${id}::text
    or a.subject_kind = 'gateway_user'
      and a.subject_id = (select gateway_user_id::text from user_profile where id = ${id})
    or a.actor_kind = 'user' and a.actor_id = ${id}`;
}

/** The list of emails does not read bodies or variables. */
export const mails = listSource({
  contract: mailList,
  from: "mail_log m",
  columns: {
    mail_id: mailId,
    template: column("text", "m.template"),
    locale: column("text", "m.locale"),
    user_id: column("bigint", "m.user_id"),
    to: column("text", "m.to_address"),
    source: column("text", "m.source"),
    status: column("text", "m.status"),
    attempts: column("integer", "m.attempts"),
    subject: column("text", "m.subject"),
    provider_id: column("text", "m.provider_id"),
    last_error: column("text", "m.last_error"),
    failed_at: column("timestamptz", "m.failed_at"),
    next_attempt_at: column("timestamptz", "case when m.status in ('queued', 'sending') then m.next_attempt_at end"),
    expires_at: column("timestamptz", "m.expires_at"),
    created_at: mailCreated,
    sent_at: column("timestamptz", "m.sent_at"),
  },
  filters: {
    mail_id: equals("bigint", "m.id"),
    user_id: equals("bigint", "m.user_id"),
    to: startsWith("m.to_address"),
    status: isOneOf("m.status"),
    template: equals("text", "m.template"),
    has_error: either("m.status = 'dead' or m.last_error is not null", "m.status <> 'dead' and m.last_error is null"),
  },
  sorts: { created_at: [mailCreated, mailId] },
  time: { at: mailCreated },
});

const auditAt = column("timestamptz", "a.at");
const auditId = column("bigint", "a.id");

export const audits = listSource({
  contract: auditList,
  from: "audit_log a",
  columns: {
    audit_id: auditId,
    at: auditAt,
    actor_kind: column("text", "a.actor_kind"),
    actor_id: column("bigint", "a.actor_id"),
    actor_name: column("text", "a.actor_name"),
    actor_token: column("text", "a.actor_token"),
    action: column("text", "a.action"),
    subject_kind: column("text", "a.subject_kind"),
    subject_id: column("text", "a.subject_id"),
    before: column("jsonb", "a.before"),
    after: column("jsonb", "a.after"),
    reason: column("text", "a.reason"),
    request_id: column("text", "a.request_id"),
    ip: column("text", "a.ip"),
  },
  filters: {
    actor_kind: isOneOf("a.actor_kind"),
    actor_name: equals("text", "a.actor_name"),
    action: equals("text", "a.action"),
    subject_kind: equals("text", "a.subject_kind"),
    subject_id: equals("text", "a.subject_id"),
    about_user_id: isAboutUser,
  },
  sorts: { at: [auditAt, auditId] },
  time: { at: auditAt },
});

const decidedAt = column("timestamptz", "r.decided_at");
const registeredId = column("bigint", "r.user_id");

/** What newcomers got for nothing, and why they did not. */
export const registrationCredits = listSource({
  contract: registrationCreditList,
  from: "user_registration r join user_profile p on p.id = r.user_id",
  where: "(r.credit_quota > 0 or r.credit_refusal is not null)",
  columns: {
    user_id: registeredId,
    email: column("text", "p.email"),
    network: column("text", "r.network"),
    invitation_id: column("bigint", "r.invitation_id"),
    credit_quota: column("bigint", "r.credit_quota"),
    refusal: column("text", "r.credit_refusal"),
    registered_at: column("timestamptz", "r.registered_at"),
    decided_at: decidedAt,
  },
  filters: {
    user_id: equals("bigint", "r.user_id"),
    outcome: isOneOf("case when r.credit_quota > 0 then 'paid' else 'refused' end"),
    network: equals("text", "r.network"),
    invitation_id: equals("bigint", "r.invitation_id"),
  },
  sorts: { decided_at: [decidedAt, registeredId] },
  time: { at: decidedAt },
});

const consentId = column("bigint", "c.id");
const acceptedAt = column("timestamptz", "c.accepted_at");

/** Which editions of the legal pages users accepted. */
export const consents = listSource({
  contract: consentList,
  from: "legal_consent c join user_profile p on p.id = c.user_id",
  countedFrom: "legal_consent c",
  columns: {
    consent_id: consentId,
    user_id: column("bigint", "c.user_id"),
    email: column("text", "p.email"),
    page: column("text", "c.page"),
    edition: column("integer", "c.edition"),
    locale: column("text", "c.locale"),
    version: column("integer", "c.version"),
    way: column("text", "c.way"),
    ip: column("text", "c.ip"),
    accepted_at: acceptedAt,
  },
  filters: {
    consent_id: equals("bigint", "c.id"),
    user_id: equals("bigint", "c.user_id"),
    page: isOneOf("c.page"),
    edition: equals("bigint", "c.edition"),
    locale: isOneOf("c.locale"),
    way: isOneOf("c.way"),
  },
  sorts: { accepted_at: [acceptedAt, consentId] },
  time: { at: acceptedAt },
});
