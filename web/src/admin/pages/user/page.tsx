import type { userDetail } from "@sluice/contracts/user-admin";
import { useParams, useSearchParams } from "@solidjs/router";
import { createQuery } from "@tanstack/solid-query";
import { type JSX, lazy, Match, Suspense, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { Tabs } from "../../../kit/tabs.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useAdminTitle } from "../../admin-title.ts";
import { PageLink } from "../../parts/page-link.tsx";
import { createMe } from "../../parts/rights.tsx";
import { t } from "../../translate.ts";
import { AccountRows, isAccountList, readableTabs } from "./account-lists.tsx";
import { userDetailPath } from "./detail.ts";
import { Overview } from "./overview.tsx";

const Sessions = lazy(async () => ({ default: (await import("./sessions.tsx")).Sessions }));

const tabs = [
  { id: "overview", label: t("Overview") },
  { id: "keys", label: t("Keys") },
  { id: "usage", label: t("Usage") },
  { id: "orders", label: t("Orders") },
  { id: "payments", label: t("Payments") },
  { id: "refunds", label: t("Refunds") },
  { id: "ledger", label: t("Ledger") },
  { id: "sessions", label: t("Sessions") },
  { id: "consents", label: t("Consents") },
  { id: "mails", label: t("E-mails") },
  { id: "audit", label: t("Audit") },
] as const;

const noFilters = { open: null, cursor: null, sort: null, model: null, asked_model: null, end_user: null, tag: null };

/** Everything about one user. */
export function Page(): JSX.Element {
  const params = useParams();
  const [search, setSearch] = useSearchParams();
  const userId = (): string => params["id"] ?? "";
  const query = createQuery(() => ({
    queryKey: [userDetailPath, userId()],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet<typeof userDetail>(userDetailPath, { query: { user_id: userId() }, signal }),
  }));
  const me = createMe();
  const tab = () => tabs.find(({ id }) => id === search["tab"])?.id ?? "overview";
  useAdminTitle(() => query.data?.user.email ?? t("User {userId}", { userId: userId() }));
  return (
    <>
      <nav aria-label={t("Breadcrumbs")}>
        <PageLink href="/admin/users/">{t("Users")}</PageLink>
      </nav>
      <PageHead
        title={query.data?.user.email ?? t("User {userId}", { userId: userId() })}
        text={
          query.data === undefined
            ? ""
            : t("User {userId}, account {gateway_user_id}", {
                userId: userId(),
                gateway_user_id: query.data.user.gateway_user_id,
              })
        }
      />
      <Switch fallback={<LoadingPart size="page" />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data}>
          {(detail) => (
            <Tabs
              label={t("About the user")}
              tabs={readableTabs(tabs, me.admin())}
              selected={tab()}
              // The filters of another tab mean nothing here.
              onSelect={(id) => setSearch({ ...noFilters, tab: id }, { scroll: false })}
            >
              <Suspense fallback={<LoadingPart size="page" />}>
                <Switch fallback={<UserRows tab={tab()} userId={userId()} />}>
                  <Match when={tab() === "overview"}>
                    <Overview detail={detail()} />
                  </Match>
                  <Match when={tab() === "sessions"}>
                    <Sessions detail={detail()} />
                  </Match>
                </Switch>
              </Suspense>
            </Tabs>
          )}
        </Match>
      </Switch>
    </>
  );
}

function UserRows(props: { readonly tab: string; readonly userId: string }): JSX.Element {
  const list = () => (isAccountList(props.tab) ? props.tab : "keys");
  const narrow = () => (list() === "audit" ? { about_user_id: props.userId } : { user_id: props.userId });
  return <AccountRows list={list()} owner="user" narrow={narrow()} />;
}
