import type { adminOrganisationDetail } from "@sluice/contracts/organisation-admin";
import { useParams, useSearchParams } from "@solidjs/router";
import { createQuery } from "@tanstack/solid-query";
import { type JSX, Match, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { Tabs } from "../../../kit/tabs.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useAdminTitle } from "../../admin-title.ts";
import { PageLink } from "../../parts/page-link.tsx";
import { createMe } from "../../parts/rights.tsx";
import { t } from "../../translate.ts";
import { type OrganisationDetail, organisationDetailPath } from "../organisations/organisation.ts";
import { type AccountList, AccountRows, isAccountList, readableTabs } from "../user/account-lists.tsx";
import { Overview } from "./overview.tsx";
import { People } from "./people.tsx";

const tabs = [
  { id: "overview", label: t("Overview") },
  { id: "people", label: t("Members and projects") },
  { id: "keys", label: t("Keys") },
  { id: "usage", label: t("Usage") },
  { id: "orders", label: t("Orders") },
  { id: "payments", label: t("Payments") },
  { id: "refunds", label: t("Refunds") },
  { id: "ledger", label: t("Ledger") },
  { id: "audit", label: t("Audit") },
] as const;

const noFilters = { open: null, cursor: null, sort: null, model: null, asked_model: null, end_user: null, tag: null };

/** Everything about one organisation. */
export function Page(): JSX.Element {
  const params = useParams();
  const [search, setSearch] = useSearchParams();
  const id = (): string => params["id"] ?? "";
  const query = createQuery(() => ({
    queryKey: [organisationDetailPath, id()],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet<typeof adminOrganisationDetail>(organisationDetailPath, { query: { organisation_id: id() }, signal }),
  }));
  const me = createMe();
  const tab = () => tabs.find((each) => each.id === search["tab"])?.id ?? "overview";
  const title = (): string => query.data?.organisation.name ?? t("Organisation {id}", { id: id() });
  useAdminTitle(title);
  return (
    <>
      <nav aria-label={t("Breadcrumbs")}>
        <PageLink href="/admin/organisations/">{t("Organisations")}</PageLink>
      </nav>
      <PageHead
        title={title()}
        text={
          query.data === undefined
            ? ""
            : t("Organisation {id}, account {gateway_user_id}", {
                id: id(),
                gateway_user_id: query.data.organisation.gateway_user_id,
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
              label={t("About the organisation")}
              tabs={readableTabs(tabs, me.admin())}
              selected={tab()}
              // The filters of another tab mean nothing here.
              onSelect={(chosen) => setSearch({ ...noFilters, tab: chosen }, { scroll: false })}
            >
              <Switch fallback={<Rows tab={tab()} detail={detail()} />}>
                <Match when={tab() === "overview"}>
                  <Overview detail={detail()} />
                </Match>
                <Match when={tab() === "people"}>
                  <People detail={detail()} />
                </Match>
              </Switch>
            </Tabs>
          )}
        </Match>
      </Switch>
    </>
  );
}

/** Orders name the organisation, what calls and money move names its account. */
const byOrder: readonly AccountList[] = ["orders", "payments", "refunds"];

function Rows(props: { readonly tab: string; readonly detail: OrganisationDetail }): JSX.Element {
  const list = () => (isAccountList(props.tab) ? props.tab : "keys");
  const id = (): string => String(props.detail.organisation.organisation_id);
  const narrow = (): Readonly<Record<string, string>> => {
    if (list() === "audit") {
      return { subject_kind: "organisation", subject_id: id() };
    }
    return byOrder.includes(list())
      ? { organisation_id: id() }
      : { gateway_user_id: String(props.detail.organisation.gateway_user_id) };
  };
  return <AccountRows list={list()} owner="organisation" narrow={narrow()} />;
}
