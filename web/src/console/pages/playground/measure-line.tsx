import type { usageListResponse } from "@sluice/contracts/usage";
import { createQuery } from "@tanstack/solid-query";
import { createEffect, createSignal, type JSX, Show } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { fill } from "../../../i18n/messages.ts";
import { formats } from "../../formats.ts";
import type { Measures } from "./chat-messages.ts";
import { playgroundArea } from "./messages/messages.ts";
import styles from "./playground.module.css";

const costTries = 20;
const costEveryMs = 1_000;
/** More calls than a page makes before the first of them is recorded. */
const callsLooked = 20;

type Recorded = Pick<Measures, "cost" | "inputTokens" | "outputTokens">;

/** How long a response took, and what it cost. */
export function MeasureLine(props: {
  readonly measures: Measures;
  /** The key of the call; undefined if the page does not know it any more. */
  readonly keyId: string | undefined;
  readonly onCost: (recorded: Recorded) => void;
}): JSX.Element {
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
        {texts.tokens}:{" "}
        {fill(texts.tokenCounts, {
          input: known(props.measures.inputTokens, formats.number),
          output: known(props.measures.outputTokens, formats.number),
        })}
      </span>
      <Show when={props.measures.requestId}>
        {(id) => (
          <>
            <Cost {...props} requestId={id()} />
            <a href={`/console/usage/?open=${encodeURIComponent(id())}`}>{texts.receipt}</a>
          </>
        )}
      </Show>
    </div>
  );
}

/** The charge of the call from its record, which exists a moment after the response. */
function Cost(props: {
  readonly measures: Measures;
  readonly keyId: string | undefined;
  readonly requestId: string;
  readonly onCost: (recorded: Recorded) => void;
}): JSX.Element {
  const texts = playgroundArea.texts();
  const [tries, setTries] = createSignal(0);
  const query = createQuery(() => ({
    queryKey: ["playground-cost", props.requestId],
    enabled: props.measures.cost === null && props.keyId !== undefined,
    queryFn: async ({ signal }) => {
      setTries((count) => count + 1);
      return await findRecord(props.keyId ?? "", props.requestId, signal);
    },
    refetchInterval: ({ state }) => (state.data == null && tries() < costTries ? costEveryMs : false),
    gcTime: 0,
  }));
  createEffect(() => {
    if (query.data != null && props.measures.cost === null) {
      props.onCost(query.data);
    }
  });
  const isOver = (): boolean => props.keyId === undefined || (tries() >= costTries && !query.isFetching);
  return (
    <span>
      {texts.cost}:{" "}
      {props.measures.cost === null ? (isOver() ? texts.notCounted : "…") : formats.quota(props.measures.cost)}
    </span>
  );
}

/** Looks for the call among the newest of its key: a list has an answer before the call is in it. */
async function findRecord(keyId: string, requestId: string, signal: AbortSignal): Promise<Recorded | null> {
  const { rows } = await apiGet<typeof usageListResponse>("/backend/usage/list/", {
    signal,
    query: { key_id: keyId, limit: callsLooked },
  });
  const row = rows.find(({ request_id }) => request_id === requestId);
  return row === undefined
    ? null
    : {
        cost: String(row.settled_quota),
        inputTokens: Number(row.input_tokens),
        outputTokens: Number(row.output_tokens),
      };
}
