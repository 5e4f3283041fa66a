import { scaledToDecimal } from "@sluice/contracts/money";
import { countColumns } from "@sluice/contracts/priced-units";
import type { traceDetailOutput } from "@sluice/contracts/traces";
import type { ResponseOf } from "@sluice/contracts/wire";
import { useParams, useSearchParams } from "@solidjs/router";
import { createQuery } from "@tanstack/solid-query";
import { type JSX, Match, Show, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Card, Facts } from "../../../kit/card.tsx";
import { CopyText } from "../../../kit/code.tsx";
import { EmptyState, ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useAdminTitle } from "../../admin-title.ts";
import { listMoment } from "../../columns/list-moment.tsx";
import { UserLink } from "../../columns/user-link.tsx";
import { formats } from "../../formats.ts";
import { ErrorCode } from "../../parts/error-code.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { dash, shownCount, shownMoment, shownMs, shownText, shownUsd, shownWord } from "../../shown.ts";
import { t } from "../../translate.ts";
import { countLabels } from "../../unit-texts.ts";
import { OwnAccesses } from "../trace/own-accesses.tsx";
import { Attempts } from "./attempts.tsx";
import { PayloadReader } from "./payload-reader.tsx";

type Detail = ResponseOf<typeof traceDetailOutput>;

const path = "/backend/admin/trace/detail/";

/**
 * One call: what the client saw, each attempt at a channel, what was charged, and its payload for admins who may read
 * it.
 */
export function Page(): JSX.Element {
  const params = useParams();
  const [search] = useSearchParams();
  const requestId = (): string => params["id"] ?? "";
  const day = (): string | undefined => (typeof search["day"] === "string" ? search["day"] : undefined);
  useAdminTitle(() => t("Call {slice}", { slice: requestId().slice(0, 8) }));
  const query = createQuery(() => ({
    queryKey: [path, requestId(), day()],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet<typeof traceDetailOutput>(path, { query: { request_id: requestId(), day: day() }, signal }),
  }));
  return (
    <>
      <nav aria-label={t("Breadcrumbs")}>
        <PageLink href="/admin/trace/">{t("Trace")}</PageLink>
      </nav>
      <PageHead title={t("Call")} text={requestId()} />
      <Switch fallback={<LoadingPart size="page" />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data}>
          {(detail) => (
            <>
              <div class="card-grid">
                <CallCard detail={detail()} />
                <UsageCard detail={detail()} />
              </div>
              <Attempts attempts={detail().attempts} durationMs={detail().trace.duration_ms} />
              <PayloadReader
                requestId={requestId()}
                day={detail().trace.day}
                state={detail().trace.payload}
                payload={detail().payload}
                call={detail().trace}
                onRead={() => void query.refetch()}
              />
              <AccessCard detail={detail()} />
              <OwnAccesses requestId={requestId()} />
            </>
          )}
        </Match>
      </Switch>
    </>
  );
}

function CallCard(props: { readonly detail: Detail }): JSX.Element {
  const trace = () => props.detail.trace;
  const asked = () => props.detail.usage?.asked_model ?? null;
  return (
    <Card title={t("Call")}>
      <Facts
        facts={[
          { name: t("Request"), value: <CopyText text={trace().request_id} label={t("Copy the request ID")} /> },
          { name: t("Began"), value: shownMoment(trace().started_at) },
          { name: t("Call"), value: <code>{`${trace().method} ${trace().path}`}</code> },
          { name: t("Model"), value: shownText(trace().model) },
          ...(asked() === null
            ? []
            : [{ name: t("Asked for"), value: <AskedModel model={asked() ?? ""} userId={trace().user_id} /> }]),
          { name: t("Outcome"), value: <StateWord state={trace().status} /> },
          { name: "HTTP", value: String(trace().http_status) },
          { name: t("Error"), value: <ErrorCode code={trace().error_code} /> },
          { name: t("User"), value: <UserLink userId={trace().user_id} email={trace().email} /> },
          { name: t("Key"), value: shownText(trace().key_name) },
          { name: t("Streamed"), value: trace().is_stream ? t("yes") : t("no") },
          { name: t("First token"), value: shownMs(trace().first_token_ms) },
          { name: t("Took"), value: shownMs(trace().duration_ms) },
          { name: t("From"), value: trace().client_ip },
          { name: t("Client"), value: shownText(trace().user_agent) },
        ]}
      />
    </Card>
  );
}

/** Leads to the user's calls that asked for the same model and were answered by another. */
function AskedModel(props: { readonly model: string; readonly userId: string | number | null }): JSX.Element {
  const address = () =>
    `/admin/users/${props.userId}/?${new URLSearchParams({ tab: "usage", asked_model: props.model })}`;
  return (
    <Show when={props.userId !== null} fallback={<bdi>{props.model}</bdi>}>
      <a href={address()}>
        <bdi>{props.model}</bdi>
      </a>
    </Show>
  );
}

function UsageCard(props: { readonly detail: Detail }): JSX.Element {
  return (
    <Card title={t("Usage and price")}>
      <Show
        when={props.detail.usage}
        fallback={<EmptyState title={t("Nothing was charged")}>{t("The gateway refused this call.")}</EmptyState>}
      >
        {(usage) => (
          <Facts
            facts={[
              { name: t("Channel"), value: usage().channel ?? dash },
              { name: t("Group"), value: usage().group_name },
              { name: t("Usage source"), value: shownWord(usage().usage_source) },
              { name: t("Response cache"), value: shownShare(usage().cache_basis_points) },
              ...countColumns.map((count) => ({ name: countLabels[count], value: shownCount(usage()[count]) })),
              {
                name: t("Price version"),
                value: usage().price_version === null ? dash : String(usage().price_version),
              },
              { name: t("Initial hold"), value: formats.quota(usage().quota_held) },
              { name: t("Price"), value: formats.quota(usage().quota) },
              { name: t("Multiplier"), value: usage().rate_multiplier },
              { name: t("Charged"), value: formats.quota(usage().settled_quota) },
              { name: t("Reported by the provider"), value: shownUsd(usage().provider_cost_usd) },
            ]}
          />
        )}
      </Show>
    </Card>
  );
}

/** A response from the cache, with the share of the price that it costs. */
function shownShare(basisPoints: number | null): string {
  return basisPoints === null ? dash : t("hit, × {share}", { share: scaledToDecimal(BigInt(basisPoints), 4) });
}

function AccessCard(props: { readonly detail: Detail }): JSX.Element {
  return (
    <Card title={t("Who has read this payload")}>
      <Show when={props.detail.accesses.length > 0} fallback={<EmptyState title={t("Nobody has read it")} />}>
        <SimpleTable
          label={t("Who has read this payload")}
          rows={props.detail.accesses}
          columns={[
            { label: t("At"), cell: (row) => listMoment(row.at) },
            { label: t("Admin"), cell: (row) => row.admin_name },
            { label: t("Reason"), cell: (row) => row.reason },
            { label: t("From"), cell: (row) => row.ip },
            { label: t("Number"), cell: (row) => String(row.number), align: "end" },
          ]}
        />
      </Show>
    </Card>
  );
}
