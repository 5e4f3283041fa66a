import type { usageEarlierResponse } from "@sluice/contracts/usage";
import { createQuery } from "@tanstack/solid-query";
import { type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiUrl } from "../../../api/client.ts";
import { formatsOf } from "../../../i18n/format.ts";
import { fill } from "../../../i18n/messages.ts";
import { ErrorState } from "../../../kit/states.tsx";
import { formats } from "../../formats.ts";
import { consoleLocale } from "../../locales.ts";
import { usageArea } from "./messages/messages.ts";

const path = "/backend/usage/earlier/";
const days = formatsOf(consoleLocale, "UTC");

/** What the account used in the gateway that it was moved from, if it was. */
export function EarlierUsage(): JSX.Element {
  const texts = usageArea.texts();
  const query = createQuery(() => ({
    queryKey: [path],
    queryFn: ({ signal }) => apiGet<typeof usageEarlierResponse>(path, { signal }),
  }));
  return (
    <Switch>
      <Match when={query.isError && query.data === undefined}>
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      </Match>
      <Match when={query.data?.earlier}>
        {(earlier) => (
          <p class="muted">
            {fill(texts.earlier, {
              from: days.date(earlier().from_day),
              to: days.date(earlier().to_day),
              calls: formats.number(Number(earlier().calls)),
              cost: formats.quota(earlier().quota),
            })}{" "}
            <a href={apiUrl(`${path}export/`)} download="">
              {texts.earlierCsv}
            </a>
            <Show when={earlier().has_calls}>
              {" · "}
              <a href={apiUrl(`${path}calls/export/`)} download="">
                {texts.earlierCallsCsv}
              </a>
            </Show>
          </p>
        )}
      </Match>
    </Switch>
  );
}
