import { z } from "zod";
import { waitingResponse } from "./approvals.ts";
import { signedQuota } from "./billing.ts";
import { consentPages } from "./brand.ts";
import { groupName } from "./groups.ts";
import { idempotencyKey } from "./idempotency.ts";
import { recordId } from "./keys.ts";
import { choiceOf, exactText, listContract } from "./lists.ts";
import { momentText } from "./moments.ts";
import { reasonText } from "./readable-text.ts";
import {
  creditRefusals,
  domainsMax,
  invitationUsesMax,
  proofBitsMax,
  registrationModes,
} from "./registration-rules.ts";
import { strictObject } from "./strict-object.ts";
import { type Unsent, wireInteger, wireMoment } from "./wire.ts";

/** A domain as it is after the @, or all domains below one: `*.example.org`. */
const domain = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(
    /^(\*\.)?[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/,
    "domains like example.org or *.example.org",
  );
const domains = z.array(domain).max(domainsMax);
const amount = signedQuota.refine((quota) => quota >= 0n, "not below 0");
/** How often credit is paid; 0 means unlimited. */
const times = z.int().min(0).max(1_000_000);

const rules = {
  mode: z.enum(registrationModes),
  /** Whose addresses may register in the mode `domains`. */
  domains,
  /** Addresses of these domains never register. */
  refused_domains: domains,
  /** How many zero bits the proof of work needs; 0 switches it off. */
  proof_bits: z.int().min(0).max(proofBitsMax),
  /** The most that is paid from a network or a device, in a day of UTC and in all; and in a day to everybody. */
  credits_per_network_day: times,
  credits_per_network: times,
  credits_per_device_day: times,
  credits_per_device: times,
  credits_per_day: times,
} as const;

export const saveRegistrationInput = strictObject(() => ({
  ...rules,
  /** What a person gets once the address is verified. */
  credit_quota: amount,
  /** The `updated_at` that was loaded: the change is refused if someone else has made one since. */
  updated_at: z.iso.datetime(),
  reason: reasonText(500),
}));
export type SaveRegistrationInput = z.output<typeof saveRegistrationInput>;

const rulesView = strictObject(() => ({ ...rules, credit_quota: wireInteger, updated_at: wireMoment }));
export type RegistrationRulesView = Unsent<z.output<typeof rulesView>>;

export const createInvitationInput = strictObject(() => ({
  /** For the operator alone: whom it is for. */
  name: z.string().trim().min(1).max(100),
  uses_max: z.int().min(1).max(invitationUsesMax),
  expires_at: momentText.nullable().default(null),
  /** The group in which its accounts start, instead of the usual one. */
  group_name: groupName.nullable().default(null),
  /** What each of its accounts gets instead of the usual credit; null for the usual one. */
  credit_quota: amount.nullable().default(null),
  reason: reasonText(500),
  /** A repetition with the same key makes no second one; also as the header `idempotency-key`. */
  idempotency_key: idempotencyKey.optional(),
}));
export type CreateInvitationInput = z.output<typeof createInvitationInput>;

export const revokeInvitationInput = strictObject(() => ({ invitation_id: recordId, reason: reasonText(500) }));

const invitationView = strictObject(() => ({
  invitation_id: wireInteger,
  name: z.string(),
  code: z.string(),
  link: z.string(),
  uses: z.int(),
  uses_max: z.int(),
  state: z.enum(["usable", "used_up", "expired", "revoked"]),
  expires_at: wireMoment.nullable(),
  group_name: z.string().nullable(),
  credit_quota: wireInteger.nullable(),
  created_by: z.string(),
  created_at: wireMoment,
  revoked_at: wireMoment.nullable(),
}));
export type InvitationView = Unsent<z.output<typeof invitationView>>;

export const registrationSettingsResponse = strictObject(() => ({
  rules: rulesView,
  /** The newest ones. */
  invitations: z.array(invitationView),
}));
export const savedRegistrationResponse = z.union([strictObject(() => ({ rules: rulesView })), waitingResponse]);
export const createdInvitationResponse = z.union([
  strictObject(() => ({ invitation: invitationView })),
  waitingResponse,
]);
export const revokedInvitationResponse = strictObject(() => ({ invitation: invitationView }));

/** What a program has to know before it registers somebody. */
export const registrationNeedsResponse = strictObject(() => ({
  mode: z.enum(registrationModes),
  /** Whose addresses may register without an invitation, in the mode `domains`. */
  domains: z.array(z.string()),
  /** The work to be proved; null if none is. */
  proof: z.strictObject({ challenge: z.string(), bits: z.int(), expires_at: wireMoment }).nullable(),
  /** The legal pages that have to be accepted, where to read them, and their editions. */
  accepts: z.array(z.strictObject({ page: z.enum(consentPages), edition: z.int(), url: z.string() })),
}));

const creditEntry = strictObject(() => ({
  user_id: wireInteger,
  email: z.string(),
  network: z.string(),
  invitation_id: wireInteger.nullable(),
  /** What was paid; 0 if it was refused. */
  credit_quota: wireInteger,
  refusal: z.enum(creditRefusals).nullable(),
  registered_at: wireMoment,
  decided_at: wireMoment,
}));

const creditOutcomes = ["paid", "refused"] as const;

export const registrationCreditList = listContract({
  name: "registration-credits",
  rowId: "user_id",
  row: creditEntry,
  filters: {
    user_id: recordId,
    outcome: choiceOf(creditOutcomes),
    network: exactText(64),
    invitation_id: recordId,
  },
  sorts: ["decided_at"],
  defaultSort: "-decided_at",
});
