import { browserSupportsWebAuthn, startRegistration } from "@simplewebauthn/browser";
import type { beginPasskeyResponse, passkeyListResponse } from "@sluice/contracts/passkeys";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery, useQueryClient } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { TextField } from "../../../kit/field.tsx";
import { ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { formats } from "../../formats.ts";
import styles from "./account.module.css";
import { accountArea } from "./messages/messages.ts";
import { ProofFields, proofOf } from "./proof-fields.tsx";
import type { User } from "./user.ts";

type Passkey = ResponseOf<typeof passkeyListResponse>["passkeys"][number];
/** What the dialog is about. */
type Asked =
  | { readonly what: "add" }
  | { readonly what: "rename"; readonly passkey: Passkey }
  | { readonly what: "remove"; readonly passkey: Passkey };

const path = "/backend/auth/passkeys/";

/** The passkeys that open this account. Not shown where the service can't have any. */
export function PasskeysCard(props: { readonly user: User }): JSX.Element {
  const texts = accountArea.texts();
  const [asked, setAsked] = createSignal<Asked | null>(null);
  const query = createQuery(() => ({
    queryKey: [path],
    queryFn: ({ signal }) => apiGet<typeof passkeyListResponse>(path, { signal }),
  }));
  const isHidden = (): boolean => query.data?.is_offered === false && query.data.passkeys.length === 0;
  const title = (about: Asked): string => {
    switch (about.what) {
      case "add":
        return texts.passkeyAdd;
      case "rename":
        return fill(texts.renameTitle, { name: about.passkey.name });
      case "remove":
        return fill(texts.removePasskey, { name: about.passkey.name });
    }
  };
  return (
    <Show when={!isHidden()}>
      <Card title={texts.passkeys}>
        <p class="muted">{texts.passkeysText}</p>
        <Switch fallback={<LoadingPart />}>
          <Match when={query.isError && query.data === undefined}>
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          </Match>
          <Match when={query.data}>
            {(data) => (
              <>
                <PasskeyList passkeys={data().passkeys} onAsk={setAsked} />
                <Show when={data().is_offered}>
                  <Show when={browserSupportsWebAuthn()} fallback={<p class="muted">{texts.passkeysNotHere}</p>}>
                    <div class={styles["buttons"]}>
                      <Button onClick={() => setAsked({ what: "add" })}>{texts.passkeyAdd}</Button>
                    </div>
                  </Show>
                </Show>
              </>
            )}
          </Match>
        </Switch>
        <Dialog isOpen={asked() !== null} onClose={() => setAsked(null)} title={title(asked() ?? { what: "add" })}>
          <Show when={asked()} keyed>
            {(about) => <PasskeyForm user={props.user} about={about} onDone={() => setAsked(null)} />}
          </Show>
        </Dialog>
      </Card>
    </Show>
  );
}

function PasskeyList(props: {
  readonly passkeys: readonly Passkey[];
  readonly onAsk: (asked: Asked) => void;
}): JSX.Element {
  const texts = accountArea.texts();
  return (
    <Show when={props.passkeys.length > 0} fallback={<p class="muted">{texts.passkeysNone}</p>}>
      <ul class={`plain-list ${styles["sessions"]}`}>
        <For each={props.passkeys}>
          {(passkey) => (
            <li class={styles["session"]}>
              <div>
                <bdi>{passkey.name}</bdi>
                <div class="muted">
                  {passkey.is_synced ? texts.passkeySynced : texts.passkeyBound} · {texts.passkeyAdded}{" "}
                  {formats.date(passkey.created_at)} · {texts.lastUsed}{" "}
                  {passkey.last_used_at === null ? "–" : formats.dateTime(passkey.last_used_at)}
                </div>
              </div>
              <div class={styles["buttons"]}>
                <Button
                  aria-label={`${texts.rename}: ${passkey.name}`}
                  onClick={() => props.onAsk({ what: "rename", passkey })}
                >
                  {texts.rename}
                </Button>
                <Button
                  aria-label={`${texts.unlink}: ${passkey.name}`}
                  onClick={() => props.onAsk({ what: "remove", passkey })}
                >
                  {texts.unlink}
                </Button>
              </div>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}

/** Asks who is there, because a passkey opens the account from then on. */
function PasskeyForm(props: { readonly user: User; readonly about: Asked; readonly onDone: () => void }): JSX.Element {
  const texts = accountArea.texts();
  const client = useQueryClient();
  const initialName = "passkey" in props.about ? props.about.passkey.name : "";
  const form = createForm({
    initial: { name: initialName, password: "", code: "" },
    submit: async ({ name, ...typed }) => {
      const { about } = props;
      const proof = proofOf(typed);
      if (about.what === "add") {
        await addPasskey(name, proof, texts.passkeyNotMade);
        showToast(texts.passkeyWasAdded);
      } else if (about.what === "rename") {
        await apiPost(`${path}rename/`, { passkey_id: about.passkey.passkey_id, name, ...proof });
        showToast(texts.renamed);
      } else {
        await apiPost(`${path}remove/`, { passkey_id: about.passkey.passkey_id, ...proof });
        showToast(texts.passkeyRemoved);
      }
      void client.invalidateQueries({ queryKey: [path] });
      props.onDone();
    },
  });
  const isRemoval = (): boolean => props.about.what === "remove";
  const label = (): string => ({ add: texts.goOn, rename: texts.rename, remove: texts.unlink })[props.about.what];
  return (
    <form class="form" onSubmit={form.onSubmit} noValidate>
      <Show when={props.about.what === "add"}>
        <p>{texts.addPasskeyText}</p>
      </Show>
      <Show when={isRemoval()}>
        <p>{texts.removePasskeyText}</p>
      </Show>
      <Show when={!isRemoval()}>
        <TextField
          label={texts.passkeyName}
          hint={texts.passkeyNameHint}
          autocomplete="off"
          maxlength={60}
          required
          {...form.text("name")}
        />
      </Show>
      <ProofFields user={props.user} password={form.text("password")} code={form.text("code")} />
      <Show when={form.problem()}>{(problem) => <ErrorState title={texts.failed} error={problem()} />}</Show>
      <div class="dialog-actions">
        <Button type="submit" variant={isRemoval() ? "danger" : "primary"} isBusy={form.isSubmitting()}>
          {label()}
        </Button>
      </div>
    </form>
  );
}

/** @param notMade what to say when the browser made none, for instance because its dialog was closed */
async function addPasskey(name: string, proof: ReturnType<typeof proofOf>, notMade: string): Promise<void> {
  const { options } = await apiPost<typeof beginPasskeyResponse>(`${path}begin/`, proof);
  const made = await startRegistration({ optionsJSON: structuredClone(options) as CreationOptions }).catch(() => {
    throw new Error(notMade);
  });
  const { id, rawId, type, response } = made;
  const { clientDataJSON, attestationObject, transports } = response;
  const sent = { clientDataJSON, attestationObject, ...(transports === undefined ? {} : { transports }) };
  await apiPost(`${path}add/`, { name, credential: { id, rawId, type, response: sent } });
}

type CreationOptions = Parameters<typeof startRegistration>[0]["optionsJSON"];
