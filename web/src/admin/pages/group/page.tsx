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
import { latePart } from "../../../shell/loaded-page.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useAdminTitle } from "../../admin-title.ts";
import { formats } from "../../formats.ts";
import { ActButton } from "../../parts/act-button.tsx";
import { ArchiveButton, ArchivedNotice } from "../../parts/archive.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { IfAllowed } from "../../parts/rights.tsx";
import { shownMoment, shownText } from "../../shown.ts";
import { t } from "../../translate.ts";
import { type GroupDetail, groupDetailPath, groupsPath, visibilityNames } from "../groups/group.ts";
import { LimitsCard } from "../limits/limits-card.tsx";
import { GroupKeys, GroupPlans, GroupUsers } from "./group-lists.tsx";
import { GroupModels } from "./group-models.tsx";

const AssignForm = latePart(async () => (await import("../groups/assign-form.tsx")).AssignForm);
const RemoveForm = latePart(async () => (await import("./remove-form.tsx")).RemoveForm);
const GroupForm = latePart(async () => (await import("../groups/group-form.tsx")).GroupForm);

const tabs = [
  { id: "models", label: t("Models and prices") },
  { id: "users", label: t("Users") },
  { id: "keys", label: t("Keys") },
  { id: "plans", label: t("Plans") },
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
  useAdminTitle(() => t("Group {name}", { name: params.name }));
  return (
    <>
      <nav aria-label={t("Breadcrumbs")}>
        <PageLink href="/admin/groups/">{t("Groups")}</PageLink>
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
                label={t("About the group")}
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
  const named = domains.length === 0 ? "" : t("those from {domains}", { domains: domains.join(", ") });
  return isStart ? t("start here") : named === "" ? t("start elsewhere") : t("{named} start here", { named });
}

type Asked = "edit" | "assign" | "remove" | null;

function GroupCard(props: { readonly group: GroupDetail["group"] }): JSX.Element {
  const [asked, setAsked] = createSignal<Asked>(null);
  const close = (): void => {
    setAsked(null);
  };
  return (
    <Card title={t("Group")}>
      <ArchivedNotice archivedAt={props.group.archived_at} />
      <div class="button-row">
        <Show when={props.group.archived_at === null}>
          <IfAllowed operation="/backend/admin/group/save/">
            <Button variant="primary" onClick={() => setAsked("edit")}>
              {t("Edit group")}
            </Button>
          </IfAllowed>
          <ActButton operation="/backend/admin/group/assign/" onClick={() => setAsked("assign")}>
            {t("Add users")}
          </ActButton>
          <ActButton operation="/backend/admin/group/remove/" onClick={() => setAsked("remove")}>
            {t("Remove users")}
          </ActButton>
        </Show>
        <PageLink class="button" href={`/admin/models/?tab=abilities&group_name=${props.group.name}`}>
          {t("Abilities")}
        </PageLink>
        <IfAllowed operation="/backend/admin/archive/add/">
          <ArchiveButton
            kind="group"
            id={props.group.name}
            name={props.group.name}
            archivedAt={props.group.archived_at}
            paths={[groupDetailPath, groupsPath]}
          />
        </IfAllowed>
      </div>
      <Facts
        facts={[
          { name: t("Multiplier"), value: `× ${formats.decimal(props.group.multiplier)}` },
          { name: t("Who may use it"), value: visibilityNames[props.group.visibility] },
          { name: t("Rank"), value: formats.number(props.group.rank) },
          { name: t("New accounts"), value: startText(props.group) },
          { name: t("Description"), value: shownText(props.group.description) },
          { name: t("Created"), value: shownMoment(props.group.created_at) },
          { name: t("Updated"), value: shownMoment(props.group.updated_at) },
        ]}
      />
      <Dialog
        isOpen={asked() === "edit"}
        onClose={close}
        title={t("Edit {name}", { name: props.group.name })}
        size="wide"
      >
        <Show when={asked() === "edit" ? props.group : null} keyed>
          {(group) => <GroupForm group={group} onDone={close} />}
        </Show>
      </Dialog>
      <Dialog
        isOpen={asked() === "assign"}
        onClose={close}
        title={t("Add users to {name}", { name: props.group.name })}
      >
        <AssignForm group={props.group.name} member={null} onDone={close} />
      </Dialog>
      <Dialog
        isOpen={asked() === "remove"}
        onClose={close}
        title={t("Remove users from {name}", { name: props.group.name })}
      >
        <RemoveForm group={props.group.name} member={null} onDone={close} />
      </Dialog>
    </Card>
  );
}
