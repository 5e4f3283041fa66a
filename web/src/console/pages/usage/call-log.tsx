import type { usageListResponse, usageReceiptResponse } from "@sluice/contracts/usage";
import { createQuery } from "@tanstack/solid-query";
import { createSignal, type JSX, Show } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { formatsOf } from "../../../i18n/format.ts";
import { fill } from "../../../i18n/messages.ts";
import { Switch } from "../../../kit/field.tsx";
import { Badge, Status } from "../../../kit/status.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import type { Column, Filter } from "../../../table/model.ts";
import type { TableState } from "../../../table/table-state.ts";
import { formats } from "../../formats.ts";
import { consoleLocale } from "../../locales.ts";
import { createCursorList } from "../../parts/cursor-list.ts";
import { createKeysQuery, createSummaryQuery } from "../../parts/queries.ts";
import { type Call, outcomeTones } from "./call.ts";
import { usageArea } from "./messages/messages.ts";
import type { Range } from "./range.ts";
import { Receipt } from "./receipt.tsx";
import styles from "./usage.module.css";

const liveMs = 10_000;
const outcomes = ["completed", "aborted", "failed", "refused"] as const;
/** The calls of the range, each with its receipt. */
export function CallLog(props: {
  readonly range: Range;
  readonly state: TableState;
  readonly filter: () => Readonly<Record<string, string>>;
}): JSX.Element {
  const texts = usageArea.texts();
  const { state, range } = props;
  const [isLive, setIsLive] = createSignal(false);
  const list = createCursorList<Call>({
    name: "calls",
    state: { ...state, query: () => ({ ...state.query(), ...props.filter() }) },
    load: (query, signal) => apiGet<typeof usageListResponse>("/backend/usage/list/", { query, signal }),
    // Users who look at a call or at earlier pages are not disturbed by new ones.
    refreshMs: () => (isLive() && state.openId() === "" && state.cursor() === "" ? liveMs : 0),
  });
  const elsewhere = createQuery(() => ({
    queryKey: ["receipt", state.openId()],
    queryFn: ({ signal }) =>
      apiGet<typeof usageReceiptResponse>("/backend/usage/receipt/", { signal, query: { request_id: state.openId() } }),
    enabled: state.openId() !== "" && list.rows?.every(({ request_id }) => request_id !== state.openId()) === true,
  }));
  const keys = createKeysQuery();
  // The sums ignore the filters, so that every model and every key with calls can be selected, including revoked ones.
  const all = createSummaryQuery(() => range.query());
  const namesOf = (id: string, names: (call: Call) => readonly string[]): readonly string[] =>
    [...new Set([state.filter(id), ...(list.rows ?? []).flatMap(names)])].filter((name) => name !== "").sort();
  /** Filters that few calls can be chosen by offer what the calls shown have. */
  const rareFilter = (id: string, label: string, names: (call: Call) => readonly string[]): readonly Filter[] => {
    const options = namesOf(id, names).map((value) => ({ value, label: value }));
    return options.length === 0 ? [] : [{ id, label, options }];
  };
  const filters = (): readonly Filter[] => {
    const named = new Map((keys.data?.keys ?? []).map((key) => [String(key.key_id), key.name]));
    for (const { key_id, key_name } of all.data?.by_key ?? []) {
      named.set(String(key_id), key_name || fill(texts.deletedKey, { id: String(key_id) }));
    }
    return [
      { id: "key_id", label: texts.key, options: [...named].map(([value, label]) => ({ value, label })) },
      {
        id: "model",
        label: texts.model,
        options: (all.data?.by_model ?? []).flatMap(({ model }) =>
          model === null ? [] : [{ value: model, label: model }],
        ),
      },
      ...rareFilter("asked_model", texts.askedModel, ({ asked_model: asked }) => [asked ?? ""]),
      ...rareFilter("end_user", texts.endUser, ({ end_user: endUser }) => [endUser ?? ""]),
      ...rareFilter("tag", texts.tag, ({ tags }) => tags),
      {
        id: "outcome",
        label: texts.outcome,
        options: outcomes.map((value) => ({ value, label: texts.outcomes[value] })),
      },
    ];
  };
  return (
    <DataTable<Call>
      {...list}
      name="calls"
      label={texts.log}
      state={state}
      columns={columnsOf(() => formatsOf(consoleLocale, range.zone()))}
      rowId={({ request_id }) => request_id}
      elsewhere={elsewhere.data?.receipt}
      filters={filters()}
      actions={
        <Switch label={texts.live} checked={isLive()} onChange={(event) => setIsLive(event.currentTarget.checked)} />
      }
      empty={{
        title: texts.emptyTitle,
        text: texts.emptyText,
        actions: (
          <a class="button" href="/console/keys/">
            {texts.toKeys}
          </a>
        ),
      }}
      panel={{ title: () => texts.receipt, content: (call) => <Receipt call={call} /> }}
    />
  );
}

function Name(props: { readonly text: string }): JSX.Element {
  return (
    <bdi class={styles["name"]} title={props.text}>
      {props.text}
    </bdi>
  );
}

function columnsOf(zoned: () => ReturnType<typeof formatsOf>): readonly Column<Call>[] {
  const texts = usageArea.texts();
  return [
    { id: "time", label: texts.time, card: "title", cell: (call) => zoned().dateTime(call.started_at) },
    {
      id: "model",
      label: texts.model,
      cell: (call) => (
        <>
          <Name text={call.model ?? texts.unknownModel} />
          <Show when={call.cache_basis_points !== null}>
            {" "}
            <Badge>{texts.cacheBadge}</Badge>
          </Show>
        </>
      ),
    },
    { id: "key", label: texts.key, cell: (call) => <Name text={call.key_name} /> },
    {
      id: "outcome",
      label: texts.outcome,
      card: "badge",
      cell: (call) => <Status tone={outcomeTones[call.outcome]}>{texts.outcomes[call.outcome]}</Status>,
    },
    {
      id: "tokens",
      label: texts.tokens,
      align: "end",
      cell: (call) =>
        fill(texts.tokensInOut, {
          input: formats.number(Number(call.input_tokens)),
          output: formats.number(Number(call.output_tokens)),
        }),
    },
    { id: "cost", label: texts.cost, align: "end", cell: (call) => formats.quotaColumn(call.settled_quota) },
    {
      id: "first_byte",
      label: texts.firstByte,
      align: "end",
      cell: (call) => (call.first_byte_ms === null ? "–" : formats.milliseconds(call.first_byte_ms)),
    },
    { id: "duration", label: texts.duration, align: "end", cell: (call) => formats.milliseconds(call.duration_ms) },
    { id: "status", label: texts.status, align: "end", isHiddenAtFirst: true, cell: (call) => call.http_status },
    {
      id: "end_user",
      label: texts.endUser,
      isHiddenAtFirst: true,
      cell: (call) => <Name text={call.end_user ?? "–"} />,
    },
    {
      id: "tags",
      label: texts.tags,
      isHiddenAtFirst: true,
      cell: (call) => <Name text={call.tags.join(", ") || "–"} />,
    },
    { id: "path", label: texts.path, isHiddenAtFirst: true, cell: (call) => <code>{call.path}</code> },
  ];
}
