import type { linkSignInResponse, signInListResponse } from "@sluice/contracts/sign-in";
import type { ResponseOf } from "@sluice/contracts/wire";
import { useSearchParams } from "@solidjs/router";
import { createQuery, useQueryClient } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { ErrorState, LoadingPart, Notice } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { formats } from "../../formats.ts";
import styles from "./account.module.css";
import { accountArea } from "./messages/messages.ts";
import { ProofFields, proofOf } from "./proof-fields.tsx";
import type { User } from "./user.ts";

type SignIns = ResponseOf<typeof signInListResponse>;
type SignIn = SignIns["sign_ins"][number];
/** What the dialog is about: a service to link, or a link to remove. */
type Asked = { readonly link: SignIns["providers"][number] } | { readonly unlink: SignIn };

const path = "/backend/auth/sign-ins/";

/** Accounts at other services that open this one. Not shown where there are none and none can be linked. */
export function SignInsCard(props: { readonly user: User }): JSX.Element {
  const texts = accountArea.texts();
  const [asked, setAsked] = createSignal<Asked | null>(null);
  const query = createQuery(() => ({
    queryKey: [path],
    queryFn: ({ signal }) => apiGet<typeof signInListResponse>(path, { signal }),
  }));
  const isEmpty = (): boolean => query.data?.sign_ins.length === 0 && query.data.providers.length === 0;
  const title = (about: Asked): string =>
    "link" in about
      ? fill(texts.linkSignIn, { name: about.link.label })
      : fill(texts.unlinkTitle, { name: about.unlink.label });
  return (
    <Show when={!isEmpty()}>
      <Card title={texts.signIns}>
        <LinkOutcome />
        <Switch fallback={<LoadingPart />}>
          <Match when={query.isError && query.data === undefined}>
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          </Match>
          <Match when={query.data}>
            {(data) => (
              <>
                <LinkedList signIns={data().sign_ins} onUnlink={(unlink) => setAsked({ unlink })} />
                <div class={styles["buttons"]}>
                  <For each={data().providers}>
                    {(link) => (
                      <Button onClick={() => setAsked({ link })}>{fill(texts.linkSignIn, { name: link.label })}</Button>
                    )}
                  </For>
                </div>
              </>
            )}
          </Match>
        </Switch>
        <Dialog isOpen={asked() !== null} onClose={() => setAsked(null)} title={title(asked() ?? { link: noService })}>
          <Show when={asked()} keyed>
            {(about) => <ProofForm user={props.user} about={about} onDone={() => setAsked(null)} />}
          </Show>
        </Dialog>
      </Card>
    </Show>
  );
}

const noService = { slug: "", label: "" };

function LinkedList(props: {
  readonly signIns: readonly SignIn[];
  readonly onUnlink: (signIn: SignIn) => void;
}): JSX.Element {
  const texts = accountArea.texts();
  return (
    <Show when={props.signIns.length > 0} fallback={<p class="muted">{texts.signInsNone}</p>}>
      <ul class={`plain-list ${styles["sessions"]}`}>
        <For each={props.signIns}>
          {(signIn) => (
            <li class={styles["session"]}>
              <div>
                <bdi>{signIn.label}</bdi> <bdi class="muted">{signIn.email ?? ""}</bdi>
                <div class="muted">
                  {texts.linkedOn} {formats.date(signIn.created_at)} · {texts.lastUsed}{" "}
                  {signIn.last_used_at === null ? "–" : formats.dateTime(signIn.last_used_at)}
                </div>
              </div>
              <Button aria-label={`${texts.unlink}: ${signIn.label}`} onClick={() => props.onUnlink(signIn)}>
                {texts.unlink}
              </Button>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}

/** Asks who is there, because a linked service opens the account from then on. */
function ProofForm(props: { readonly user: User; readonly about: Asked; readonly onDone: () => void }): JSX.Element {
  const texts = accountArea.texts();
  const client = useQueryClient();
  const isUnlink = (): boolean => "unlink" in props.about;
  const form = createForm({
    initial: { password: "", code: "" },
    submit: async ({ password, code }) => {
      const proof = proofOf({ password, code });
      if ("link" in props.about) {
        const body = { provider: props.about.link.slug, ...proof };
        const { url } = await apiPost<typeof linkSignInResponse>(`${path}link/`, body);
        location.assign(url);
        return;
      }
      await apiPost(`${path}unlink/`, { sign_in_id: props.about.unlink.sign_in_id, ...proof });
      showToast(texts.unlinked);
      void client.invalidateQueries({ queryKey: [path] });
      props.onDone();
    },
  });
  return (
    <form class="form" onSubmit={form.onSubmit} noValidate>
      <p>{isUnlink() ? texts.unlinkText : texts.linkText}</p>
      <ProofFields user={props.user} password={form.text("password")} code={form.text("code")} />
      <Show when={form.problem()}>{(problem) => <ErrorState title={texts.failed} error={problem()} />}</Show>
      <div class="dialog-actions">
        <Button type="submit" variant={isUnlink() ? "danger" : "primary"} isBusy={form.isSubmitting()}>
          {isUnlink() ? texts.unlink : texts.goOn}
        </Button>
      </div>
    </form>
  );
}

/** What a link came to, after the browser has come back from the service. */
function LinkOutcome(): JSX.Element {
  const texts = accountArea.texts();
  const [params] = useSearchParams();
  const outcome = (): string => {
    const { sign_in: code } = params;
    const known: Readonly<Record<string, string>> = texts.linkOutcomes;
    return typeof code !== "string"
      ? ""
      : Object.hasOwn(known, code)
        ? (known[code] ?? "")
        : texts.linkOutcomes.notLinked;
  };
  return (
    <Show when={outcome()}>
      {(text) => <Notice tone={params["sign_in"] === "linked" ? "ok" : "bad"}>{text()}</Notice>}
    </Show>
  );
}
