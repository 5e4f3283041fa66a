import { createSignal, type JSX, Show } from "solid-js";
import { Facts } from "../../../kit/card.tsx";
import { CopyText } from "../../../kit/code.tsx";
import { Switch } from "../../../kit/field.tsx";
import { ShownAfter } from "../../../kit/states.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import type { ChoiceFilter, Column, Filter } from "../../../table/model.ts";
import { createTableState, type TableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import { listMoment } from "../../columns/list-moment.tsx";
import { UserLink } from "../../columns/user-link.tsx";
import { optionsOf } from "../../parts/choice-field.tsx";
import { ErrorCode } from "../../parts/error-code.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { IfReads } from "../../parts/rights.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownCount, shownMoment, shownMs, shownText, shownWord } from "../../shown.ts";
import { t } from "../../translate.ts";
import { outcomes } from "../../values.ts";
import { createChannelOptions } from "../upstreams/channel-options.ts";
import { Accesses } from "./accesses.tsx";
import { Histogram } from "./histogram.tsx";
import { OwnAccesses } from "./own-accesses.tsx";
import { PanelAttempts } from "./panel-attempts.tsx";
import { timeOption, timesSince } from "./time-options.ts";
import { createTraceQuery, type TraceRow } from "./trace-query.ts";

const tokens = (count: TraceRow["input_tokens"]): string => (count === null ? "–" : shownCount(count));

const columns: readonly Column<TraceRow>[] = [
  { id: "request_id", label: t("Request"), cell: (row) => <code>{row.request_id.slice(0, 13)}…</code>, card: "title" },
  { id: "time", label: t("Began"), cell: (row) => listMoment(row.started_at), isSortable: true },
  { id: "email", label: t("User"), cell: (row) => <UserLink userId={row.user_id} email={row.email} /> },
  { id: "model", label: t("Model"), cell: (row) => shownText(row.model) },
  { id: "path", label: t("Call"), cell: (row) => `${row.method} ${row.path}`, isHiddenAtFirst: true },
  { id: "status", label: t("Outcome"), cell: (row) => <StateWord state={row.status} />, card: "badge" },
  { id: "http_status", label: "HTTP", cell: (row) => String(row.http_status), align: "end", isHiddenAtFirst: true },
  { id: "error_code", label: t("Error"), cell: (row) => <ErrorCode code={row.error_code} isShort /> },
  { id: "input_tokens", label: t("In"), cell: (row) => tokens(row.input_tokens), align: "end" },
  { id: "output_tokens", label: t("Out"), cell: (row) => tokens(row.output_tokens), align: "end" },
  {
    id: "first_token_ms",
    label: t("First token"),
    cell: (row) => shownMs(row.first_token_ms),
    align: "end",
    isHiddenAtFirst: true,
  },
  { id: "duration_ms", label: t("Took"), cell: (row) => shownMs(row.duration_ms), align: "end", isSortable: true },
  { id: "payload", label: t("Payload"), cell: (row) => shownWord(row.payload) },
];

const liveMs = 10_000;
const filterIds = [
  ...["request_id", "email", "gateway_user_id", "key_name", "key_id", "model", "channel_id", "status", "error_code"],
  ...["http_status", "from", "to"],
];

/** Finds calls by id, user, key, model and outcome. Payloads are opened on the page of a call. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Trace"));
  const state = createTableState({ filters: filterIds });
  const channels = createChannelOptions();
  const [isLive, setIsLive] = createSignal(false);
  // New calls must not move the rows that an admin is reading.
  const list = createTraceQuery(state, () => (isLive() && state.openId() === "" && state.cursor() === "" ? liveMs : 0));
  return (
    <>
      <PageHead
        title={t("Trace")}
        text={t(
          "Every call with its attempts, newest first. Bodies are encrypted; super-admins can open one by giving a reason.",
        )}
      />
      <Histogram state={state} refreshMs={() => (isLive() ? liveMs : 0)} />
      <DataTable
        {...list}
        name="admin-trace"
        label={t("Calls")}
        columns={columns}
        state={state}
        rowId={(row) => row.request_id}
        filters={filtersOf(state, channels())}
        empty={{ title: t("No calls were traced yet"), text: t("Calls appear here within seconds after they end.") }}
        panel={{ title: (row) => row.request_id, content: (row) => <TracePanel row={row} /> }}
        actions={
          <>
            <Switch label={t("Live")} checked={isLive()} onChange={(event) => setIsLive(event.currentTarget.checked)} />
            <span class="muted" role="status">
              <Show when={isLive()}>{t("Refreshing every 10 s")}</Show>
            </span>
            <span class="muted" role="status">
              <Show when={isByDuration(state)}>{t("By duration: at most 24 hours, the last ones by default")}</Show>
            </span>
          </>
        }
      />
      <ShownAfter isReady={!list.isLoading}>
        <IfReads path="/backend/admin/trace/access/list/">
          <Accesses />
        </IfReads>
        <OwnAccesses />
      </ShownAfter>
    </>
  );
}

/** No index knows durations, so the service sorts the calls of at most a day by them. */
function isByDuration(state: TableState): boolean {
  return state.sort()?.column === "duration_ms";
}

/** What calls are found by. */
function filtersOf(state: TableState, channels: ChoiceFilter["options"]): readonly Filter[] {
  return [
    { id: "request_id", label: t("Request ID"), isSearch: true },
    { id: "email", label: t("User's e-mail"), isSearch: true },
    { id: "gateway_user_id", label: t("Account ID"), isSearch: true },
    { id: "key_name", label: t("Key name"), isSearch: true },
    { id: "key_id", label: t("Key ID"), isSearch: true },
    { id: "model", label: t("Model"), isSearch: true },
    { id: "channel_id", label: t("Channel"), options: channels },
    { id: "status", label: t("Outcome"), options: optionsOf(outcomes) },
    { id: "error_code", label: t("Error"), isSearch: true },
    { id: "http_status", label: t("HTTP status"), isSearch: true },
    { id: "from", label: t("Began after"), options: timesSince(state.filter("from")) },
    ...(state.filter("to") === ""
      ? []
      : [{ id: "to", label: t("Began before"), options: [timeOption(state.filter("to"))] }]),
  ];
}

function TracePanel(props: { readonly row: TraceRow }): JSX.Element {
  const { row } = props;
  return (
    <>
      <div class="button-row">
        <PageLink class="button" data-variant="primary" href={`/admin/trace/${row.request_id}/?day=${row.day}`}>
          {t("Open call")}
        </PageLink>
      </div>
      <PanelAttempts row={row} />
      <Facts
        facts={[
          { name: t("Request"), value: <CopyText text={row.request_id} label={t("Copy the request ID")} /> },
          { name: t("Began"), value: shownMoment(row.started_at) },
          { name: t("Call"), value: <code>{`${row.method} ${row.path}`}</code> },
          { name: t("User"), value: <UserLink userId={row.user_id} email={row.email} /> },
          { name: t("Key"), value: shownText(row.key_name) },
          { name: t("Model"), value: shownText(row.model) },
          { name: t("Outcome"), value: <StateWord state={row.status} /> },
          { name: "HTTP", value: String(row.http_status) },
          { name: t("Error"), value: <ErrorCode code={row.error_code} /> },
          {
            name: t("Tokens"),
            value: t("{input_tokens} in, {output_tokens} out", {
              input_tokens: tokens(row.input_tokens),
              output_tokens: tokens(row.output_tokens),
            }),
          },
          { name: t("First token"), value: shownMs(row.first_token_ms) },
          { name: t("Took"), value: shownMs(row.duration_ms) },
          { name: t("Streamed"), value: row.is_stream ? t("yes") : t("no") },
          { name: t("From"), value: row.client_ip },
          { name: t("Client"), value: shownText(row.user_agent) },
          { name: t("Payload"), value: shownWord(row.payload) },
        ]}
      />
    </>
  );
}
