import type { groupDetail } from "@sluice/contracts/groups";
import { useParams, useSearchParams } from "@solidjs/router";
import { createQuery } from "@tanstack/solid-query";
import { createSignal, type JSX, Match, Show, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { Card, Facts } from "../../../kit/card.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { Tabs } from "../../../kit/tabs.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useAdminTitle } from "../../admin-title.ts";
import { formats } from "../../formats.ts";
import { ActButton } from "../../parts/act-button.tsx";
import { ArchiveButton, ArchivedNotice } from "../../parts/archive.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { IfAllowed } from "../../parts/rights.tsx";
import { shownMoment, shownText } from "../../shown.ts";
import { AssignForm } from "../groups/assign-form.tsx";
import { type GroupDetail, groupDetailPath, groupsPath, visibilityNames } from "../groups/group.ts";
import { GroupForm } from "../groups/group-form.tsx";
import { LimitsCard } from "../limits/limits-card.tsx";
import { GroupKeys, GroupPlans, GroupUsers } from "./group-lists.tsx";
import { GroupModels } from "./group-models.tsx";
import { RemoveForm } from "./remove-form.tsx";

const tabs = [
  { id: "models", label: "Models and prices" },
  { id: "users", label: "Users" },
  { id: "keys", label: "Keys" },
  { id: "plans", label: "Plans" },
] as const;

/** One group: what it costs, which models it has, and who uses it. */
export function Page(): JSX.Element {
  const params = useParams<{ name: string }>();
  const [search, setSearch] = useSearchParams();
  const query = createQuery(() => ({
    queryKey: [groupDetailPath, params.name],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet<typeof groupDetail>(groupDetailPath, { query: { name: params.name }, signal }),
  }));
  const tab = () => tabs.find(({ id }) => id === search["tab"])?.id ?? "models";
  useAdminTitle(() => `Group ${params.name}`);
  return (
    <>
      <nav aria-label="Breadcrumbs">
        <PageLink href="/admin/groups/">Groups</PageLink>
      </nav>
      <PageHead title={params.name} text={query.data?.group.description ?? ""} />
      <Switch fallback={<LoadingPart size="page" />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data}>
          {(detail) => (
            <div class="section-stack">
              <GroupCard group={detail().group} />
              <LimitsCard of={{ group_name: params.name }} edited={{ scope: "group", group_name: params.name }} />
              <Tabs
                label="About the group"
                tabs={tabs}
                selected={tab()}
                onSelect={(id) => setSearch({ tab: id, open: null, cursor: null, sort: null }, { scroll: false })}
              >
                <Switch>
                  <Match when={tab() === "models"}>
                    <GroupModels detail={detail()} />
                  </Match>
                  <Match when={tab() === "users"}>
                    <GroupUsers group={params.name} />
                  </Match>
                  <Match when={tab() === "plans"}>
                    <GroupPlans group={params.name} />
                  </Match>
                  <Match when={tab() === "keys"}>
                    <GroupKeys group={params.name} />
                  </Match>
                </Switch>
              </Tabs>
            </div>
          )}
        </Match>
      </Switch>
    </>
  );
}

function startText({ is_start: isStart, email_domains: domains }: GroupDetail["group"]): string {
  const named = domains.length === 0 ? "" : `those from ${domains.join(", ")}`;
  return isStart ? "start here" : named === "" ? "start elsewhere" : `${named} start here`;
}

type Asked = "edit" | "assign" | "remove" | null;

function GroupCard(props: { readonly group: GroupDetail["group"] }): JSX.Element {
  const [asked, setAsked] = createSignal<Asked>(null);
  const close = (): void => {
    setAsked(null);
  };
  return (
    <Card title="Group">
      <ArchivedNotice archivedAt={props.group.archived_at} />
      <div class="button-row">
        <Show when={props.group.archived_at === null}>
          <IfAllowed operation="/backend/admin/group/save/">
            <Button variant="primary" onClick={() => setAsked("edit")}>
              Edit group
            </Button>
          </IfAllowed>
          <ActButton operation="/backend/admin/group/assign/" onClick={() => setAsked("assign")}>
            Add users
          </ActButton>
          <ActButton operation="/backend/admin/group/remove/" onClick={() => setAsked("remove")}>
            Remove users
          </ActButton>
        </Show>
        <IfAllowed operation="/backend/admin/archive/add/">
          <ArchiveButton
            kind="group"
            id={props.group.name}
            name={props.group.name}
            archivedAt={props.group.archived_at}
            paths={[groupDetailPath, groupsPath]}
          />
        </IfAllowed>
        <PageLink class="button" href={`/admin/models/?tab=abilities&group_name=${props.group.name}`}>
          Abilities
        </PageLink>
      </div>
      <Facts
        facts={[
          { name: "Multiplier", value: `× ${formats.decimal(props.group.multiplier)}` },
          { name: "Who may use it", value: visibilityNames[props.group.visibility] },
          { name: "Rank", value: formats.number(props.group.rank) },
          { name: "New accounts", value: startText(props.group) },
          { name: "Description", value: shownText(props.group.description) },
          { name: "Created", value: shownMoment(props.group.created_at) },
          { name: "Updated", value: shownMoment(props.group.updated_at) },
        ]}
      />
      <Dialog isOpen={asked() === "edit"} onClose={close} title={`Edit ${props.group.name}`} size="wide">
        <Show when={asked() === "edit" ? props.group : null} keyed>
          {(group) => <GroupForm group={group} onDone={close} />}
        </Show>
      </Dialog>
      <Dialog isOpen={asked() === "assign"} onClose={close} title={`Add users to ${props.group.name}`}>
        <AssignForm group={props.group.name} member={null} onDone={close} />
      </Dialog>
      <Dialog isOpen={asked() === "remove"} onClose={close} title={`Remove users from ${props.group.name}`}>
        <RemoveForm group={props.group.name} member={null} onDone={close} />
      </Dialog>
    </Card>
  );
}
