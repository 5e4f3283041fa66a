import type { auditList, keyList, mailList } from "@sluice/contracts/admin-lists/accounts";
import type { usageList } from "@sluice/contracts/admin-lists/gateway";
import type { RowOf } from "@sluice/contracts/lists";
import type { Column } from "../../table/model.ts";
import { formats } from "../formats.ts";
import { PageLink } from "../parts/page-link.tsx";
import { StateWord } from "../parts/state-word.tsx";
import { shownCount, shownMoment, shownMs, shownText } from "../shown.ts";
import { UserLink } from "./user-link.tsx";

export type KeyRow = RowOf<typeof keyList>;
export type MailRow = RowOf<typeof mailList>;
export type AuditRow = RowOf<typeof auditList>;
export type UsageRow = RowOf<typeof usageList>;

/** A lock matters more than any state but the last. */
export const keyState = (row: KeyRow): string =>
  row.lock_reason !== null && row.status !== "revoked" ? "locked" : row.status;

export const keyColumns: readonly Column<KeyRow>[] = [
  { id: "name", label: "Name", cell: (row) => row.name, card: "title" },
  {
    id: "key",
    label: "Key",
    cell: (row) => (
      <code>
        {row.key_prefix}…{row.key_last_four}
      </code>
    ),
  },
  { id: "status", label: "Status", cell: (row) => <StateWord state={keyState(row)} />, card: "badge" },
  {
    id: "group_name",
    label: "Group",
    cell: (row) => (row.has_group ? row.group_name : `${row.group_name}, lost: calls are refused`),
  },
  {
    id: "quota_limit",
    label: "Limit, USD",
    cell: (row) => (row.quota_limit === null ? "none" : formats.quotaColumn(row.quota_limit)),
    align: "end",
  },
  {
    id: "quota_used",
    label: "Used, USD",
    cell: (row) => (row.quota_used === null ? "" : formats.quotaColumn(row.quota_used)),
    align: "end",
  },
  {
    id: "limits",
    label: "Limits",
    cell: (row) => (
      <PageLink otherwise="nothing" href={`/admin/limits/?key_id=${row.key_id}`}>
        explain
      </PageLink>
    ),
    isHiddenAtFirst: true,
  },
  { id: "last_used_at", label: "Last used", cell: (row) => shownMoment(row.last_used_at, "never") },
  { id: "expires_at", label: "Expires", cell: (row) => shownMoment(row.expires_at, "never"), isHiddenAtFirst: true },
  { id: "created_at", label: "Created", cell: (row) => shownMoment(row.created_at), isSortable: true },
];

export const usageColumns: readonly Column<UsageRow>[] = [
  {
    id: "request_id",
    label: "Request",
    cell: (row) => (
      <PageLink href={`/admin/trace/${row.request_id}/?day=${row.day}`}>
        <code>{row.request_id.slice(0, 13)}…</code>
      </PageLink>
    ),
    card: "title",
  },
  { id: "time", label: "Began", cell: (row) => shownMoment(row.started_at), isSortable: true },
  { id: "model", label: "Model", cell: (row) => shownText(row.model) },
  { id: "asked_model", label: "Model asked for", cell: (row) => shownText(row.asked_model), isHiddenAtFirst: true },
  { id: "end_user", label: "End user", cell: (row) => shownText(row.end_user), isHiddenAtFirst: true },
  { id: "tags", label: "Tags", cell: (row) => shownText(row.tags.join(", ")), isHiddenAtFirst: true },
  { id: "channel_name", label: "Channel", cell: (row) => shownText(row.channel_name) },
  { id: "outcome", label: "Outcome", cell: (row) => <StateWord state={row.outcome} />, card: "badge" },
  { id: "input_tokens", label: "In", cell: (row) => shownCount(row.input_tokens), align: "end" },
  { id: "output_tokens", label: "Out", cell: (row) => shownCount(row.output_tokens), align: "end" },
  { id: "settled_quota", label: "Charged, USD", cell: (row) => formats.quotaColumn(row.settled_quota), align: "end" },
  { id: "duration_ms", label: "Took", cell: (row) => shownMs(row.duration_ms), align: "end" },
];

export const mailColumns: readonly Column<MailRow>[] = [
  { id: "to", label: "To", cell: (row) => row.to, card: "title" },
  { id: "template", label: "Template", cell: (row) => `${row.template}, ${row.locale}` },
  { id: "subject", label: "Subject", cell: (row) => shownText(row.subject) },
  { id: "status", label: "Status", cell: (row) => <StateWord state={row.status} />, card: "badge" },
  { id: "attempts", label: "Attempts", cell: (row) => formats.number(row.attempts), align: "end" },
  { id: "last_error", label: "Last error", cell: (row) => shownText(row.last_error) },
  { id: "created_at", label: "Queued", cell: (row) => shownMoment(row.created_at), isSortable: true },
  { id: "failed_at", label: "Failed", cell: (row) => shownMoment(row.failed_at), isHiddenAtFirst: true },
  { id: "sent_at", label: "Sent", cell: (row) => shownMoment(row.sent_at), isHiddenAtFirst: true },
];

export const auditColumns: readonly Column<AuditRow>[] = [
  { id: "at", label: "At", cell: (row) => shownMoment(row.at), isSortable: true, card: "title" },
  { id: "actor_name", label: "Who", cell: (row) => `${row.actor_name} (${row.actor_kind})` },
  { id: "action", label: "Action", cell: (row) => <code>{row.action}</code> },
  {
    id: "subject",
    label: "About",
    cell: (row) =>
      row.subject_kind === "user" ? (
        <UserLink userId={row.subject_id} />
      ) : row.subject_kind === "organisation" ? (
        <PageLink href={`/admin/organisations/${row.subject_id}/`}>{`organisation ${row.subject_id}`}</PageLink>
      ) : (
        `${row.subject_kind} ${row.subject_id}`
      ),
  },
  { id: "reason", label: "Reason", cell: (row) => shownText(row.reason) },
  { id: "ip", label: "Address", cell: (row) => shownText(row.ip), isHiddenAtFirst: true },
];
