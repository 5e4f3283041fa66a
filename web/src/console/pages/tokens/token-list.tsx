import type { tokenResponse } from "@sluice/contracts/management-tokens";
import { createMutation } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { ConfirmDialog } from "../../../kit/confirm-dialog.tsx";
import { ErrorState } from "../../../kit/states.tsx";
import { Status, type Tone } from "../../../kit/status.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { formats } from "../../formats.ts";
import { tokensArea } from "./messages/messages.ts";
import type { Token } from "./token.ts";
import styles from "./tokens.module.css";

const tones: Readonly<Record<Token["status"], Tone>> = { active: "ok", expired: "warn", revoked: "neutral" };

/** What each token may do and when it was used, with a way to revoke it. */
export function TokenList(props: { readonly tokens: readonly Token[]; readonly onChanged: () => void }): JSX.Element {
  const texts = tokensArea.texts();
  const [asked, setAsked] = createSignal<Token | null>(null);
  const revoke = createMutation(() => ({
    mutationFn: ({ token_id }: Token) => apiPost<typeof tokenResponse>("/backend/tokens/revoke/", { token_id }),
    onSuccess: () => {
      showToast(texts.revoked);
      props.onChanged();
    },
    onSettled: () => setAsked(null),
  }));
  return (
    <>
      <Show when={revoke.error}>{(error) => <ErrorState error={error()} />}</Show>
      <ul class={`plain-list ${styles["tokens"]}`}>
        <For each={props.tokens}>{(token) => <TokenRow token={token} onRevoke={() => setAsked(token)} />}</For>
      </ul>
      <ConfirmDialog
        isOpen={asked() !== null}
        onClose={() => setAsked(null)}
        title={texts.revokeTitle}
        action={texts.revoke}
        isBusy={revoke.isPending}
        onConfirm={() => {
          const token = asked();
          if (token !== null) {
            revoke.mutate(token);
          }
        }}
      >
        {fill(texts.revokeText, { name: asked()?.name ?? "" })}
      </ConfirmDialog>
    </>
  );
}

function TokenRow(props: { readonly token: Token; readonly onRevoke: () => void }): JSX.Element {
  const texts = tokensArea.texts();
  const token = (): Token => props.token;
  const names: Readonly<Record<string, string>> = texts.scopeNames;
  return (
    <li class={styles["token"]}>
      <div>
        <strong>
          <bdi>{token().name}</bdi>
        </strong>{" "}
        <code>{`sl-mgmt-…${token().hint}`}</code>{" "}
        <Status tone={tones[token().status]}>{texts.statusNames[token().status]}</Status>
        <Show when={token().organisation}>
          {(name) => (
            <div>
              <bdi>{name()}</bdi>
            </div>
          )}
        </Show>
        <div>
          {token()
            .scopes.map((scope) => names[scope] ?? scope)
            .join(" · ")}
        </div>
        <div class="muted">
          {texts.created} {formats.date(token().created_at)}
          <Show when={token().status !== "revoked"}>
            {" "}
            · {token().status === "active" ? texts.ends : texts.ended} {formats.date(token().expires_at)}
          </Show>
        </div>
        <div class="muted">
          <Show when={token().last_used_at} fallback={texts.never}>
            {(at) => (
              <>
                {texts.lastUsed} {formats.dateTime(at())} <bdi>{token().last_used_ip}</bdi>
              </>
            )}
          </Show>
        </div>
      </div>
      <Show when={token().status === "active"}>
        <Button aria-label={`${texts.revoke}: ${token().name}`} onClick={() => props.onRevoke()}>
          {texts.revoke}
        </Button>
      </Show>
    </li>
  );
}
