import { createSignal, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { ConfirmDialog } from "../../../kit/confirm-dialog.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { formats } from "../../formats.ts";
import { ActButton } from "../../parts/act-button.tsx";
import { createAction } from "../../parts/actions.ts";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownMoment } from "../../shown.ts";
import { rich, t } from "../../translate.ts";
import { type Channel, type Credential, channelPath } from "./channel.ts";
import { CredentialForm } from "./credential-form.tsx";

const reasons = { credential_refused: t("the provider refuses it"), account_empty: t("its account is empty") } as const;

/** What a credential does now, in words. */
function stateOf({ status, refused_at: refusedAt, refused_reason: reason }: Credential): JSX.Element {
  if (status === "disabled" || refusedAt === null || reason === null) {
    return <StateWord state={status} />;
  }
  return (
    <>
      {rich("{stateword} since {refusedAt}: {reason}. It is tested every few minutes.", {
        stateword: <StateWord state="refused" />,
        refusedAt: shownMoment(refusedAt),
        reason: reasons[reason],
      })}
    </>
  );
}

const shownLimit = (limit: number | null): string => (limit === null ? t("no limit") : formats.number(limit));

/** The credentials among which the calls of a channel are divided. */
export function CredentialList(props: { readonly channel: Channel }): JSX.Element {
  const [edited, setEdited] = createSignal<Credential | "new" | null>(null);
  const [removed, setRemoved] = createSignal<Credential | null>(null);
  const action = createAction(channelPath);
  const isNode = (): boolean => props.channel.exit_node_code !== null;
  const remove = async (credential: Credential): Promise<string> => {
    await apiPost("/backend/admin/channel/credential/remove/", {
      channel_id: props.channel.channel_id,
      credential_id: credential.credential_id,
    });
    return t("{label} was removed", { label: credential.label });
  };
  const columns = [
    { label: t("Label"), cell: (row: Credential) => <bdi>{row.label}</bdi> },
    { label: t("State"), cell: stateOf },
    { label: t("Weight"), cell: (row: Credential) => formats.number(row.weight), align: "end" as const },
    { label: t("Concurrent calls"), cell: (row: Credential) => shownLimit(row.concurrency_max), align: "end" as const },
    {
      label: t("Calls per minute"),
      cell: (row: Credential) => shownLimit(row.requests_per_minute),
      align: "end" as const,
    },
    {
      label: t("Actions"),
      cell: (row: Credential) => (
        <Show when={!isNode()}>
          <div class="button-row">
            <ActButton operation="/backend/admin/channel/credential/save/" onClick={() => setEdited(row)}>
              {rich("Edit {label}", { label: row.label })}
            </ActButton>
            <ActButton
              operation="/backend/admin/channel/credential/remove/"
              variant="danger"
              onClick={() => setRemoved(row)}
            >
              {rich("Remove {label}", { label: row.label })}
            </ActButton>
          </div>
        </Show>
      ),
    },
  ];
  return (
    <>
      <h3>{t("Credentials")}</h3>
      <Show
        when={props.channel.credentials.length > 0}
        fallback={<p class="muted">{t("No credential is saved: calls are sent without one.")}</p>}
      >
        <SimpleTable label={t("Credentials of the channel")} rows={props.channel.credentials} columns={columns} />
      </Show>
      <Show when={!isNode()}>
        <div class="button-row">
          <ActButton operation="/backend/admin/channel/credential/save/" onClick={() => setEdited("new")}>
            {t("Add credential")}
          </ActButton>
        </div>
      </Show>
      <Dialog
        isOpen={edited() !== null}
        onClose={() => setEdited(null)}
        title={edited() === "new" ? t("Add a credential") : t("Edit the credential")}
      >
        <Show when={edited()} keyed={true}>
          {(one) => (
            <CredentialForm
              channelId={props.channel.channel_id}
              credential={one === "new" ? null : one}
              onDone={() => setEdited(null)}
            />
          )}
        </Show>
      </Dialog>
      <ConfirmDialog
        isOpen={removed() !== null}
        onClose={() => setRemoved(null)}
        title={t("Remove the credential")}
        action={t("Remove")}
        isBusy={action.isBusy()}
        onConfirm={() => {
          const credential = removed();
          if (credential !== null) {
            void action.run(() => remove(credential)).then(() => setRemoved(null));
          }
        }}
      >
        {t("Running calls keep it. Without any credential, calls are sent without one.")}
      </ConfirmDialog>
    </>
  );
}
