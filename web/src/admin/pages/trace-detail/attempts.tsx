import type { traceDetailOutput } from "@sluice/contracts/traces";
import type { ResponseOf } from "@sluice/contracts/wire";
import { type JSX, Show } from "solid-js";
import { Card } from "../../../kit/card.tsx";
import { EmptyState } from "../../../kit/states.tsx";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { dash, shownMs } from "../../shown.ts";
import { t } from "../../translate.ts";
import styles from "./attempts.module.css";

type Attempt = ResponseOf<typeof traceDetailOutput>["attempts"][number];

const percent = 100;

/** Each attempt at a channel, and its time within the call. */
export function Attempts(props: { readonly attempts: readonly Attempt[]; readonly durationMs: number }): JSX.Element {
  return (
    <Card title={t("Attempts")}>
      <Show
        when={props.attempts.length > 0}
        fallback={
          <EmptyState title={t("No channel was tried")}>{t("The call ended before a channel was chosen.")}</EmptyState>
        }
      >
        <SimpleTable
          label={t("Attempts")}
          rows={props.attempts}
          columns={[
            { label: t("Channel"), cell: (row) => row.channel },
            { label: t("Credential"), cell: (row) => <bdi>{row.credential ?? dash}</bdi> },
            { label: t("Other model"), cell: (row) => <bdi>{row.model ?? dash}</bdi> },
            { label: t("Result"), cell: (row) => <StateWord state={row.result} /> },
            { label: t("Provider's response"), cell: (row) => row.said ?? dash },
            { label: "HTTP", cell: (row) => (row.status === null ? dash : String(row.status)), align: "end" },
            { label: t("Started after"), cell: (row) => shownMs(row.started_at_ms), align: "end" },
            { label: t("Took"), cell: (row) => shownMs(row.duration_ms), align: "end" },
            { label: t("Time in the call"), cell: (row) => <Span attempt={row} durationMs={props.durationMs} /> },
          ]}
        />
      </Show>
    </Card>
  );
}

function Span(props: { readonly attempt: Attempt; readonly durationMs: number }): JSX.Element {
  const whole = (): number => Math.max(props.durationMs, 1);
  const start = (): number => Math.min((props.attempt.started_at_ms / whole()) * percent, percent);
  const width = (): number => Math.min((props.attempt.duration_ms / whole()) * percent, percent - start());
  return (
    <span class={styles["track"]} aria-hidden="true">
      <span
        class={styles["span"]}
        style={{ "margin-inline-start": `${start()}%`, "inline-size": `${Math.max(width(), 1)}%` }}
      />
    </span>
  );
}
