import { useSearchParams } from "@solidjs/router";
import { createEffect, createSignal, For, type JSX, lazy, Show, Suspense } from "solid-js";
import { chatModels } from "../../../i18n/model-prices.ts";
import { Button } from "../../../kit/button.tsx";
import { EmptyState, ErrorState, Notice } from "../../../kit/states.tsx";
import { latePart } from "../../../shell/loaded-page.tsx";
import { acting } from "../../acting-for.ts";
import { ConsoleHead } from "../../console-head.tsx";
import { createMeQuery, createModelsQuery, type OfferedModel } from "../../parts/queries.ts";
import { faultsOf, reasons, type Settings } from "./call-settings.ts";
import { type Chat, createChat } from "./chat.ts";
import type { Place } from "./conversation.ts";
import { type Draft, keepDraft, readDraft } from "./draft.ts";
import { createDraftFiles } from "./draft-files.ts";
import { createHistory, type History } from "./history.ts";
import { playgroundArea } from "./messages/messages.ts";
import { createOwnKeys, type OwnKeys } from "./own-key.ts";
import styles from "./playground.module.css";
import { PromptForm } from "./prompt-form.tsx";
import { SettingsForm } from "./settings-form.tsx";
import { StorageNotice } from "./storage-notice.tsx";

// Loaded with the first message, or when they are opened.
const RoundView = latePart(async () => (await import("./round.tsx")).RoundView);
const CodeDialog = lazy(async () => ({ default: (await import("./code-dialog.tsx")).CodeDialog }));
const HistoryDialog = lazy(async () => ({ default: (await import("./history-dialog.tsx")).HistoryDialog }));

/** Tries models with a key of its own, and shows what each answer took and cost. */
export function Page(): JSX.Element {
  const texts = playgroundArea.texts();
  const models = createModelsQuery();
  const me = createMeQuery();
  const [draft, setDraft] = createSignal<Draft>(readDraft());
  const change = (part: Partial<Draft>): void => {
    setDraft((all) => ({ ...all, ...part }));
  };
  createEffect(() => keepDraft(draft()));
  const offered = (): OfferedModel[] => chatModels(models.data?.models ?? []);
  const places = placesOf(draft, offered);
  const owner = (): string | null => (me.data === undefined ? null : `${me.data.user.user_id}/${acting?.id ?? ""}`);
  const keys = createOwnKeys(owner, () => draft().projectId);
  // Models that do not reason refuse to be told how much.
  const settingsFor = (model: string): Settings =>
    reasons(offered(), model) ? draft().settings : { ...draft().settings, effort: "" };
  const chat = createChat({ places, settings: settingsFor, keys });
  const files = createDraftFiles({ owner, id: () => draft().filesId, onId: (filesId) => change({ filesId }) });
  const attachments = files.all;
  const history = createHistory({
    ...{ chat, places, owner, onPlaces: (chosen: readonly Place[]) => change({ places: chosen }) },
    currentId: () => draft().conversationId,
    onCurrent: (conversationId) => change({ conversationId }),
  });
  const isReady = (): boolean =>
    owner() !== null &&
    places().every(({ model }) => model !== "") &&
    Object.keys(faultsOf(draft().settings)).length === 0 &&
    !chat.isAwaiting() &&
    (draft().prompt.trim() !== "" || attachments().length > 0);
  const blindModel = (): string | undefined => {
    const hasImages = attachments().some(({ kind }) => kind === "image");
    const isBlind = (model: string): boolean => offered().some((each) => each.name === model && !each.takes_images);
    return hasImages ? places().find(({ model }) => isBlind(model))?.model : undefined;
  };
  return (
    <>
      <ConsoleHead
        texts={texts}
        actions={
          <PageActions chat={chat} places={places()} prompt={draft().prompt || texts.prompt} history={history} />
        }
      />
      <Show when={models.isError && models.data === undefined ? models.error : null}>
        {(error) => <ErrorState error={error()} onRetry={() => void models.refetch()} />}
      </Show>
      <Show when={models.isSuccess && offered().length === 0}>
        <Notice tone="info">{texts.noModels}</Notice>
      </Show>
      <div class={styles["columns"]}>
        <SettingsForm
          places={places()}
          onPlaces={(chosen) => change({ places: chosen })}
          projectId={draft().projectId}
          onProject={(projectId) => change({ projectId })}
          settings={draft().settings}
          onChange={(name, value) => change({ settings: { ...draft().settings, [name]: value } })}
          models={offered()}
          isLoading={models.isPending}
        />
        <div class={styles["talk"]}>
          <Conversation chat={chat} places={places()} keys={keys} />
          <Show when={chat.rounds.length > 0}>
            <StorageNotice problem={history.problem()} />
          </Show>
          <PromptForm
            chat={chat}
            prompt={draft().prompt}
            onPrompt={(prompt) => change({ prompt })}
            isReady={isReady()}
            attachments={attachments()}
            onAttachments={files.change}
            filesProblem={files.problem()}
            blindModel={blindModel()}
            onSend={() => {
              chat.send(draft().prompt, attachments());
              files.change([]);
              change({ prompt: "" });
            }}
          />
        </div>
      </div>
    </>
  );
}

/** Code, history, and a new conversation. */
function PageActions(props: {
  readonly chat: Chat;
  readonly places: readonly Place[];
  readonly prompt: string;
  readonly history: History;
}): JSX.Element {
  const texts = playgroundArea.texts();
  const [open, setOpen] = createSignal<"code" | "history" | null>(null);
  const [wasOpen, setWasOpen] = createSignal<ReadonlySet<string>>(new Set());
  const show = (dialog: "code" | "history"): void => {
    setWasOpen((all) => new Set([...all, dialog]));
    setOpen(dialog);
  };
  const close = (): void => {
    setOpen(null);
  };
  return (
    <div class="form-actions">
      <Show when={props.chat.rounds.length > 0}>
        <Button onClick={() => props.history.start()}>{texts.start}</Button>
      </Show>
      <Button onClick={() => show("history")}>{texts.history}</Button>
      <Button onClick={() => show("code")}>{texts.code}</Button>
      <Suspense>
        <Show when={wasOpen().has("history")}>
          <HistoryDialog isOpen={open() === "history"} onClose={close} history={props.history} />
        </Show>
        <Show when={wasOpen().has("code")}>
          <CodeDialog
            isOpen={open() === "code"}
            onClose={close}
            places={props.places}
            bodyOf={(place) => props.chat.bodyOf(place, props.prompt)}
            hasFiles={props.chat.rounds.some(({ attachments }) => attachments.length > 0)}
          />
        </Show>
      </Suspense>
    </div>
  );
}

/** The models that were chosen and are still offered; at first the one that a link names, else the first one. */
function placesOf(draft: () => Draft, offered: () => readonly OfferedModel[]): () => readonly Place[] {
  const [params] = useSearchParams();
  const isOffered = (model: unknown): boolean => offered().some(({ name }) => name === model);
  const linked = (): string => (isOffered(params["model"]) ? String(params["model"]) : (offered()[0]?.name ?? ""));
  return () => {
    const [first = { id: "1", model: "" }, ...others] = draft().places;
    return [first, ...others].map(({ id, model }) => ({ id, model: isOffered(model) ? model : linked() }));
  };
}

function Conversation(props: {
  readonly chat: Chat;
  readonly places: readonly Place[];
  readonly keys: OwnKeys;
}): JSX.Element {
  const texts = playgroundArea.texts();
  return (
    <Show when={props.chat.rounds.length > 0} fallback={<EmptyState title={texts.empty}>{texts.emptyText}</EmptyState>}>
      <section class={styles["talk"]}>
        <h2 class="visually-hidden">{texts.conversation}</h2>
        <For each={props.chat.rounds}>
          {(round, index) => (
            <RoundView
              chat={props.chat}
              round={round}
              index={index()}
              places={props.places}
              keyId={props.keys.current()?.keyId}
            />
          )}
        </For>
      </section>
    </Show>
  );
}
