import type { firstRequestResponse } from "@sluice/contracts/keys";
import type { usageListResponse } from "@sluice/contracts/usage";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery } from "@tanstack/solid-query";
import { createSignal, type JSX, onCleanup, onMount, Show } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { fill } from "../../../i18n/messages.ts";
import { cheapestChatModel } from "../../../i18n/model-prices.ts";
import { Button } from "../../../kit/button.tsx";
import { CopyButton } from "../../../kit/code.tsx";
import { ConfirmDialog } from "../../../kit/confirm-dialog.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Notice } from "../../../kit/states.tsx";
import { Status } from "../../../kit/status.tsx";
import { mayDo } from "../../acting-for.ts";
import { createModelsQuery } from "../../parts/queries.ts";
import { SnippetTabs } from "../../parts/snippet-tabs.tsx";
import styles from "./keys.module.css";
import { keysArea } from "./messages/messages.ts";
import { sendTestCall } from "./test-call.ts";

const askEveryMs = 1_500;

type FailedCall = ResponseOf<typeof usageListResponse>["rows"][number];

export type MadeKey = { readonly keyId: string; readonly secret: string };

/** Shows a new key, which nothing else stores: it is gone with the dialog. */
export function MadeKeyDialog(props: { readonly made: MadeKey | null; readonly onClose: () => void }): JSX.Element {
  const texts = keysArea.texts();
  const [isCopied, setIsCopied] = createSignal(false);
  const [isAsking, setIsAsking] = createSignal(false);
  const close = (): void => {
    setIsCopied(false);
    setIsAsking(false);
    props.onClose();
  };
  const leave = (event: BeforeUnloadEvent): void => {
    if (props.made !== null && !isCopied()) {
      event.preventDefault();
    }
  };
  onMount(() => addEventListener("beforeunload", leave));
  onCleanup(() => removeEventListener("beforeunload", leave));
  return (
    <>
      <Dialog
        size="wide"
        isOpen={props.made !== null}
        title={texts.madeTitle}
        onClose={() => (isCopied() ? close() : setIsAsking(true))}
      >
        <Show when={props.made}>{(made) => <MadeKeyParts made={made()} onCopied={() => setIsCopied(true)} />}</Show>
        <div class="dialog-actions">
          <Button variant="primary" onClick={() => (isCopied() ? close() : setIsAsking(true))}>
            {texts.done}
          </Button>
        </div>
      </Dialog>
      <ConfirmDialog
        isOpen={isAsking()}
        onClose={() => setIsAsking(false)}
        title={texts.closeTitle}
        action={texts.closeAnyway}
        onConfirm={close}
      >
        {texts.closeText}
      </ConfirmDialog>
    </>
  );
}

function MadeKeyParts(props: { readonly made: MadeKey; readonly onCopied: () => void }): JSX.Element {
  const texts = keysArea.texts();
  const models = createModelsQuery();
  const model = (): string => cheapestChatModel(models.data?.models ?? [])?.name ?? "";
  return (
    <div class={styles["made"]}>
      <Notice tone="warn">{texts.madeText}</Notice>
      <div class={styles["secret"]}>
        <code data-secret="">{props.made.secret}</code>
        <CopyButton text={() => props.made.secret} label={texts.copyKey} onCopied={props.onCopied} />
      </div>
      <FirstRequest made={props.made} model={model()} />
      <Show when={models.isSuccess && model() === ""}>
        <Notice tone="info">{texts.noModel}</Notice>
      </Show>
      <h3>{texts.snippets}</h3>
      <SnippetTabs
        label={texts.snippets}
        origin={location.origin}
        apiKey={props.made.secret}
        model={model() || "MODEL"}
      />
    </div>
  );
}

/** The newest call with the key that did not succeed, looked for while it is wanted. */
function createRefusedQuery(keyId: string, isWanted: () => boolean): () => FailedCall | undefined {
  const query = createQuery(() => ({
    queryKey: ["refused-request", keyId],
    queryFn: ({ signal }) =>
      apiGet<typeof usageListResponse>("/backend/usage/list/", { signal, query: { key_id: keyId, limit: 1 } }),
    refetchInterval: askEveryMs,
    enabled: isWanted(),
    gcTime: 0,
  }));
  return () => query.data?.rows.find(({ outcome }) => outcome !== "completed");
}

/** Turns green when the first call with the key arrives, from anywhere. */
function FirstRequest(props: { readonly made: MadeKey; readonly model: string }): JSX.Element {
  const texts = keysArea.texts();
  const [isTesting, setIsTesting] = createSignal(false);
  const [announcement, setAnnouncement] = createSignal("");
  const first = createQuery(() => ({
    queryKey: ["first-request", props.made.keyId],
    queryFn: ({ signal }) =>
      apiGet<typeof firstRequestResponse>("/backend/keys/first-request/", {
        signal,
        query: { key_id: props.made.keyId },
      }),
    refetchInterval: (query) => (query.state.data?.is_seen === true ? false : askEveryMs),
    gcTime: 0,
  }));
  const refused = createRefusedQuery(props.made.keyId, () => first.data?.is_seen !== true);
  const test = async (): Promise<void> => {
    setIsTesting(true);
    const outcome = await sendTestCall(props.made.secret, props.model);
    setAnnouncement(
      outcome.isAnswered
        ? fill(texts.testDone, { answer: outcome.text })
        : fill(texts.testFailed, { reason: outcome.text }),
    );
    setIsTesting(false);
    void first.refetch();
  };
  return (
    <div class={styles["first"]}>
      <span role="status">
        <Status tone={first.data?.is_seen === true ? "ok" : "neutral"}>
          {first.data?.is_seen === true ? texts.seen : texts.waiting}
        </Status>
      </span>
      <Button isBusy={isTesting()} disabled={props.model === ""} onClick={() => void test()}>
        {texts.test}
      </Button>
      <span class={styles["said"]} role="status">
        <bdi>{announcement()}</bdi>
      </span>
      <Show when={first.data?.is_seen !== true ? refused() : undefined}>
        {(call) => (
          <Notice tone="warn">
            <Show
              when={call().error_code === "insufficient_quota"}
              fallback={
                <>
                  {texts.refused} <a href={`/console/usage/?open=${call().request_id}`}>{texts.showCall}</a>
                </>
              }
            >
              {texts.refusedEmpty}{" "}
              <Show when={mayDo("billing")}>
                <a href="/console/billing/">{texts.addBalance}</a>
              </Show>
            </Show>
          </Notice>
        )}
      </Show>
    </div>
  );
}
