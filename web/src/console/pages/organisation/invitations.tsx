import type { invitedResponse } from "@sluice/contracts/organisations";
import { createMutation } from "@tanstack/solid-query";
import { For, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { SelectField, TextField } from "../../../kit/field.tsx";
import { ErrorState } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import type { Acting } from "../../acting-for.ts";
import { formats } from "../../formats.ts";
import { RoleOptions } from "./members.tsx";
import { organisationArea } from "./messages/messages.ts";
import styles from "./organisation.module.css";
import type { Invitation } from "./queries.ts";

const empty = { email: "", role: "member" };

/** Sends an invitation by email. */
export function InviteDialog(props: {
  readonly isOpen: boolean;
  readonly role: Acting["role"];
  readonly onClose: () => void;
  readonly onInvited: () => void;
}): JSX.Element {
  const texts = organisationArea.texts();
  const form = createForm({
    initial: empty,
    check: ({ email }) => (email.trim() === "" ? { email: texts.emailMissing } : {}),
    submit: async (values) => {
      await apiPost<typeof invitedResponse>("/backend/organisations/invite/", values);
      form.reset(empty);
      showToast(texts.invited);
      props.onInvited();
    },
  });
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={texts.invite}>
      <form class="form" onSubmit={form.onSubmit} noValidate>
        <TextField
          label={texts.email}
          hint={texts.inviteText}
          type="email"
          autocomplete="off"
          maxlength={254}
          {...form.text("email")}
        />
        <SelectField label={texts.role} {...form.text("role")}>
          <RoleOptions ownRole={props.role} />
        </SelectField>
        <Show when={form.problem()}>{(problem) => <ErrorState title={texts.failed} error={problem()} />}</Show>
        <div class="dialog-actions">
          <Button type="submit" variant="primary" isBusy={form.isSubmitting()}>
            {texts.invite}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The invitations that nobody has accepted yet. */
export function InvitationList(props: {
  readonly invitations: readonly Invitation[];
  readonly onChanged: () => void;
}): JSX.Element {
  const texts = organisationArea.texts();
  const revoke = createMutation(() => ({
    mutationFn: ({ invitation_id }: Invitation) =>
      apiPost("/backend/organisations/invitation/revoke/", { invitation_id }),
    onSuccess: () => {
      showToast(texts.invitationRevoked);
      props.onChanged();
    },
  }));
  return (
    <>
      <Show when={revoke.error}>{(error) => <ErrorState title={texts.failed} error={error()} />}</Show>
      <ul class={`plain-list ${styles["rows"]}`}>
        <For each={props.invitations}>
          {(invitation) => (
            <li class={styles["row"]}>
              <div>
                <strong>
                  <bdi>{invitation.email}</bdi>
                </strong>
                <div class="muted">
                  {texts.roles[invitation.role]} ·{" "}
                  {invitation.is_expired
                    ? texts.expired
                    : fill(texts.expires, { date: formats.date(invitation.expires_at) })}
                </div>
              </div>
              <Button
                aria-label={`${texts.revoke}: ${invitation.email}`}
                isBusy={revoke.isPending}
                onClick={() => revoke.mutate(invitation)}
              >
                {texts.revoke}
              </Button>
            </li>
          )}
        </For>
      </ul>
    </>
  );
}
