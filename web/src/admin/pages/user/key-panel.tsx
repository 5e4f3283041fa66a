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
import { rich, t } from "../../translate.ts";
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
      <Show
        when={props.apiKey.status !== "revoked"}
        fallback={<p class="muted">{t("This key was revoked permanently.")}</p>}
      >
        <Show when={props.apiKey.lock_reason}>
          {(reason) => (
            <Notice tone="warn">{rich("Locked by an operator. The owner sees: {reason}", { reason: reason() })}</Notice>
          )}
        </Show>
        <div class="button-row">
          <ActButton operation="/backend/admin/key/save/" onClick={() => setAsked("edit")}>
            {t("Edit")}
          </ActButton>
          <ActButton operation="/backend/admin/key/lock/" onClick={() => setAsked(isLocked() ? "unlock" : "lock")}>
            {isLocked() ? t("Unlock") : t("Lock")}
          </ActButton>
          <ActButton operation="/backend/admin/key/revoke/" variant="danger" onClick={() => setAsked("revoke")}>
            {t("Revoke")}
          </ActButton>
        </div>
      </Show>
      <KeyFacts apiKey={props.apiKey} />
      <div class="button-row">
        <PageLink class="button" href={`/admin/limits/?key_id=${props.apiKey.key_id}`}>
          {t("Explain its limits")}
        </PageLink>
        <PageLink class="button" href={`/admin/audit/?subject_kind=api_key&subject_id=${props.apiKey.key_id}`}>
          {t("Change history")}
        </PageLink>
      </div>
      <Dialog isOpen={asked() === "edit"} onClose={close} title={t("Edit {name}", { name: props.apiKey.name })}>
        <Show when={asked() === "edit"}>
          <KeyEditor keyId={String(props.apiKey.key_id)} onDone={close} />
        </Show>
      </Dialog>
      <Dialog isOpen={asked() === "lock"} onClose={close} title={t("Lock {name}", { name: props.apiKey.name })}>
        <ActForm act="lock" apiKey={props.apiKey} onDone={close} />
      </Dialog>
      <Dialog isOpen={asked() === "unlock"} onClose={close} title={t("Unlock {name}", { name: props.apiKey.name })}>
        <ActForm act="unlock" apiKey={props.apiKey} onDone={close} />
      </Dialog>
      <Dialog isOpen={asked() === "revoke"} onClose={close} title={t("Revoke {name}", { name: props.apiKey.name })}>
        <ActForm act="revoke" apiKey={props.apiKey} onDone={close} />
      </Dialog>
    </>
  );
}

function KeyFacts(props: { readonly apiKey: KeyRow }): JSX.Element {
  const count = (value: number | null): string => (value === null ? t("no limit") : shownCount(value));
  return (
    <Facts
      facts={[
        { name: t("Key ID"), value: String(props.apiKey.key_id) },
        {
          name: t("Key"),
          value: (
            <code>
              {props.apiKey.key_prefix}…{props.apiKey.key_last_four}
            </code>
          ),
        },
        { name: t("Owner"), value: <OwnerLink row={props.apiKey} /> },
        { name: t("Status"), value: <StateWord state={keyState(props.apiKey)} /> },
        { name: t("Group"), value: props.apiKey.group_name },
        {
          name: t("Limit"),
          value: props.apiKey.quota_limit === null ? t("none") : formats.quota(props.apiKey.quota_limit),
        },
        { name: t("Requests per minute"), value: count(props.apiKey.requests_per_minute) },
        { name: t("Tokens per minute"), value: count(props.apiKey.tokens_per_minute) },
        { name: t("Concurrent calls"), value: count(props.apiKey.concurrency_max) },
        { name: t("Models"), value: props.apiKey.allowed_models?.join(", ") ?? t("all") },
        { name: t("Allowed IPs"), value: props.apiKey.allowed_ips?.join(", ") ?? t("all") },
        { name: t("Expires"), value: shownMoment(props.apiKey.expires_at, t("never")) },
        { name: t("Last used"), value: shownMoment(props.apiKey.last_used_at, t("never")) },
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
    action: t("Lock key"),
    tone: "danger",
    text: t(
      "Calls with it, and with keys that share its limits, are refused within a second. The owner can’t undo it.",
    ),
    hint: t("Shown to the owner, in the console and in refused calls. Recorded in the audit log."),
    done: t("The key was locked."),
  },
  unlock: {
    action: t("Unlock key"),
    tone: "primary",
    text: t("Calls with it, and with keys that share its limits, are accepted again."),
    hint: t("Recorded in the audit log."),
    done: t("The key was unlocked."),
  },
  revoke: {
    action: t("Revoke now"),
    tone: "danger",
    text: t("Calls with it are refused from now on. This can’t be undone."),
    hint: t("Recorded in the audit log."),
    done: t("The key was revoked."),
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
        <TextField label={t("Reason")} hint={hint} maxlength={200} autocomplete="off" {...form.text("reason")} />
      ) : (
        <ReasonField form={form} hint={hint} />
      )}
    </AdminForm>
  );
}
