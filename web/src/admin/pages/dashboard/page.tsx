import type { adminMeAnswer } from "@sluice/contracts/accounts";
import { createQuery } from "@tanstack/solid-query";
import { type JSX, Match, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Card, Facts } from "../../../kit/card.tsx";
import { ErrorState, Skeleton } from "../../../kit/states.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useAdminTitle } from "../../admin-title.ts";

/** Where an admin arrives: who is logged in. */
export function Page(): JSX.Element {
  useAdminTitle(() => "Dashboard");
  const query = createQuery(() => ({
    queryKey: ["admin", "me"],
    queryFn: ({ signal }) => apiGet<typeof adminMeAnswer>("/backend/auth/admin/me/", { signal }),
  }));
  return (
    <>
      <PageHead title="Dashboard" />
      <Card title="Logged in">
        <Switch fallback={<Skeleton width="50%" />}>
          <Match when={query.isError}>
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          </Match>
          <Match when={query.data?.admin}>
            {(admin) => (
              <Facts
                facts={[
                  { name: "Admin", value: admin().username },
                  { name: "Rights", value: admin().is_super ? "super-admin" : "admin" },
                  { name: "Authenticator", value: admin().has_totp ? "on" : "off" },
                ]}
              />
            )}
          </Match>
        </Switch>
      </Card>
    </>
  );
}
