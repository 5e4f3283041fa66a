import type { usageListResponse } from "@sluice/contracts/usage";
import { createQuery } from "@tanstack/solid-query";
import { For, type JSX, Match, Show, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Card } from "../../../kit/card.tsx";
import { ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { Status } from "../../../kit/status.tsx";
import { errorArea } from "../../errors/messages/messages.ts";
import { formats } from "../../formats.ts";
import styles from "./home.module.css";
import { homeArea } from "./messages/messages.ts";

const shownMax = 5;

/** The latest calls that failed or were refused, in the words that their receipts have. */
export function RecentErrors(): JSX.Element {
  const texts = homeArea.texts();
  const query = createQuery(() => ({
    queryKey: ["calls", "failed and refused"],
    queryFn: async ({ signal }) => {
      const [lists] = await Promise.all([
        Promise.all(
          ["failed", "refused"].map((outcome) =>
            apiGet<typeof usageListResponse>("/backend/usage/list/", { signal, query: { outcome, limit: shownMax } }),
          ),
        ),
        errorArea.load(),
      ]);
      const rows = lists.flatMap((list) => list.rows);
      return { rows: rows.sort((one, other) => (one.started_at < other.started_at ? 1 : -1)).slice(0, shownMax) };
    },
  }));
  return (
    <Card title={texts.errors}>
      <Switch fallback={<LoadingPart />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data?.rows.length === 0}>
          <p class="muted">{texts.noErrors}</p>
        </Match>
        <Match when={query.data?.rows}>
          {(rows) => (
            <ul class={`plain-list ${styles["errors"]}`}>
              <For each={rows()}>
                {(call) => (
                  <li>
                    <Status tone={call.outcome === "failed" ? "bad" : "warn"}>{String(call.http_status)}</Status>
                    <span class={styles["call"]}>
                      <a href={`/console/usage/?outcome=${call.outcome}&open=${call.request_id}`}>
                        {formats.dateTime(call.started_at)}
                      </a>
                      <bdi>{call.model ?? ""}</bdi>
                    </span>
                    <Show when={call.error_code}>{(code) => <ErrorWords code={code()} />}</Show>
                  </li>
                )}
              </For>
            </ul>
          )}
        </Match>
      </Switch>
    </Card>
  );
}

/** What went wrong, and its code; that alone if it is none that this version knows. */
function ErrorWords(props: { readonly code: string }): JSX.Element {
  const codes: Readonly<Record<string, string>> = errorArea.texts().codes;
  return (
    <span class={styles["what"]}>
      {codes[props.code]} <code class="muted">{props.code}</code>
    </span>
  );
}
