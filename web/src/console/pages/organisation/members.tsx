import { mayInOrganisation, mayManageRole, organisationRoles } from "@sluice/contracts/organisation-rights";
import type { memberResponse, removedResponse } from "@sluice/contracts/organisations";
import { createMutation } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { ConfirmDialog } from "../../../kit/confirm-dialog.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { SelectField, TextField } from "../../../kit/field.tsx";
import { ErrorState } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import type { Acting } from "../../acting-for.ts";
import { formats } from "../../formats.ts";
import { budgetProblem, budgetWords, sentBudget, typedBudget } from "./budget.ts";
import { organisationArea } from "./messages/messages.ts";
import styles from "./organisation.module.css";
import type { Detail, Member } from "./queries.ts";

type MemberProps = { readonly detail: Detail; readonly acting: Acting; readonly onChanged: () => void };

/** Who belongs to the organisation, with role, keys and budget. */
export function MemberList(props: MemberProps): JSX.Element {
  const [changing, setChanging] = createSignal<Member | null>(null);
  const [removing, setRemoving] = createSignal<Member | null>(null);
  const mayChange = (member: Member): boolean =>
    mayInOrganisation(props.acting.role, "members") && mayManageRole(props.acting.role, member.role);
  return (
    <>
      <ul class={`plain-list ${styles["rows"]}`}>
        <For each={props.detail.members}>
          {(member) => (
            <MemberRow
              member={member}
              mayChange={mayChange(member)}
              isOwn={member.member_id === props.detail.organisation.member_id}
              onChange={() => setChanging(member)}
              onRemove={() => setRemoving(member)}
            />
          )}
        </For>
      </ul>
      <Show when={changing()} keyed>
        {(member) => (
          <ChangeMember
            member={member}
            ownRole={props.acting.role}
            onClose={() => setChanging(null)}
            onChanged={props.onChanged}
          />
        )}
      </Show>
      <Show when={removing()} keyed>
        {(member) => <RemoveMember member={member} onClose={() => setRemoving(null)} onChanged={props.onChanged} />}
      </Show>
    </>
  );
}

function MemberRow(props: {
  readonly member: Member;
  readonly mayChange: boolean;
  readonly isOwn: boolean;
  readonly onChange: () => void;
  readonly onRemove: () => void;
}): JSX.Element {
  const texts = organisationArea.texts();
  return (
    <li class={styles["row"]}>
      <div>
        <strong>
          <bdi>{props.member.email}</bdi>
        </strong>{" "}
        <span class="muted">{props.isOwn ? texts.you : props.member.display_name}</span>
        <div>{texts.roles[props.member.role]}</div>
        <div class="muted">
          {fill(texts.joined, { date: formats.date(props.member.joined_at) })} ·{" "}
          {fill(texts.liveKeys, { count: formats.number(Number(props.member.live_keys)) })} ·{" "}
          {budgetWords(props.member, texts)}
        </div>
      </div>
      <Show when={props.mayChange}>
        <div class={styles["actions"]}>
          <Button aria-label={`${texts.change}: ${props.member.email}`} onClick={() => props.onChange()}>
            {texts.change}
          </Button>
          <Show when={!props.isOwn}>
            <Button aria-label={`${texts.remove}: ${props.member.email}`} onClick={() => props.onRemove()}>
              {texts.remove}
            </Button>
          </Show>
        </div>
      </Show>
    </li>
  );
}

/** The roles that somebody may give, each with what it means. */
export function RoleOptions(props: { readonly ownRole: Acting["role"] }): JSX.Element {
  const texts = organisationArea.texts();
  return (
    <For each={organisationRoles.filter((role) => mayManageRole(props.ownRole, role))}>
      {(role) => <option value={role}>{`${texts.roles[role]}: ${texts.roleTexts[role]}`}</option>}
    </For>
  );
}

function ChangeMember(props: {
  readonly member: Member;
  readonly ownRole: Acting["role"];
  readonly onClose: () => void;
  readonly onChanged: () => void;
}): JSX.Element {
  const texts = organisationArea.texts();
  const form = createForm({
    initial: { role: props.member.role as string, spend_per_month: typedBudget(props.member) },
    check: ({ spend_per_month }) => {
      const problem = budgetProblem(spend_per_month, texts);
      return problem === null ? {} : { spend_per_month: problem };
    },
    submit: async ({ role, spend_per_month }) => {
      await apiPost<typeof memberResponse>("/backend/organisations/member/save/", {
        ...{ member_id: props.member.member_id, role, spend_per_month: sentBudget(spend_per_month) },
      });
      showToast(texts.saved);
      props.onClose();
      props.onChanged();
    },
  });
  return (
    <Dialog isOpen onClose={props.onClose} title={props.member.email}>
      <form class="form" onSubmit={form.onSubmit} noValidate>
        <SelectField label={texts.role} {...form.text("role")}>
          <RoleOptions ownRole={props.ownRole} />
        </SelectField>
        <TextField
          label={texts.budget}
          hint={texts.budgetHint}
          inputmode="decimal"
          autocomplete="off"
          {...form.text("spend_per_month")}
        />
        <Show when={form.problem()}>{(problem) => <ErrorState title={texts.failed} error={problem()} />}</Show>
        <div class="dialog-actions">
          <Button type="submit" variant="primary" isBusy={form.isSubmitting()}>
            {texts.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function RemoveMember(props: {
  readonly member: Member;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}): JSX.Element {
  const texts = organisationArea.texts();
  const [keys, setKeys] = createSignal("revoke");
  const remove = createMutation(() => ({
    mutationFn: () =>
      apiPost<typeof removedResponse>("/backend/organisations/member/remove/", {
        ...{ member_id: props.member.member_id, keys: keys() },
      }),
    onSuccess: () => {
      showToast(texts.removed);
      props.onClose();
      props.onChanged();
    },
  }));
  return (
    <ConfirmDialog
      isOpen
      onClose={props.onClose}
      title={texts.removeTitle}
      action={texts.remove}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <p>{fill(texts.removeText, { name: props.member.email })}</p>
      <SelectField
        label={texts.keysQuestion}
        hint={keys() === "keep" ? texts.keepNote : undefined}
        value={keys()}
        onInput={(event) => setKeys(event.currentTarget.value)}
      >
        <option value="revoke">{texts.revokeKeys}</option>
        <option value="keep">{texts.keepKeys}</option>
      </SelectField>
      <Show when={remove.error}>{(error) => <ErrorState title={texts.failed} error={error()} />}</Show>
    </ConfirmDialog>
  );
}
