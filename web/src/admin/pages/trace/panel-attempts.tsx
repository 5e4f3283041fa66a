import type { traceDetailOutput } from "@sluice/contracts/traces";
import { createQuery } from "@tanstack/solid-query";
import { For, type JSX, Match, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownMs } from "../../shown.ts";
import { t } from "../../translate.ts";
import styles from "./trace.module.css";
import type { TraceRow } from "./trace-query.ts";

const path = "/backend/admin/trace/detail/";

/** The attempts at channels, with what each provider said. */
export function PanelAttempts(props: { readonly row: TraceRow }): JSX.Element {
  const query = createQuery(() => ({
    queryKey: [path, props.row.request_id, props.row.day],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet<typeof traceDetailOutput>(path, {
        query: { request_id: props.row.request_id, day: props.row.day },
        signal,
      }),
  }));
  return (
    <section class={styles["attempts"]} aria-label={t("Attempts")}>
      <Switch fallback={<LoadingPart size="line" />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data?.attempts.length === 0}>
          <p class="muted">{t("The call ended before a channel was chosen.")}</p>
        </Match>
        <Match when={query.data}>
          {(detail) => (
            <ol class="plain-list">
              <For each={detail().attempts}>
                {(attempt) => (
                  <li>
                    <strong>{attempt.channel}</strong> <StateWord state={attempt.result} />{" "}
                    <span class="muted">
                      {attempt.status === null ? t("no response") : t("HTTP {status}", { status: attempt.status })},{" "}
                      {shownMs(attempt.duration_ms)}
                    </span>
                    {attempt.said === null ? null : <p class={styles["said"]}>{attempt.said}</p>}
                  </li>
                )}
              </For>
            </ol>
          )}
        </Match>
      </Switch>
    </section>
  );
}
