import type { payloadCountOutput } from "@sluice/contracts/traces";
import { createQuery } from "@tanstack/solid-query";
import { type JSX, Match, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Card, Facts } from "../../../kit/card.tsx";
import { ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { Status } from "../../../kit/status.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { shownCount, shownMoment } from "../../shown.ts";
import { rich, t } from "../../translate.ts";

const path = "/backend/admin/trace/payload/count/";

/** How many payloads can be decrypted; only the count. Fails by itself. */
export function PayloadCard(): JSX.Element {
  const query = createQuery(() => ({
    queryKey: [path],
    queryFn: ({ signal }: { signal: AbortSignal }) => apiGet<typeof payloadCountOutput>(path, { signal }),
  }));
  return (
    <Card
      title={t("Decryptable payloads")}
      actions={
        <PageLink otherwise="nothing" href="/admin/trace/">
          {t("Trace")}
        </PageLink>
      }
    >
      <Switch fallback={<LoadingPart />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data}>
          {(count) => (
            <>
              <Status tone={BigInt(count().decryptable) > 0n ? "warn" : "ok"}>
                {rich("{decryptable} payloads", { decryptable: shownCount(count().decryptable) })}
              </Status>
              <p class="muted">{t("Super-admins can read each of them; the reason is recorded.")}</p>
              <Facts
                facts={[
                  { name: t("Counted"), value: shownMoment(count().counted_at, t("not yet")) },
                  ...count()
                    .days.slice(0, 7)
                    .map(({ day, payloads }) => ({ name: day, value: shownCount(payloads) })),
                ]}
              />
            </>
          )}
        </Match>
      </Switch>
    </Card>
  );
}
