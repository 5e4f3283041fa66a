import { useSearchParams } from "@solidjs/router";
import { createSignal, For, type JSX, Show } from "solid-js";
import { chatModels } from "../../../i18n/model-prices.ts";
import { Button } from "../../../kit/button.tsx";
import { CodeBlock } from "../../../kit/code.tsx";
import { TextArea } from "../../../kit/field.tsx";
import { EmptyState, ErrorState } from "../../../kit/states.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useConsoleTitle } from "../../console-title.ts";
import { createModelsQuery, type OfferedModel } from "../../parts/queries.ts";
import { type Chat, createChat, type Settings } from "./chat.ts";
import { playgroundArea } from "./messages/messages.ts";
import styles from "./playground.module.css";
import { SettingsForm } from "./settings-form.tsx";
import { type ChatRequest, toBody } from "./stream-chat.ts";
import { Turn } from "./turn.tsx";

const untouched: Settings = { apiKey: "", model: "", system: "", maxTokens: "", temperature: "" };

/** Tries a model with a key, and shows its duration and cost. */
export function Page(): JSX.Element {
  const texts = playgroundArea.texts();
  useConsoleTitle(() => texts.title);
  const models = createModelsQuery();
  const [typed, setTyped] = createSignal(untouched);
  const offered = (): OfferedModel[] => chatModels(models.data?.models ?? []);
  // The model that a link from its page names.
  const [params] = useSearchParams();
  const settings = (): Settings => {
    const linked = offered().find(({ name }) => name === params["model"]) ?? offered()[0];
    return { ...typed(), model: typed().model || (linked?.name ?? "") };
  };
  const chat = createChat(settings);
  const isReady = (): boolean =>
    settings().apiKey.trim() !== "" && settings().model !== "" && chat.prompt().trim() !== "";
  return (
    <>
      <PageHead title={texts.title} text={texts.text} />
      <Show when={models.isError && models.data === undefined ? models.error : null}>
        {(error) => <ErrorState error={error()} onRetry={() => void models.refetch()} />}
      </Show>
      <div class={styles["columns"]}>
        <SettingsForm
          settings={settings()}
          models={offered()}
          isLoading={models.isPending}
          onChange={(change) => setTyped((all) => ({ ...all, ...change }))}
        />
        <div class={styles["talk"]}>
          <Conversation chat={chat} />
          <Show when={chat.problem()}>{(error) => <ErrorState title={texts.failed} error={error()} />}</Show>
          <PromptForm chat={chat} isReady={isReady()} />
          <h2>{texts.code}</h2>
          <CodeBlock label={texts.code} code={toCode(chat.request(chat.prompt() || texts.prompt))} />
        </div>
      </div>
    </>
  );
}

function Conversation(props: { readonly chat: Chat }): JSX.Element {
  const texts = playgroundArea.texts();
  const { chat } = props;
  return (
    <Show when={chat.turns().length > 0} fallback={<EmptyState title={texts.empty}>{texts.emptyText}</EmptyState>}>
      <section class={styles["talk"]} aria-label={texts.conversation} aria-busy={chat.isRunning()}>
        <For each={chat.turns()}>
          {(turn, index) => <Turn turn={turn} isWaiting={chat.isRunning() && index() === chat.turns().length - 1} />}
        </For>
      </section>
    </Show>
  );
}

function PromptForm(props: { readonly chat: Chat; readonly isReady: boolean }): JSX.Element {
  const texts = playgroundArea.texts();
  const { chat } = props;
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (props.isReady && !chat.isRunning()) {
          void chat.send();
        }
      }}
    >
      <TextArea
        label={texts.prompt}
        value={chat.prompt()}
        onInput={(event) => chat.setPrompt(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.currentTarget.form?.requestSubmit();
          }
        }}
      />
      <div class="form-actions">
        <Show
          when={chat.isRunning()}
          fallback={
            <Button type="submit" variant="primary" disabled={!props.isReady}>
              {texts.send}
            </Button>
          }
        >
          <Button onClick={() => chat.stop()}>{texts.stop}</Button>
        </Show>
        <Button disabled={chat.turns().length === 0 || chat.isRunning()} onClick={() => chat.clear()}>
          {texts.clear}
        </Button>
      </div>
    </form>
  );
}

/** The call as a shell command. It does not contain the key, which belongs in the environment. */
function toCode(request: ChatRequest): string {
  const body = JSON.stringify(toBody(request), null, 2).replaceAll("'", "'\\''");
  return `curl ${location.origin}/v1/chat/completions \\
  -H "Authorization: Bearer $GATEWAY_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${body}'`;
}
