import type { BulkActionName } from "@sluice/contracts/bulk-action-table";
import type { BulkRunInput } from "@sluice/contracts/bulk-actions";

/** A row of the list, as the list shows it. */
export type ListedRow = Readonly<Record<string, unknown>>;

export type BulkRule = {
  /** The field of the row by which people know it. */
  readonly named: string;
  /** Why there is nothing to do with a row; null if there is. */
  readonly reasonAgainst: (row: ListedRow) => string | null;
  /** The input of the operation for one row. */
  readonly input: (row: ListedRow, run: Pick<BulkRunInput, "reason" | "group_name">) => object;
};

const always = (): null => null;
/** Skips rows whose field has, or lacks, a value. */
const unless = (field: string, value: string, because: string) => (row: ListedRow) =>
  row[field] === value ? null : because;
const when = (field: string, value: string, because: string) => (row: ListedRow) =>
  row[field] === value ? because : null;
const idOf = (row: ListedRow, field: string): string => String(row[field]);
const loaded = (row: ListedRow): { readonly updated_at: string } => ({
  updated_at: (row["updated_at"] as Date).toISOString(),
});

const saveUser = (status: "active" | "suspended"): BulkRule["input"] => {
  return (row, { reason }) => ({ user_id: idOf(row, "user_id"), status, ...loaded(row), reason });
};
const saveOrganisation = (status: "active" | "suspended"): BulkRule["input"] => {
  return (row, { reason }) => ({ organisation_id: idOf(row, "organisation_id"), status, ...loaded(row), reason });
};
const ofKey: BulkRule["input"] = (row, { reason }) => ({ key_id: idOf(row, "key_id"), reason });
const ofChannel: BulkRule["input"] = (row, { reason }) => ({ channel_ids: [idOf(row, "channel_id")], reason });
const archive = (kind: "channel" | "model" | "plan", id: string): BulkRule["input"] => {
  return (row, { reason }) => ({ kind, id: idOf(row, id), reason });
};
const saveLead = (status: "contacted" | "spam"): BulkRule["input"] => {
  return (row) => ({ id: idOf(row, "id"), version: idOf(row, "version"), status, note: row["note"] });
};
const saveNode = (status: "active" | "disabled"): BulkRule["input"] => {
  return (row) => ({ node_code: row["node_code"], status });
};
const resolve = (action: "cancel" | "dismiss"): BulkRule["input"] => {
  return (row, { reason }) => ({ order_no: row["order_no"], action, reason });
};
const isArchived = (row: ListedRow): string | null => (row["archived_at"] === null ? null : "It is already archived.");

const switchTo = (status: "enabled" | "disabled") => (row: ListedRow) =>
  row["archived_at"] === null ? when("status", status, `It is already ${status}.`)(row) : "It is archived.";

/** What each action does with a row. An operation checks everything itself; these rules say beforehand what would be idle. */
export const bulkRules: Readonly<Record<BulkActionName, BulkRule>> = {
  "users.suspend": {
    named: "email",
    reasonAgainst: (row) =>
      row["status"] === "closed"
        ? "The account is closed."
        : when("status", "suspended", "It is already suspended.")(row),
    input: saveUser("suspended"),
  },
  "users.activate": {
    named: "email",
    reasonAgainst: (row) =>
      row["status"] === "closed" ? "The account is closed." : when("status", "active", "It is already active.")(row),
    input: saveUser("active"),
  },
  "users.group": {
    named: "email",
    reasonAgainst: when("status", "closed", "The account is closed."),
    input: (row, run) => ({ ...assigned(run), users: [idOf(row, "user_id")] }),
  },
  "users.end_sessions": {
    named: "email",
    reasonAgainst: always,
    input: (row, { reason }) => ({ user_id: idOf(row, "user_id"), reason }),
  },
  "organisations.suspend": {
    named: "name",
    reasonAgainst: when("status", "suspended", "It is already suspended."),
    input: saveOrganisation("suspended"),
  },
  "organisations.reopen": {
    named: "name",
    reasonAgainst: when("status", "active", "It is already active."),
    input: saveOrganisation("active"),
  },
  "organisations.group": {
    named: "name",
    reasonAgainst: always,
    input: (row, run) => ({ ...assigned(run), organisations: [idOf(row, "organisation_id")] }),
  },
  "keys.lock": {
    named: "name",
    reasonAgainst: (row) =>
      row["status"] === "revoked" ? "It is revoked." : row["lock_reason"] === null ? null : "It is already locked.",
    input: ofKey,
  },
  "keys.unlock": {
    named: "name",
    reasonAgainst: (row) =>
      row["status"] === "revoked" ? "It is revoked." : row["lock_reason"] === null ? "It is not locked." : null,
    input: ofKey,
  },
  "keys.revoke": { named: "name", reasonAgainst: when("status", "revoked", "It is already revoked."), input: ofKey },
  "channels.enable": { named: "name", reasonAgainst: switchTo("enabled"), input: ofChannel },
  "channels.disable": { named: "name", reasonAgainst: switchTo("disabled"), input: ofChannel },
  "channels.archive": { named: "name", reasonAgainst: isArchived, input: archive("channel", "channel_id") },
  "models.archive": { named: "name", reasonAgainst: isArchived, input: archive("model", "name") },
  "plans.archive": { named: "name", reasonAgainst: isArchived, input: archive("plan", "plan_code") },
  "code-batches.revoke": {
    named: "name",
    reasonAgainst: when("state", "revoked", "It is already revoked."),
    input: (row, { reason }) => ({ batch_id: idOf(row, "batch_id"), reason }),
  },
  "coupons.revoke": {
    named: "code",
    reasonAgainst: when("state", "revoked", "It is already revoked."),
    input: (row, { reason }) => ({ coupon_id: idOf(row, "coupon_id"), reason }),
  },
  "leads.contacted": {
    named: "company",
    reasonAgainst: unless("status", "pending", "It is not waiting for an answer."),
    input: saveLead("contacted"),
  },
  "leads.spam": {
    named: "company",
    reasonAgainst: when("status", "spam", "It is already marked as spam."),
    input: saveLead("spam"),
  },
  "exit-nodes.enable": {
    named: "name",
    reasonAgainst: when("status", "active", "It is already active."),
    input: saveNode("active"),
  },
  "exit-nodes.disable": {
    named: "name",
    reasonAgainst: when("status", "disabled", "It is already disabled."),
    input: saveNode("disabled"),
  },
  "gateway-events.replay": {
    named: "event_id",
    reasonAgainst: (row) => (row["is_open"] === true ? null : "Processing it again would change nothing."),
    input: (row) => ({ gateway_event_id: row["gateway_event_id"] }),
  },
  "mails.resend": {
    named: "to",
    reasonAgainst: unless("status", "dead", "It has not failed."),
    input: (row) => ({ id: idOf(row, "mail_id") }),
  },
  "orders.cancel": {
    named: "order_no",
    reasonAgainst: unless("status", "review", "It is not waiting for a decision."),
    input: resolve("cancel"),
  },
  "orders.dismiss": {
    named: "order_no",
    reasonAgainst: (row) => {
      const isOpen = row["status"] === "review";
      return isOpen ? "It is waiting for a decision." : row["review_reason"] === null ? "It is not marked." : null;
    },
    input: resolve("dismiss"),
  },
  "renewals.cancel": {
    named: "renewal_no",
    reasonAgainst: (row) => (row["status"] === "ended" ? "It has already ended." : null),
    input: (row, { reason }) => ({ renewal_no: row["renewal_no"], reason }),
  },
};

function assigned({ group_name, reason }: Pick<BulkRunInput, "reason" | "group_name">): object {
  return { group_name, as: "additional", reason };
}
