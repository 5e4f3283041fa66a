import type { usageReceiptResponse } from "@sluice/contracts/usage";
import { createQuery } from "@tanstack/solid-query";
import { type JSX, Show } from "solid-js";
import { ApiError, apiGet } from "../../../api/client.ts";
import { formats } from "../../formats.ts";
import { playgroundArea } from "./messages/messages.ts";
import styles from "./playground.module.css";
import type { Measures, Message } from "./stream-chat.ts";

export type TurnParts = { readonly message: Message; readonly measures: Measures | null };

const receiptTries = 10;
const receiptEveryMs = 1_000;
const notFound = 404;

/** One side's message; for a response with its duration and cost. */
export function Turn(props: { readonly turn: TurnParts; readonly isWaiting: boolean }): JSX.Element {
  const texts = playgroundArea.texts();
  return (
    <div class={styles["turn"]} data-role={props.turn.message.role}>
      <strong>{props.turn.message.role === "user" ? texts.you : texts.answer}</strong>
      <Show
        when={props.turn.message.content !== "" || !props.isWaiting}
        fallback={<span class="muted">{texts.waiting}</span>}
      >
        <pre>{props.turn.message.content}</pre>
      </Show>
      <Show when={props.turn.measures}>{(measures) => <MeasureLine measures={measures()} />}</Show>
    </div>
  );
}

function MeasureLine(props: { readonly measures: Measures }): JSX.Element {
  const texts = playgroundArea.texts();
  const known = (value: number | null, write: (value: number) => string): string =>
    value === null ? texts.notCounted : write(value);
  return (
    <div class={styles["measures"]}>
      <span>
        {texts.firstToken}: {known(props.measures.firstTokenMs, formats.milliseconds)}
      </span>
      <span>
        {texts.duration}: {formats.milliseconds(props.measures.durationMs)}
      </span>
      <span>
        {texts.tokens}: {known(props.measures.inputTokens, formats.number)} +{" "}
        {known(props.measures.outputTokens, formats.number)}
      </span>
      <Show when={props.measures.requestId}>{(id) => <Cost requestId={id()} />}</Show>
    </div>
  );
}

/** The charge of the call from its receipt, which exists a moment after the response. */
function Cost(props: { readonly requestId: string }): JSX.Element {
  const texts = playgroundArea.texts();
  const query = createQuery(() => ({
    queryKey: ["receipt", props.requestId],
    queryFn: ({ signal }) =>
      apiGet<typeof usageReceiptResponse>("/backend/usage/receipt/", {
        signal,
        query: { request_id: props.requestId },
      }),
    retry: (tries, error) => error instanceof ApiError && error.status === notFound && tries < receiptTries,
    retryDelay: receiptEveryMs,
  }));
  const cost = (): string => {
    if (query.isPending) {
      return "…";
    }
    return query.isSuccess ? formats.quota(query.data.receipt.settled_quota) : texts.notCounted;
  };
  return (
    <span>
      {texts.cost}: {cost()}
    </span>
  );
}
