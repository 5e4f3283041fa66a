import { mayInOrganisation } from "@sluice/contracts/organisation-rights";
import type { organisationResponse, removedResponse } from "@sluice/contracts/organisations";
import { createMutation, useQueryClient } from "@tanstack/solid-query";
import { createSignal, type JSX, Match, Show, Switch } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { ConfirmDialog } from "../../../kit/confirm-dialog.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { EmptyState, ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { onAskedToCreate } from "../../../shell/on-asked-to-create.ts";
import { PageHead } from "../../../shell/shell.tsx";
import { type Acting, actFor, acting } from "../../acting-for.ts";
import { ConsoleHead } from "../../console-head.tsx";
import { useConsoleTitle } from "../../console-title.ts";
import { createOrganisationsQuery } from "../../parts/organisation-queries.ts";
import { InvitationList, InviteDialog } from "./invitations.tsx";
import { MemberList } from "./members.tsx";
import { organisationArea } from "./messages/messages.ts";
import { NameDialog } from "./name-dialog.tsx";
import styles from "./organisation.module.css";
import { OrganisationList } from "./organisation-list.tsx";
import { ProjectList } from "./projects.tsx";
import { createDetailQuery, type Detail, detailKey } from "./queries.ts";

/** The organisations of the user, or the one that the console acts for. */
export function Page(): JSX.Element {
  return (
    <Show when={acting} fallback={<OwnPage />}>
      {(chosen) => <OrganisationPage acting={chosen()} />}
    </Show>
  );
}

function OwnPage(): JSX.Element {
  const texts = organisationArea.texts();
  const query = createOrganisationsQuery();
  const [isCreating, setIsCreating] = createSignal(false);
  onAskedToCreate(() => setIsCreating(true));
  const create = (): JSX.Element => (
    <Button variant="primary" onClick={() => setIsCreating(true)}>
      <Icon name="plus" />
      {texts.create}
    </Button>
  );
  return (
    <>
      <ConsoleHead texts={texts} actions={create()} />
      <Card title={texts.mine}>
        <Switch fallback={<LoadingPart size="card" />}>
          <Match when={query.isError && query.data === undefined}>
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          </Match>
          <Match when={query.data?.organisations.length === 0}>
            <EmptyState title={texts.emptyTitle} actions={create()}>
              {texts.emptyText}
            </EmptyState>
          </Match>
          <Match when={query.data?.organisations}>{(list) => <OrganisationList organisations={list()} />}</Match>
        </Switch>
      </Card>
      <NameDialog
        isOpen={isCreating()}
        onClose={() => setIsCreating(false)}
        title={texts.create}
        text={texts.createText}
        name=""
        send={async (name) => {
          const { organisation } = await apiPost<typeof organisationResponse>("/backend/organisations/create/", {
            name,
          });
          const { organisation_id, role } = organisation;
          actFor({ id: String(organisation_id), name: organisation.name, role }, "/console/organisation/");
        }}
      />
    </>
  );
}

function OrganisationPage(props: { readonly acting: Acting }): JSX.Element {
  const texts = organisationArea.texts();
  useConsoleTitle(() => props.acting.name);
  const client = useQueryClient();
  const query = createDetailQuery();
  const [isInviting, setIsInviting] = createSignal(false);
  const changed = (): void => {
    void client.invalidateQueries({ queryKey: detailKey });
  };
  const managesMembers = mayInOrganisation(props.acting.role, "members");
  onAskedToCreate(() => setIsInviting(managesMembers));
  return (
    <>
      <PageHead
        title={props.acting.name}
        text={texts.text}
        actions={<PageActions acting={props.acting} onChanged={changed} />}
      />
      <Switch fallback={<LoadingPart size="page" />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data}>
          {(detail: () => Detail) => (
            <>
              <Card
                title={texts.members}
                actions={
                  <Show when={managesMembers}>
                    <Button variant="primary" onClick={() => setIsInviting(true)}>
                      <Icon name="plus" />
                      {texts.invite}
                    </Button>
                  </Show>
                }
              >
                <MemberList detail={detail()} acting={props.acting} onChanged={changed} />
              </Card>
              <Show when={detail().invitations.length > 0}>
                <Card title={texts.invitations}>
                  <InvitationList invitations={detail().invitations} onChanged={changed} />
                </Card>
              </Show>
              <ProjectList projects={detail().projects} role={props.acting.role} onChanged={changed} />
            </>
          )}
        </Match>
      </Switch>
      <InviteDialog
        isOpen={isInviting()}
        role={props.acting.role}
        onClose={() => setIsInviting(false)}
        onInvited={() => {
          setIsInviting(false);
          changed();
        }}
      />
    </>
  );
}

function PageActions(props: { readonly acting: Acting; readonly onChanged: () => void }): JSX.Element {
  const texts = organisationArea.texts();
  const [asked, setAsked] = createSignal<"name" | "leave" | null>(null);
  const leave = createMutation(() => ({
    mutationFn: () =>
      apiPost<typeof removedResponse>("/backend/organisations/leave/", { organisation_id: props.acting.id }),
    onSuccess: () => actFor(null),
    onError: () => setAsked(null),
  }));
  return (
    <>
      <div class={styles["actions"]}>
        <Show when={mayInOrganisation(props.acting.role, "settings")}>
          <Button onClick={() => setAsked("name")}>{texts.rename}</Button>
        </Show>
        <Button onClick={() => setAsked("leave")}>{texts.leave}</Button>
      </div>
      <Show when={leave.error}>{(error) => <ErrorState error={error()} />}</Show>
      <NameDialog
        isOpen={asked() === "name"}
        onClose={() => setAsked(null)}
        title={texts.rename}
        name={props.acting.name}
        send={async (name) => {
          await apiPost<typeof organisationResponse>("/backend/organisations/save/", { name });
          actFor({ ...props.acting, name }, "/console/organisation/");
        }}
      />
      <ConfirmDialog
        isOpen={asked() === "leave"}
        onClose={() => setAsked(null)}
        title={texts.leaveTitle}
        action={texts.leave}
        isBusy={leave.isPending}
        onConfirm={() => leave.mutate()}
      >
        {texts.leaveText}
      </ConfirmDialog>
    </>
  );
}
