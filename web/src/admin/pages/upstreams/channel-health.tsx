import type { channelHealth } from "@sluice/contracts/channel-health";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery } from "@tanstack/solid-query";
import { type JSX, Match, Show, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { EmptyState, ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { listMoment } from "../../columns/list-moment.tsx";
import { formats } from "../../formats.ts";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { dash, shownMoment, shownMs } from "../../shown.ts";
import { t } from "../../translate.ts";

type Health = ResponseOf<typeof channelHealth>;
type Row = Health["rows"][number];

const healthPath = "/backend/admin/channel/health/";
const percent = 100;
const decimals = 10;

/** To a tenth, and never rounded up to a whole: one failure in ten thousand is not none. */
const shownRate = (rate: number | null): string =>
  rate === null ? dash : `${formats.number(Math.floor(rate * percent * decimals) / decimals)} %`;

const columns = [
  { label: t("Channel"), cell: (row: Row) => <bdi>{row.channel_name}</bdi> },
  { label: t("Model"), cell: (row: Row) => <code>{row.model}</code> },
  { label: t("Attempts answered"), cell: (row: Row) => shownRate(row.success_rate), align: "end" as const },
  { label: t("Attempts"), cell: (row: Row) => formats.number(row.attempts), align: "end" as const },
  { label: t("Failed"), cell: (row: Row) => formats.number(row.failed), align: "end" as const },
  { label: t("First byte, p50"), cell: (row: Row) => shownMs(row.first_byte_ms_p50), align: "end" as const },
  { label: t("First byte, p95"), cell: (row: Row) => shownMs(row.first_byte_ms_p95), align: "end" as const },
  {
    label: t("Last failure"),
    cell: (row: Row) => (
      <Show when={row.last_failure} fallback={dash}>
        {(failure) => (
          <>
            <StateWord state={failure()} />
            <div class="muted">{shownMoment(row.last_failed_at)}</div>
          </>
        )}
      </Show>
    ),
  },
];

type Probe = Health["probes"][number];

const probeColumns = [
  { label: t("Channel"), cell: (row: Probe) => <bdi>{row.channel_name}</bdi> },
  { label: t("Model"), cell: (row: Probe) => <code>{row.model || dash}</code> },
  { label: t("Result"), cell: (row: Probe) => <StateWord state={probeState(row)} /> },
  { label: t("Tested"), cell: (row: Probe) => listMoment(row.probed_at) },
  { label: t("Took"), cell: (row: Probe) => shownMs(row.latency_ms), align: "end" as const },
  {
    label: "HTTP",
    cell: (row: Probe) => (row.http_status === null ? dash : String(row.http_status)),
    align: "end" as const,
  },
  { label: t("Failures in a row"), cell: (row: Probe) => formats.number(row.failed_in_row), align: "end" as const },
  { label: t("Problem"), cell: (row: Probe) => <bdi>{row.error ?? dash}</bdi> },
];

function probeState({ is_ok: isOk, rested_at: restedAt }: Probe): string {
  return restedAt === null ? (isOk ? "ok" : "failed") : "resting";
}

/** The latest periodic tests, if any channel has them. */
function ProbeTable(props: { readonly probes: readonly Probe[] }): JSX.Element {
  return (
    <Show when={props.probes.length > 0}>
      <h3>{t("Periodic tests")}</h3>
      <p class="muted">
        {t(
          "A channel rests after three failed tests in a row, and gets calls again after one that succeeds. A limit, or a refusal of the test itself, counts as neither.",
        )}
      </p>
      <SimpleTable label={t("Periodic tests of channels")} rows={props.probes} columns={probeColumns} />
    </Show>
  );
}

function HealthTables(props: { readonly health: Health }): JSX.Element {
  return (
    <>
      <Show
        when={props.health.rows.length > 0}
        fallback={<EmptyState title={t("No attempts")}>{t("No call was sent to a channel in this time.")}</EmptyState>}
      >
        <SimpleTable label={t("Health of channels")} rows={props.health.rows} columns={columns} />
      </Show>
      <ProbeTable probes={props.health.probes} />
    </>
  );
}

/** How the latest attempts at each channel ended, the worst first. */
export function ChannelHealthTable(): JSX.Element {
  const query = createQuery(() => ({
    queryKey: [healthPath],
    queryFn: ({ signal }: { signal: AbortSignal }) => apiGet<typeof channelHealth>(healthPath, { signal }),
  }));
  return (
    <>
      <p class="muted">
        {t(
          "Attempts in the last 24 hours, from at most the latest 20,000 calls. An attempt counts even if another channel then answered the call. Requests that a provider rejected as invalid do not count as failures.",
        )}
      </p>
      <div class="button-row">
        <Button isBusy={query.isFetching} onClick={() => void query.refetch()}>
          {t("Load again")}
        </Button>
      </div>
      <Switch fallback={<LoadingPart />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data}>{(health) => <HealthTables health={health()} />}</Match>
      </Switch>
    </>
  );
}
