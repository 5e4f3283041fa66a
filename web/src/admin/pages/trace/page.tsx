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
import { UserLink } from "../../columns/user-link.tsx";
import { optionsOf } from "../../parts/choice-field.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { IfReads } from "../../parts/rights.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownCount, shownMoment, shownMs, shownText } from "../../shown.ts";
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
  { id: "request_id", label: "Request", cell: (row) => <code>{row.request_id.slice(0, 18)}…</code>, card: "title" },
  { id: "time", label: "Began", cell: (row) => shownMoment(row.started_at), isSortable: true },
  { id: "email", label: "User", cell: (row) => <UserLink userId={row.user_id} email={row.email} /> },
  { id: "model", label: "Model", cell: (row) => shownText(row.model) },
  { id: "path", label: "Call", cell: (row) => `${row.method} ${row.path}`, isHiddenAtFirst: true },
  { id: "status", label: "Outcome", cell: (row) => <StateWord state={row.status} />, card: "badge" },
  { id: "http_status", label: "HTTP", cell: (row) => String(row.http_status), align: "end" },
  { id: "error_code", label: "Error", cell: (row) => shownText(row.error_code) },
  { id: "input_tokens", label: "In", cell: (row) => tokens(row.input_tokens), align: "end" },
  { id: "output_tokens", label: "Out", cell: (row) => tokens(row.output_tokens), align: "end" },
  {
    id: "first_token_ms",
    label: "First token",
    cell: (row) => shownMs(row.first_token_ms),
    align: "end",
    isHiddenAtFirst: true,
  },
  { id: "duration_ms", label: "Took", cell: (row) => shownMs(row.duration_ms), align: "end" },
  { id: "payload", label: "Payload", cell: (row) => row.payload },
];

const liveMs = 10_000;
const filterIds = [
  ...["request_id", "email", "gateway_user_id", "key_name", "key_id", "model", "channel_id", "status", "error_code"],
  ...["http_status", "from", "to"],
];

/** Finds calls by id, user, key, model and outcome. Payloads are opened on the page of a call. */
export function Page(): JSX.Element {
  useAdminTitle(() => "Trace");
  const state = createTableState({ filters: filterIds });
  const channels = createChannelOptions();
  const [isLive, setIsLive] = createSignal(false);
  // New calls must not move the rows that an admin is reading.
  const list = createTraceQuery(state, () => (isLive() && state.openId() === "" && state.cursor() === "" ? liveMs : 0));
  return (
    <>
      <PageHead
        title="Trace"
        text="Every call with its attempts, newest first. Bodies are encrypted; super-admins can open one by giving a reason."
      />
      <Histogram state={state} refreshMs={() => (isLive() ? liveMs : 0)} />
      <DataTable
        {...list}
        name="admin-trace"
        label="Calls"
        columns={columns}
        state={state}
        rowId={(row) => row.request_id}
        filters={filtersOf(state, channels())}
        empty={{ title: "No calls were traced yet", text: "Calls appear here within seconds after they end." }}
        panel={{ title: (row) => row.request_id, content: (row) => <TracePanel row={row} /> }}
        actions={
          <>
            <Switch label="Live" checked={isLive()} onChange={(event) => setIsLive(event.currentTarget.checked)} />
            <span class="muted" role="status">
              <Show when={isLive()}>Refreshing every 10 s</Show>
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

/** What calls are found by. */
function filtersOf(state: TableState, channels: ChoiceFilter["options"]): readonly Filter[] {
  return [
    { id: "request_id", label: "Request id", isSearch: true },
    { id: "email", label: "User's e-mail", isSearch: true },
    { id: "gateway_user_id", label: "Account id", isSearch: true },
    { id: "key_name", label: "Key name", isSearch: true },
    { id: "key_id", label: "Key id", isSearch: true },
    { id: "model", label: "Model", isSearch: true },
    { id: "channel_id", label: "Channel", options: channels },
    { id: "status", label: "Outcome", options: optionsOf(outcomes) },
    { id: "error_code", label: "Error", isSearch: true },
    { id: "http_status", label: "HTTP status", isSearch: true },
    { id: "from", label: "Began after", options: timesSince(state.filter("from")) },
    ...(state.filter("to") === ""
      ? []
      : [{ id: "to", label: "Began before", options: [timeOption(state.filter("to"))] }]),
  ];
}

function TracePanel(props: { readonly row: TraceRow }): JSX.Element {
  const { row } = props;
  return (
    <>
      <div class="button-row">
        <PageLink class="button" data-variant="primary" href={`/admin/trace/${row.request_id}/?day=${row.day}`}>
          Open call
        </PageLink>
      </div>
      <PanelAttempts row={row} />
      <Facts
        facts={[
          { name: "Request", value: <CopyText text={row.request_id} label="Copy the id of the request" /> },
          { name: "Began", value: shownMoment(row.started_at) },
          { name: "Call", value: <code>{`${row.method} ${row.path}`}</code> },
          { name: "User", value: <UserLink userId={row.user_id} email={row.email} /> },
          { name: "Key", value: shownText(row.key_name) },
          { name: "Model", value: shownText(row.model) },
          { name: "Outcome", value: <StateWord state={row.status} /> },
          { name: "HTTP", value: String(row.http_status) },
          { name: "Error", value: shownText(row.error_code) },
          { name: "Tokens", value: `${tokens(row.input_tokens)} in, ${tokens(row.output_tokens)} out` },
          { name: "First token", value: shownMs(row.first_token_ms) },
          { name: "Took", value: shownMs(row.duration_ms) },
          { name: "Streamed", value: row.is_stream ? "yes" : "no" },
          { name: "From", value: row.client_ip },
          { name: "Client", value: shownText(row.user_agent) },
          { name: "Payload", value: row.payload },
        ]}
      />
    </>
  );
}
