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
import { type Channel, type Credential, channelPath } from "./channel.ts";
import { CredentialForm } from "./credential-form.tsx";

const reasons = { credential_refused: "the provider refuses it", account_empty: "its account is empty" } as const;

/** What a credential does now, in words. */
function stateOf({ status, refused_at: refusedAt, refused_reason: reason }: Credential): JSX.Element {
  if (status === "disabled" || refusedAt === null || reason === null) {
    return <StateWord state={status} />;
  }
  return (
    <>
      <StateWord state="refused" /> since {shownMoment(refusedAt)}: {reasons[reason]}. It is tested every few minutes.
    </>
  );
}

const shownLimit = (limit: number | null): string => (limit === null ? "no limit" : formats.number(limit));

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
    return `${credential.label} was removed`;
  };
  const columns = [
    { label: "Label", cell: (row: Credential) => <bdi>{row.label}</bdi> },
    { label: "State", cell: stateOf },
    { label: "Weight", cell: (row: Credential) => formats.number(row.weight), align: "end" as const },
    { label: "Concurrent calls", cell: (row: Credential) => shownLimit(row.concurrency_max), align: "end" as const },
    {
      label: "Calls per minute",
      cell: (row: Credential) => shownLimit(row.requests_per_minute),
      align: "end" as const,
    },
    {
      label: "Actions",
      cell: (row: Credential) => (
        <Show when={!isNode()}>
          <div class="button-row">
            <ActButton operation="/backend/admin/channel/credential/save/" onClick={() => setEdited(row)}>
              Edit {row.label}
            </ActButton>
            <ActButton
              operation="/backend/admin/channel/credential/remove/"
              variant="danger"
              onClick={() => setRemoved(row)}
            >
              Remove {row.label}
            </ActButton>
          </div>
        </Show>
      ),
    },
  ];
  return (
    <>
      <h3>Credentials</h3>
      <Show
        when={props.channel.credentials.length > 0}
        fallback={<p class="muted">No credential is saved: calls are sent without one.</p>}
      >
        <SimpleTable label="Credentials of the channel" rows={props.channel.credentials} columns={columns} />
      </Show>
      <Show when={!isNode()}>
        <div class="button-row">
          <ActButton operation="/backend/admin/channel/credential/save/" onClick={() => setEdited("new")}>
            Add credential
          </ActButton>
        </div>
      </Show>
      <Dialog
        isOpen={edited() !== null}
        onClose={() => setEdited(null)}
        title={edited() === "new" ? "Add a credential" : "Edit the credential"}
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
        title="Remove the credential"
        action="Remove"
        isBusy={action.isBusy()}
        onConfirm={() => {
          const credential = removed();
          if (credential !== null) {
            void action.run(() => remove(credential)).then(() => setRemoved(null));
          }
        }}
      >
        Running calls keep it. Without any credential, calls are sent without one.
      </ConfirmDialog>
    </>
  );
}
