import type { adminKeyDetail } from "@sluice/contracts/key-admin";
import type { keyResponse } from "@sluice/contracts/keys";
import { createQuery } from "@tanstack/solid-query";
import { createSignal, type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Facts } from "../../../kit/card.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { TextField } from "../../../kit/field.tsx";
import { ErrorState, LoadingPart, Notice } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { type KeyRow, keyState } from "../../columns/account-columns.tsx";
import { OwnerLink } from "../../columns/user-link.tsx";
import { formats } from "../../formats.ts";
import { ActButton } from "../../parts/act-button.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { AdminForm, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownCount, shownMoment } from "../../shown.ts";
import { KeyForm } from "./key-form.tsx";
import { keyDetailPath, keyPaths } from "./key-paths.ts";

type Asked = "edit" | "lock" | "unlock" | "revoke" | null;

/** One key of a customer, and what an operator can do with it. */
export function KeyPanel(props: { readonly apiKey: KeyRow }): JSX.Element {
  const [asked, setAsked] = createSignal<Asked>(null);
  const close = (): void => {
    setAsked(null);
  };
  const isLocked = (): boolean => props.apiKey.lock_reason !== null;
  return (
    <>
      <Show when={props.apiKey.status !== "revoked"} fallback={<p class="muted">This key was revoked permanently.</p>}>
        <Show when={props.apiKey.lock_reason}>
          {(reason) => <Notice tone="warn">Locked by an operator. The owner sees: {reason()}</Notice>}
        </Show>
        <div class="button-row">
          <ActButton operation="/backend/admin/key/save/" onClick={() => setAsked("edit")}>
            Edit
          </ActButton>
          <ActButton operation="/backend/admin/key/lock/" onClick={() => setAsked(isLocked() ? "unlock" : "lock")}>
            {isLocked() ? "Unlock" : "Lock"}
          </ActButton>
          <ActButton operation="/backend/admin/key/revoke/" variant="danger" onClick={() => setAsked("revoke")}>
            Revoke
          </ActButton>
        </div>
      </Show>
      <KeyFacts apiKey={props.apiKey} />
      <div class="button-row">
        <PageLink class="button" href={`/admin/limits/?key_id=${props.apiKey.key_id}`}>
          Explain its limits
        </PageLink>
        <PageLink class="button" href={`/admin/audit/?subject_kind=api_key&subject_id=${props.apiKey.key_id}`}>
          Change history
        </PageLink>
      </div>
      <Dialog isOpen={asked() === "edit"} onClose={close} title={`Edit ${props.apiKey.name}`}>
        <Show when={asked() === "edit"}>
          <KeyEditor keyId={String(props.apiKey.key_id)} onDone={close} />
        </Show>
      </Dialog>
      <Dialog isOpen={asked() === "lock"} onClose={close} title={`Lock ${props.apiKey.name}`}>
        <ActForm act="lock" apiKey={props.apiKey} onDone={close} />
      </Dialog>
      <Dialog isOpen={asked() === "unlock"} onClose={close} title={`Unlock ${props.apiKey.name}`}>
        <ActForm act="unlock" apiKey={props.apiKey} onDone={close} />
      </Dialog>
      <Dialog isOpen={asked() === "revoke"} onClose={close} title={`Revoke ${props.apiKey.name}`}>
        <ActForm act="revoke" apiKey={props.apiKey} onDone={close} />
      </Dialog>
    </>
  );
}

function KeyFacts(props: { readonly apiKey: KeyRow }): JSX.Element {
  const count = (value: number | null): string => (value === null ? "no limit" : shownCount(value));
  return (
    <Facts
      facts={[
        { name: "Key id", value: String(props.apiKey.key_id) },
        {
          name: "Key",
          value: (
            <code>
              {props.apiKey.key_prefix}…{props.apiKey.key_last_four}
            </code>
          ),
        },
        { name: "Owner", value: <OwnerLink row={props.apiKey} /> },
        { name: "Status", value: <StateWord state={keyState(props.apiKey)} /> },
        { name: "Group", value: props.apiKey.group_name },
        {
          name: "Limit",
          value: props.apiKey.quota_limit === null ? "none" : formats.quota(props.apiKey.quota_limit),
        },
        { name: "Requests per minute", value: count(props.apiKey.requests_per_minute) },
        { name: "Tokens per minute", value: count(props.apiKey.tokens_per_minute) },
        { name: "Concurrent calls", value: count(props.apiKey.concurrency_max) },
        { name: "Models", value: props.apiKey.allowed_models?.join(", ") ?? "all" },
        { name: "Allowed IPs", value: props.apiKey.allowed_ips?.join(", ") ?? "all" },
        { name: "Expires", value: shownMoment(props.apiKey.expires_at, "never") },
        { name: "Last used", value: shownMoment(props.apiKey.last_used_at, "never") },
      ]}
    />
  );
}

/** The form begins with the key as it is now, not as the list has it. */
function KeyEditor(props: { readonly keyId: string; readonly onDone: () => void }): JSX.Element {
  const query = createQuery(() => ({
    queryKey: [keyDetailPath, props.keyId],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet<typeof adminKeyDetail>(keyDetailPath, { query: { key_id: props.keyId }, signal }),
    gcTime: 0,
  }));
  return (
    <Switch fallback={<LoadingPart />}>
      <Match when={query.isError && query.data === undefined}>
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      </Match>
      <Match when={query.data}>
        <Show when={query.data} keyed>
          {(detail) => <KeyForm detail={detail} onDone={props.onDone} />}
        </Show>
      </Match>
    </Switch>
  );
}

const acts = {
  lock: {
    action: "Lock key",
    tone: "danger",
    text: "Calls with it, and with keys that share its limits, are refused within a second. The owner can’t undo it.",
    hint: "Shown to the owner, in the console and in refused calls. Recorded in the audit log.",
    done: "The key was locked.",
  },
  unlock: {
    action: "Unlock key",
    tone: "primary",
    text: "Calls with it, and with keys that share its limits, are accepted again.",
    hint: "Recorded in the audit log.",
    done: "The key was unlocked.",
  },
  revoke: {
    action: "Revoke now",
    tone: "danger",
    text: "Calls with it are refused from now on. This can’t be undone.",
    hint: "Recorded in the audit log.",
    done: "The key was revoked.",
  },
} as const;

function ActForm(props: {
  readonly act: keyof typeof acts;
  readonly apiKey: KeyRow;
  readonly onDone: () => void;
}): JSX.Element {
  const { action, tone, text, hint, done } = acts[props.act];
  const operation = `/backend/admin/key/${props.act}/` as const;
  const refresh = useRefresh(...keyPaths);
  const form = createForm({
    initial: { reason: "" },
    check: ({ reason }) => reasonFault(reason),
    body: ({ reason }) => ({ key_id: props.apiKey.key_id, reason: reason.trim() }),
    submit: async (_, body) => {
      await apiPost<typeof keyResponse>(operation, body);
      form.reset();
      await refresh();
      showToast(done);
      props.onDone();
    },
  });
  return (
    <AdminForm form={form} operation={operation} action={action} tone={tone} onCancel={props.onDone}>
      <p>{text}</p>
      {props.act === "lock" ? (
        <TextField label="Reason" hint={hint} maxlength={200} autocomplete="off" {...form.text("reason")} />
      ) : (
        <ReasonField form={form} hint={hint} />
      )}
    </AdminForm>
  );
}
