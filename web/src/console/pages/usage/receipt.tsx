import { scaledToDecimal } from "@sluice/contracts/money";
import type { usageReceiptResponse } from "@sluice/contracts/usage";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery } from "@tanstack/solid-query";
import { createSignal, For, type JSX, lazy, Match, onMount, Show, Suspense, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { fill } from "../../../i18n/messages.ts";
import { Facts } from "../../../kit/card.tsx";
import { CopyText } from "../../../kit/code.tsx";
import { ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { Status } from "../../../kit/status.tsx";
import { errorArea } from "../../errors/messages/messages.ts";
import { formats } from "../../formats.ts";
import { consoleLocale } from "../../locales.ts";
import { type AttemptSpan, spansOf, toEqualPlaces } from "./attempt-spans.ts";
import { type Call, outcomeTones } from "./call.ts";
import { usageArea } from "./messages/messages.ts";
import styles from "./usage.module.css";

const Contents = lazy(async () => ({ default: (await import("./contents.tsx")).Contents }));

type ReceiptOf = ResponseOf<typeof usageReceiptResponse>["receipt"];

/** One call: what happened, and how its price came about. */
export function Receipt(props: { readonly call: Call }): JSX.Element {
  const query = createQuery(() => ({
    queryKey: ["receipt", props.call.request_id],
    queryFn: ({ signal }) =>
      apiGet<typeof usageReceiptResponse>("/backend/usage/receipt/", {
        signal,
        query: { request_id: props.call.request_id, day: props.call.day },
      }),
  }));
  return (
    <div class={styles["receipt"]}>
      <CallFacts call={props.call} />
      <Switch fallback={<LoadingPart size="page" />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data?.receipt}>
          {(receipt) => (
            <>
              <PriceLines receipt={receipt()} />
              <Attempts receipt={receipt()} />
              <Suspense>
                <Contents call={props.call} />
              </Suspense>
            </>
          )}
        </Match>
      </Switch>
    </div>
  );
}

function CallFacts(props: { readonly call: Call }): JSX.Element {
  const texts = usageArea.texts();
  const facts = () => {
    const { call } = props;
    return [
      { name: texts.requestId, value: <CopyText text={call.request_id} label={texts.requestId} /> },
      {
        name: texts.outcome,
        value: (
          <Status tone={outcomeTones[call.outcome]}>{`${texts.outcomes[call.outcome]}, ${call.http_status}`}</Status>
        ),
      },
      ...(call.error_code === null ? [] : [{ name: texts.error, value: <CallError code={call.error_code} /> }]),
      { name: texts.time, value: formats.dateTime(call.started_at) },
      { name: texts.model, value: <bdi>{call.model ?? texts.unknownModel}</bdi> },
      ...(call.asked_model === null
        ? []
        : [{ name: texts.askedModel, value: <AskedModel model={call.asked_model} /> }]),
      { name: texts.key, value: <bdi>{call.key_name}</bdi> },
      ...labelFacts(call),
      { name: texts.path, value: <code>{call.path}</code> },
      { name: texts.stream, value: call.is_stream ? texts.yes : texts.no },
      {
        name: texts.firstByte,
        value: call.first_byte_ms === null ? "–" : formats.milliseconds(call.first_byte_ms),
      },
      { name: texts.duration, value: formats.milliseconds(call.duration_ms) },
      { name: texts.source, value: texts.sources[call.usage_source] },
      ...(call.cache_basis_points === null ? [] : [{ name: texts.fromCache, value: texts.yes }]),
      ...(call.is_implausible ? [{ name: texts.implausibleName, value: texts.implausible }] : []),
    ];
  };
  return <Facts facts={facts()} />;
}

/** What went wrong, in the user's language, and where it says what to do. */
function CallError(props: { readonly code: string }): JSX.Element {
  const texts = usageArea.texts();
  const [codes, setCodes] = createSignal<Readonly<Record<string, string>>>({});
  onMount(() => void errorArea.load().then(() => setCodes(errorArea.texts().codes)));
  const docs = consoleLocale === "en" ? "" : `/${consoleLocale}`;
  return (
    <>
      <Show when={codes()[props.code]}>{(text) => <div>{text()}</div>}</Show>
      <code>{props.code}</code> <a href={`${docs}/docs/errors/#${props.code}`}>{texts.whatToDo}</a>
    </>
  );
}

/** For whom and for what the client made the call, as far as it said so. */
function labelFacts({ end_user: endUser, tags }: Call): { readonly name: string; readonly value: JSX.Element }[] {
  const texts = usageArea.texts();
  return [
    ...(endUser === null ? [] : [{ name: texts.endUser, value: <bdi>{endUser}</bdi> }]),
    ...(tags.length === 0 ? [] : [{ name: texts.tags, value: <bdi>{tags.join(", ")}</bdi> }]),
  ];
}

/** Leads to all calls that asked for the same model in vain. */
function AskedModel(props: { readonly model: string }): JSX.Element {
  return (
    <a href={`/console/usage/?${new URLSearchParams({ asked_model: props.model })}`}>
      <bdi>{props.model}</bdi>
    </a>
  );
}

function PriceLines(props: { readonly receipt: ReceiptOf }): JSX.Element {
  const texts = usageArea.texts();
  const unitName = (unit: string): string =>
    Object.hasOwn(texts.units, unit) ? texts.units[unit as keyof typeof texts.units] : unit;
  const amounts = (): string[] => toEqualPlaces(props.receipt.lines.map((line) => line.amount_usd));
  return (
    <div>
      <h3>{texts.lines}</h3>
      <Show when={props.receipt.lines.length > 0} fallback={<p class="muted">{texts.notCharged}</p>}>
        <section class={styles["scroll"]} tabindex="0" aria-label={texts.lines}>
          <table class="table" data-compact="true">
            <thead>
              <tr>
                <th scope="col">{texts.unit}</th>
                <For each={[texts.count, texts.unitPrice, texts.amount]}>
                  {(label) => (
                    <th scope="col" data-align="end">
                      {label}
                    </th>
                  )}
                </For>
              </tr>
            </thead>
            <tbody>
              <For each={props.receipt.lines}>
                {(line, index) => (
                  <tr>
                    <th scope="row" data-card="title">
                      {unitName(line.unit)}
                    </th>
                    <td data-align="end" data-label={texts.count}>
                      {line.count_unit === "millisecond"
                        ? fill(texts.milliseconds, { count: formats.number(BigInt(line.count)) })
                        : formats.number(BigInt(line.count))}
                    </td>
                    <td data-align="end" data-label={texts.unitPrice}>
                      <bdi>{formats.usdExact(line.price_usd)}</bdi> {texts.per[line.price_per]}
                    </td>
                    <td data-align="end" data-label={texts.amount}>
                      <bdi>{`$${amounts()[index()]}`}</bdi>
                    </td>
                  </tr>
                )}
              </For>
            </tbody>
          </table>
        </section>
        <Show when={props.receipt.long_prompt_above}>
          {(above) => <p class="muted">{fill(texts.longPrompt, { count: formats.number(above()) })}</p>}
        </Show>
        <Facts
          facts={[
            { name: texts.sum, value: <bdi>{formats.usdExact(props.receipt.sum_usd)}</bdi> },
            ...shareFacts(props.receipt.cache_basis_points),
            { name: texts.rounded, value: <bdi>{formats.quota(props.receipt.quota)}</bdi> },
            { name: texts.group, value: <bdi>{props.receipt.group}</bdi> },
            { name: texts.multiplier, value: <bdi>{`× ${formats.decimal(props.receipt.rate_multiplier)}`}</bdi> },
            {
              name: texts.charged,
              value: <bdi>{formats.quota(props.receipt.settled_quota)}</bdi>,
            },
            { name: texts.price, value: props.receipt.price_version?.toString() ?? "–" },
          ]}
        />
      </Show>
    </div>
  );
}

/** A response from the cache costs a share of the sum. */
function shareFacts(basisPoints: number | null): { readonly name: string; readonly value: JSX.Element }[] {
  const share = basisPoints === null ? null : scaledToDecimal(BigInt(basisPoints), 4);
  return share === null
    ? []
    : [{ name: usageArea.texts().cacheShare, value: <bdi>{`× ${formats.decimal(share)}`}</bdi> }];
}

type ResultName = keyof ReturnType<typeof usageArea.texts>["results"];

/** The gateway records a code for an attempt; these are the descriptions. */
const resultNames: readonly (readonly [RegExp, ResultName])[] = [
  [/^answered$/, "answered"],
  [/^status_(429|503|529)$/, "busy"],
  [/^status_5\d+$/, "failed"],
  [/^(status_\d+|credential_refused|account_empty|context_exceeded)$/, "refused"],
  [/^(unreachable|tls_failed|connect_timeout|no_connection)$/, "unreachable"],
  [/_timeout$/, "timeout"],
  [/^(reset_\w+|no_last_event|client_left)$/, "cut"],
  [/^(malformed|too_large|empty_stream|error_event|broken_event|no_json|no_result|content_type|encoded)$/, "unusable"],
];

function resultText(result: string): JSX.Element {
  const name = resultNames.find(([pattern]) => pattern.test(result))?.[1];
  return (
    <>
      <Show when={name}>{(known) => `${usageArea.texts().results[known()]} `}</Show>
      {/* A status is in the line below. */}
      <Show when={name !== "answered" && !result.startsWith("status_")}>
        <code>{result}</code>
      </Show>
    </>
  );
}

function Attempts(props: { readonly receipt: ReceiptOf }): JSX.Element {
  const texts = usageArea.texts();
  const spans = (): AttemptSpan[] => spansOf(props.receipt.attempts, props.receipt.duration_ms);
  return (
    <Show when={props.receipt.attempts.length > 0}>
      <div>
        <h3>{texts.attempts}</h3>
        <ol class={`plain-list ${styles["attempts"]}`}>
          <For each={props.receipt.attempts}>
            {(attempt, index) => (
              <li>
                {fill(texts.attempt, { number: index() + 1 })}
                <Show when={attempt.model}>
                  {(model) => (
                    <>
                      {", "}
                      <bdi>{model()}</bdi>
                    </>
                  )}
                </Show>
                : {resultText(attempt.result)}
                <span class={styles["track"]} aria-hidden="true">
                  <span
                    class={styles["span"]}
                    data-good={attempt.result === "answered"}
                    style={{
                      "margin-inline-start": `${spans()[index()]?.start}%`,
                      "inline-size": `${spans()[index()]?.width}%`,
                    }}
                  />
                </span>
                <span class="muted">
                  {fill(texts.attemptText, {
                    status: attempt.status ?? texts.noAnswer,
                    duration: formats.milliseconds(attempt.duration_ms),
                    start: formats.milliseconds(attempt.started_at_ms),
                  })}
                </span>
              </li>
            )}
          </For>
        </ol>
      </div>
    </Show>
  );
}
