import type { createdInvitationResponse, revokedInvitationResponse } from "@sluice/contracts/registration";
import { createSignal, type JSX, Show } from "solid-js";
import { apiPost, newIdempotencyKey } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { quotaOfUsd } from "../../../i18n/quota.ts";
import { Button } from "../../../kit/button.tsx";
import { Facts } from "../../../kit/card.tsx";
import { CopyText } from "../../../kit/code.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { TextField } from "../../../kit/field.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { Notice } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { listMoment } from "../../columns/list-moment.tsx";
import { formats } from "../../formats.ts";
import { useRefresh } from "../../parts/actions.ts";
import { orNull } from "../../parts/field-values.ts";
import { AdminForm, FieldRow, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import { outcomeText } from "../../parts/outcome-text.ts";
import { SecondPersonNotice } from "../../parts/second-person.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownMoment } from "../../shown.ts";
import { t } from "../../translate.ts";
import { type Invitation, registrationPath } from "./registration.ts";

const usesOf = ({ uses, uses_max: most }: Invitation): string =>
  t("{uses} of {most}", { uses: formats.number(uses), most: formats.number(most) });
const creditOf = ({ credit_quota: quota }: Invitation): string =>
  quota === null ? t("as usual") : formats.quota(quota);

const columns: readonly Column<Invitation>[] = [
  { id: "name", label: t("For"), cell: (row) => <bdi>{row.name}</bdi>, card: "title" },
  { id: "uses", label: t("Used"), cell: usesOf, align: "end" },
  { id: "state", label: t("State"), cell: (row) => <StateWord state={row.state} />, card: "badge" },
  { id: "group_name", label: t("Group"), cell: (row) => row.group_name ?? t("as usual") },
  { id: "credit_quota", label: t("Free credit"), cell: creditOf },
  { id: "expires_at", label: t("Valid until"), cell: (row) => listMoment(row.expires_at) },
  { id: "created_at", label: t("Created"), cell: (row) => listMoment(row.created_at) },
];

/** Codes with which people may register. */
export function Invitations(props: {
  readonly invitations: readonly Invitation[];
  readonly onRetry: () => void;
}): JSX.Element {
  const state = createTableState({ filters: [] });
  const [isMaking, setIsMaking] = createSignal(false);
  const [ended, setEnded] = createSignal<Invitation | null>(null);
  return (
    <>
      <DataTable
        name="admin-invitations"
        label={t("Invitations created")}
        columns={columns}
        state={state}
        rows={props.invitations}
        rowId={(row) => String(row.invitation_id)}
        isLoading={false}
        error={null}
        onRetry={props.onRetry}
        empty={{
          title: t("No invitations yet"),
          text: t("An invitation lets a number of people register with a link."),
        }}
        actions={
          <Button variant="primary" onClick={() => setIsMaking(true)}>
            <Icon name="plus" />
            {t("New invitation")}
          </Button>
        }
        panel={{
          title: (row) => row.name,
          content: (row) => <InvitationFacts invitation={row} onEnd={() => setEnded(row)} />,
        }}
      />
      <Dialog isOpen={isMaking()} onClose={() => setIsMaking(false)} title={t("New invitation")} size="wide">
        <Show when={isMaking()}>
          <InvitationForm onDone={() => setIsMaking(false)} />
        </Show>
      </Dialog>
      <Dialog isOpen={ended() !== null} onClose={() => setEnded(null)} title={t("Revoke an invitation")}>
        <Show when={ended()} keyed>
          {(invitation) => <RevokeForm invitation={invitation} onDone={() => setEnded(null)} />}
        </Show>
      </Dialog>
    </>
  );
}

function InvitationFacts(props: { readonly invitation: Invitation; readonly onEnd: () => void }): JSX.Element {
  return (
    <>
      <Facts
        facts={[
          { name: t("State"), value: <StateWord state={props.invitation.state} /> },
          { name: t("Link"), value: <CopyText text={props.invitation.link} label={t("Copy the link")} /> },
          { name: t("Code"), value: <CopyText text={props.invitation.code} label={t("Copy the code")} /> },
          { name: t("Used"), value: usesOf(props.invitation) },
          { name: t("Group"), value: props.invitation.group_name ?? t("as usual") },
          { name: t("Free credit"), value: creditOf(props.invitation) },
          { name: t("Valid until"), value: shownMoment(props.invitation.expires_at) },
          { name: t("Created by"), value: <bdi>{props.invitation.created_by}</bdi> },
          { name: t("Created"), value: shownMoment(props.invitation.created_at) },
          { name: t("Revoked"), value: shownMoment(props.invitation.revoked_at) },
        ]}
      />
      <Show when={props.invitation.state !== "revoked"}>
        <div class="button-row">
          <Button variant="danger" onClick={() => props.onEnd()}>
            {t("Revoke")}
          </Button>
        </div>
      </Show>
    </>
  );
}

/** Null for the usual credit. */
const creditQuota = (text: string): string | null => (text.trim() === "" ? null : String(quotaOfUsd(text) ?? ""));

function InvitationForm(props: { readonly onDone: () => void }): JSX.Element {
  const refresh = useRefresh(registrationPath, "/backend/admin/audit/");
  // One form makes one invitation, also if its first answer was lost.
  const idempotencyKey = newIdempotencyKey();
  const form = createForm({
    initial: { name: "", uses_max: "1", expires_on: "", group_name: "", credit_quota: "", reason: "" },
    check: ({ name, uses_max, credit_quota, reason }) => ({
      ...(name.trim() === "" ? { name: t("Enter a name.") } : {}),
      ...(/^[1-9]\d{0,3}$|^10000$/.test(uses_max.trim()) ? {} : { uses_max: t("Enter 1 to 10000.") }),
      ...(creditQuota(credit_quota) === "" ? { credit_quota: t("Enter an amount in US dollars.") } : {}),
      ...reasonFault(reason),
    }),
    body: (values) => ({
      name: values.name.trim(),
      uses_max: Number(values.uses_max),
      expires_at: values.expires_on === "" ? null : `${values.expires_on}T23:59:59Z`,
      group_name: orNull(values.group_name),
      credit_quota: creditQuota(values.credit_quota),
      reason: values.reason.trim(),
      idempotency_key: idempotencyKey,
    }),
    submit: async (_, body) => {
      const answer = await apiPost<typeof createdInvitationResponse>(`${registrationPath}invitation/create/`, body);
      await refresh();
      showToast(outcomeText(answer, () => t("The invitation was created. Its link is in the list.")));
      props.onDone();
    },
  });
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/registration/invitation/create/"
      action={t("Create invitation")}
      onCancel={props.onDone}
    >
      <TextField
        label={t("For")}
        autocomplete="off"
        hint={t("Only admins see it, for example the name of a team or an event.")}
        {...form.text("name")}
      />
      <FieldRow>
        <TextField
          label={t("Uses")}
          inputmode="numeric"
          autocomplete="off"
          hint={t("A use counts once the address is verified.")}
          {...form.text("uses_max")}
        />
        <TextField
          label={t("Valid until")}
          optional={t("optional")}
          type="date"
          hint={t("The end of this day, UTC.")}
          {...form.text("expires_on")}
        />
      </FieldRow>
      <FieldRow>
        <TextField
          label={t("Group")}
          optional={t("optional")}
          autocomplete="off"
          spellcheck={false}
          hint={t("Its accounts start in this group.")}
          {...form.text("group_name")}
        />
        <TextField
          label={t("Free credit, USD")}
          optional={t("optional")}
          inputmode="decimal"
          autocomplete="off"
          hint={t("Instead of the usual credit, without the limits of networks and devices. 0 is none.")}
          {...form.text("credit_quota")}
        />
      </FieldRow>
      <SecondPersonNotice what={t("An invitation into a group, or with much credit, waits")} />
      <ReasonField form={form} />
    </AdminForm>
  );
}

function RevokeForm(props: { readonly invitation: Invitation; readonly onDone: () => void }): JSX.Element {
  const refresh = useRefresh(registrationPath, "/backend/admin/audit/");
  const form = createForm({
    initial: { reason: "" },
    check: ({ reason }) => reasonFault(reason),
    body: ({ reason }) => ({
      invitation_id: props.invitation.invitation_id,
      reason: reason.trim(),
    }),
    submit: async (_, body) => {
      await apiPost<typeof revokedInvitationResponse>(`${registrationPath}invitation/revoke/`, body);
      await refresh();
      showToast(t("The invitation was revoked."));
      props.onDone();
    },
  });
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/registration/invitation/revoke/"
      action={t("Revoke")}
      tone="danger"
      onCancel={props.onDone}
    >
      <Notice tone="warn">
        {t(
          "Nobody can register with it any more, or verify an address that was registered with it. Accounts stay. This can't be undone.",
        )}
      </Notice>
      <ReasonField form={form} />
    </AdminForm>
  );
}
