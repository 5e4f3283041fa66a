import type { auditList, keyList, mailList } from "@sluice/contracts/admin-lists/accounts";
import type { usageList } from "@sluice/contracts/admin-lists/gateway";
import type { RowOf } from "@sluice/contracts/lists";
import type { Column } from "../../table/model.ts";
import { formats } from "../formats.ts";
import { PageLink } from "../parts/page-link.tsx";
import { StateWord } from "../parts/state-word.tsx";
import { dash, shownCount, shownMs, shownText } from "../shown.ts";
import { t } from "../translate.ts";
import { listMoment } from "./list-moment.tsx";
import { UserLink } from "./user-link.tsx";

export type KeyRow = RowOf<typeof keyList>;
export type MailRow = RowOf<typeof mailList>;
export type AuditRow = RowOf<typeof auditList>;
export type UsageRow = RowOf<typeof usageList>;

/** A lock matters more than any state but the last. */
export const keyState = (row: KeyRow): string =>
  row.lock_reason !== null && row.status !== "revoked" ? "locked" : row.status;

export const keyColumns: readonly Column<KeyRow>[] = [
  { id: "name", label: t("Name"), cell: (row) => row.name, card: "title" },
  {
    id: "key",
    label: t("Key"),
    cell: (row) => (
      <code>
        {row.key_prefix}…{row.key_last_four}
      </code>
    ),
  },
  { id: "status", label: t("Status"), cell: (row) => <StateWord state={keyState(row)} />, card: "badge" },
  {
    id: "group_name",
    label: t("Group"),
    cell: (row) =>
      row.has_group ? row.group_name : t("{group_name}, lost: calls are refused", { group_name: row.group_name }),
  },
  {
    id: "quota_limit",
    label: t("Limit, USD"),
    cell: (row) => (row.quota_limit === null ? t("none") : formats.quotaColumn(row.quota_limit)),
    align: "end",
  },
  {
    id: "quota_used",
    label: t("Used, USD"),
    cell: (row) => (row.quota_used === null ? dash : formats.quotaColumn(row.quota_used)),
    align: "end",
  },
  {
    id: "limits",
    label: t("Limits"),
    cell: (row) => (
      <PageLink otherwise="nothing" href={`/admin/limits/?key_id=${row.key_id}`}>
        {t("explain")}
      </PageLink>
    ),
    isHiddenAtFirst: true,
  },
  { id: "last_used_at", label: t("Last used"), cell: (row) => listMoment(row.last_used_at, t("never")) },
  {
    id: "expires_at",
    label: t("Expires"),
    cell: (row) => listMoment(row.expires_at, t("never")),
    isHiddenAtFirst: true,
  },
  { id: "created_at", label: t("Created"), cell: (row) => listMoment(row.created_at), isSortable: true },
];

export const usageColumns: readonly Column<UsageRow>[] = [
  {
    id: "request_id",
    label: t("Request"),
    cell: (row) => (
      <PageLink href={`/admin/trace/${row.request_id}/?day=${row.day}`}>
        <code>{row.request_id.slice(0, 13)}…</code>
      </PageLink>
    ),
    card: "title",
  },
  { id: "time", label: t("Began"), cell: (row) => listMoment(row.started_at), isSortable: true },
  { id: "model", label: t("Model"), cell: (row) => shownText(row.model) },
  { id: "asked_model", label: t("Model asked for"), cell: (row) => shownText(row.asked_model), isHiddenAtFirst: true },
  { id: "end_user", label: t("End user"), cell: (row) => shownText(row.end_user), isHiddenAtFirst: true },
  { id: "tags", label: t("Tags"), cell: (row) => shownText(row.tags.join(", ")), isHiddenAtFirst: true },
  { id: "channel_name", label: t("Channel"), cell: (row) => shownText(row.channel_name) },
  { id: "outcome", label: t("Outcome"), cell: (row) => <StateWord state={row.outcome} />, card: "badge" },
  { id: "input_tokens", label: t("In"), cell: (row) => shownCount(row.input_tokens), align: "end" },
  { id: "output_tokens", label: t("Out"), cell: (row) => shownCount(row.output_tokens), align: "end" },
  {
    id: "settled_quota",
    label: t("Charged, USD"),
    cell: (row) => formats.quotaColumn(row.settled_quota),
    align: "end",
  },
  { id: "duration_ms", label: t("Took"), cell: (row) => shownMs(row.duration_ms), align: "end" },
];

export const mailColumns: readonly Column<MailRow>[] = [
  { id: "to", label: t("To"), cell: (row) => row.to, card: "title" },
  { id: "template", label: t("Template"), cell: (row) => `${row.template}, ${row.locale}` },
  { id: "subject", label: t("Subject"), cell: (row) => shownText(row.subject) },
  { id: "status", label: t("Status"), cell: (row) => <StateWord state={row.status} />, card: "badge" },
  { id: "attempts", label: t("Attempts"), cell: (row) => formats.number(row.attempts), align: "end" },
  { id: "last_error", label: t("Last error"), cell: (row) => shownText(row.last_error) },
  { id: "created_at", label: t("Queued at"), cell: (row) => listMoment(row.created_at), isSortable: true },
  { id: "failed_at", label: t("Failed at"), cell: (row) => listMoment(row.failed_at), isHiddenAtFirst: true },
  { id: "sent_at", label: t("Sent at"), cell: (row) => listMoment(row.sent_at), isHiddenAtFirst: true },
];

export const auditColumns: readonly Column<AuditRow>[] = [
  { id: "at", label: t("At"), cell: (row) => listMoment(row.at), isSortable: true, card: "title" },
  { id: "actor_name", label: t("Who"), cell: (row) => `${row.actor_name} (${row.actor_kind})` },
  { id: "action", label: t("Action"), cell: (row) => <code>{row.action}</code> },
  {
    id: "subject",
    label: t("About"),
    cell: (row) =>
      row.subject_kind === "user" ? (
        <UserLink userId={row.subject_id} />
      ) : row.subject_kind === "organisation" ? (
        <PageLink href={`/admin/organisations/${row.subject_id}/`}>
          {t("organisation {subject_id}", { subject_id: row.subject_id })}
        </PageLink>
      ) : (
        `${row.subject_kind} ${row.subject_id}`
      ),
  },
  { id: "reason", label: t("Reason"), cell: (row) => shownText(row.reason) },
  { id: "ip", label: t("Address"), cell: (row) => shownText(row.ip), isHiddenAtFirst: true },
];
