import { z } from "zod";
import { recordId } from "./keys.ts";
import { reasonText } from "./readable-text.ts";
import { type Unsent, wireInteger, wireMoment } from "./wire.ts";

/** What an act does, by name: amounts of quota and money as they are written. */
const effects = z.record(z.string(), z.string());

/** An act that a second super-admin has to agree to. */
const approvalEntry = z.strictObject({
  approval_id: wireInteger,
  kind: z.string(),
  reason: z.string(),
  /** What it would have done when it was asked for. */
  effects,
  requested_by: wireInteger,
  requested_by_name: z.string(),
  status: z.enum(["pending", "approved", "rejected", "expired"]),
  created_at: wireMoment,
  expires_at: wireMoment,
  decided_by_name: z.string().nullable(),
  decided_at: wireMoment.nullable(),
  decision_reason: z.string().nullable(),
});
export type ApprovalEntry = Unsent<z.output<typeof approvalEntry>>;

/** Instead of what was asked for: it is done as soon as another super-admin agrees. */
export const waitingAnswer = z.strictObject({ approval: approvalEntry });

export const approvalListAnswer = z.strictObject({ approvals: z.array(approvalEntry) });

export const approvalInput = z.strictObject({ approval_id: recordId });

export const approvalDetailAnswer = z.strictObject({
  approval: approvalEntry,
  /** Of one that waits: what it would do now, or why it can't be done. */
  foreseen: z.strictObject({ effects, problem: z.string().nullable() }).nullable(),
});

export const decideApprovalInput = z.strictObject({
  approval_id: recordId,
  decision: z.enum(["approve", "reject"]),
  reason: reasonText(500),
});

export const decidedApprovalAnswer = z.strictObject({ approval: approvalEntry });

/** What it takes to do something now: it says before what the answer would be. */
export const demands = ["nothing", "fresh_super_admin", "second_person"] as const;
