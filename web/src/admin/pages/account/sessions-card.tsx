import type { sessionListResponse, sessionRevokeResponse } from "@sluice/contracts/accounts";
import { createQuery } from "@tanstack/solid-query";
import { type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { Badge } from "../../../kit/status.tsx";
import { listMoment } from "../../columns/list-moment.tsx";
import { createAction } from "../../parts/actions.ts";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { t } from "../../translate.ts";
import { sessionsPath } from "./paths.ts";

/** Where the admin is logged in, with ways to end it. */
export function SessionsCard(): JSX.Element {
  const action = createAction(sessionsPath);
  const query = createQuery(() => ({
    queryKey: [sessionsPath],
    queryFn: ({ signal }: { signal: AbortSignal }) => apiGet<typeof sessionListResponse>(sessionsPath, { signal }),
  }));
  const revoke = async (which: Readonly<Record<string, unknown>>): Promise<string> => {
    const { revoked } = await apiPost<typeof sessionRevokeResponse>("/backend/auth/admin/sessions/revoke/", which);
    return revoked === 1 ? t("One session has ended.") : t("{revoked} sessions have ended.", { revoked });
  };
  return (
    <Card
      title={t("Sessions")}
      actions={
        <Show when={(query.data?.sessions.length ?? 0) > 1}>
          <Button isBusy={action.isBusy()} onClick={() => void action.run(() => revoke({ all_others: true }))}>
            {t("End all others")}
          </Button>
        </Show>
      }
    >
      <Switch fallback={<LoadingPart />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data?.sessions}>
          {(sessions) => (
            <SimpleTable
              label={t("Sessions")}
              rows={sessions()}
              columns={[
                { label: t("Browser"), cell: (row) => row.user_agent },
                { label: t("Address"), cell: (row) => <code>{row.ip}</code> },
                { label: t("Logged in"), cell: (row) => listMoment(row.created_at) },
                { label: t("Last seen"), cell: (row) => listMoment(row.seen_at) },
                {
                  label: t("End"),
                  cell: (row) =>
                    row.is_current ? (
                      <Badge>{t("this one")}</Badge>
                    ) : (
                      <Button
                        variant="quiet"
                        aria-label={t("End the session of {user_agent}", { user_agent: row.user_agent })}
                        onClick={() => void action.run(() => revoke({ session_id: row.id }))}
                      >
                        {t("End")}
                      </Button>
                    ),
                },
              ]}
            />
          )}
        </Match>
      </Switch>
    </Card>
  );
}
