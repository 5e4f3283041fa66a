import type { sessionListResponse, sessionRevokeResponse } from "@sluice/contracts/accounts";
import { createMutation, createQuery, useQueryClient } from "@tanstack/solid-query";
import { For, type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { plural } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { Badge } from "../../../kit/status.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { formats } from "../../formats.ts";
import { consoleLocale } from "../../locales.ts";
import styles from "./account.module.css";
import { accountArea } from "./messages/messages.ts";

/** Where the account is logged in, with ways to end it. */
export function SessionsCard(): JSX.Element {
  const texts = accountArea.texts();
  const client = useQueryClient();
  const query = createQuery(() => ({
    queryKey: ["sessions"],
    queryFn: ({ signal }) => apiGet<typeof sessionListResponse>("/backend/auth/sessions/", { signal }),
  }));
  const revoke = createMutation(() => ({
    mutationFn: (which: Readonly<Record<string, unknown>>) =>
      apiPost<typeof sessionRevokeResponse>("/backend/auth/sessions/revoke/", which),
    onSuccess: ({ revoked }) => {
      showToast(plural(consoleLocale, texts.revoked, revoked));
      void client.invalidateQueries({ queryKey: ["sessions"] });
    },
  }));
  return (
    <Card
      title={texts.sessions}
      actions={
        <Show when={(query.data?.sessions.length ?? 0) > 1}>
          <Button isBusy={revoke.isPending} onClick={() => revoke.mutate({ all_others: true })}>
            {texts.revokeOthers}
          </Button>
        </Show>
      }
    >
      <Show when={revoke.error}>{(error) => <ErrorState title={texts.failed} error={error()} />}</Show>
      <Switch fallback={<LoadingPart />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data?.sessions}>
          {(sessions) => (
            <ul class={`plain-list ${styles["sessions"]}`}>
              <For each={sessions()}>
                {(session) => (
                  <li class={styles["session"]}>
                    <div>
                      <bdi>{session.user_agent || "–"}</bdi>{" "}
                      <Show when={session.is_current}>
                        <Badge>{texts.thisSession}</Badge>
                      </Show>
                      <div class="muted">
                        <Show when={session.method}>{(method) => <>{texts.loginMethods[method()]} · </>}</Show>
                        {texts.address} <bdi>{session.ip}</bdi> · {texts.seen} {formats.dateTime(session.seen_at)} ·{" "}
                        {texts.since} {formats.date(session.created_at)}
                      </div>
                    </div>
                    <Show when={!session.is_current}>
                      <Button
                        aria-label={`${texts.revoke}: ${session.user_agent}`}
                        isBusy={revoke.isPending}
                        onClick={() => revoke.mutate({ session_id: session.id })}
                      >
                        {texts.revoke}
                      </Button>
                    </Show>
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
