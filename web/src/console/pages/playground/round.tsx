import { createSignal, For, Index, type JSX, lazy, Show, Suspense } from "solid-js";
import { Button } from "../../../kit/button.tsx";
import { TextArea } from "../../../kit/field.tsx";
import { AttachmentList } from "./attachment-list.tsx";
import type { Chat } from "./chat.ts";
import type { Answer, Place, Round, Step } from "./conversation.ts";
import { isSendKey } from "./keys.ts";
import { MeasureLine } from "./measure-line.tsx";
import { playgroundArea } from "./messages/messages.ts";
import styles from "./playground.module.css";
import { ProblemNote } from "./problem-note.tsx";
import { ToolCallList } from "./tool-call-list.tsx";

// Loaded with the first answer.
const MarkdownText = lazy(async () => ({ default: (await import("./markdown/markdown-text.tsx")).MarkdownText }));

type RoundProps = {
  readonly chat: Chat;
  readonly round: Round;
  readonly index: number;
  readonly places: readonly Place[];
  readonly keyId: string | undefined;
};

/** A message, and beside each other what the models have answered to it. */
export function RoundView(props: RoundProps): JSX.Element {
  const isLast = (): boolean => props.index === props.chat.rounds.length - 1;
  const answered = () => props.places.filter(({ id }) => props.round.answers[id] !== undefined);
  return (
    <div class={styles["round"]}>
      <Message chat={props.chat} round={props.round} index={props.index} />
      <div class={styles["answers"]} data-count={answered().length}>
        <For each={answered().map(({ id }) => id)}>
          {(placeId) => (
            <Show when={props.round.answers[placeId]}>
              {(answer) => <AnswerView {...props} placeId={placeId} answer={answer()} isLast={isLast()} />}
            </Show>
          )}
        </For>
      </div>
    </div>
  );
}

function Message(props: Pick<RoundProps, "chat" | "round" | "index">): JSX.Element {
  const texts = playgroundArea.texts();
  const [edited, setEdited] = createSignal<string | null>(null);
  const send = (): void => {
    const text = edited() ?? "";
    if (text.trim() !== "") {
      props.chat.edit(props.index, text);
    }
  };
  return (
    <div class={styles["turn"]} data-role="user">
      <div class={styles["turn-head"]}>
        <strong>{texts.you}</strong>
        <Show when={edited() === null && !props.chat.isRunning()}>
          <Button variant="quiet" onClick={() => setEdited(props.round.text)}>
            {texts.edit}
          </Button>
        </Show>
      </div>
      <AttachmentList attachments={props.round.attachments} />
      <Show when={edited() !== null} fallback={<p class={styles["plain"]}>{props.round.text}</p>}>
        <TextArea
          label={texts.prompt}
          hint={texts.editText}
          value={edited() ?? ""}
          onInput={(event) => setEdited(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (isSendKey(event)) {
              send();
            }
          }}
        />
        <div class="form-actions">
          <Button variant="primary" onClick={send}>
            {texts.send}
          </Button>
          <Button onClick={() => setEdited(null)}>{texts.cancel}</Button>
        </div>
      </Show>
    </div>
  );
}

type AnswerProps = RoundProps & { readonly placeId: string; readonly answer: Answer; readonly isLast: boolean };

function AnswerView(props: AnswerProps): JSX.Element {
  const texts = playgroundArea.texts();
  const runs = (): boolean => props.isLast && props.chat.runs(props.placeId);
  const lastStep = (): Step | undefined => props.answer.steps.at(-1);
  return (
    <article class={styles["turn"]} data-role="model" aria-label={props.answer.model} aria-busy={runs()}>
      <div class={styles["turn-head"]}>
        <strong>
          <bdi>{props.answer.model}</bdi>
        </strong>
        <Show when={props.isLast && !runs() && lastStep()?.problem === null}>
          <Button variant="quiet" onClick={() => props.chat.again(props.placeId, "answer")}>
            {texts.again}
          </Button>
        </Show>
      </div>
      <Index each={props.answer.steps}>
        {(step, index) => (
          <StepView {...props} step={step()} index={index} runs={runs() && index === props.answer.steps.length - 1} />
        )}
      </Index>
    </article>
  );
}

type StepProps = Omit<AnswerProps, "index"> & { readonly step: Step; readonly index: number; readonly runs: boolean };

function StepView(props: StepProps): JSX.Element {
  const texts = playgroundArea.texts();
  const isEmpty = (): boolean =>
    props.step.text === "" && props.step.reasoning === "" && props.step.toolCalls.length === 0;
  return (
    <>
      <Show when={props.step.reasoning}>
        {(reasoning) => (
          <details class={styles["reasoning"]}>
            <summary>{texts.reasoning}</summary>
            <p class={styles["plain"]}>{reasoning()}</p>
          </details>
        )}
      </Show>
      <Show when={isEmpty() && props.runs}>
        <span class="muted">{texts.waiting}</span>
      </Show>
      <Show when={props.step.text !== ""}>
        <Suspense fallback={<p class={styles["plain"]}>{props.step.text}</p>}>
          <MarkdownText text={props.step.text} isGrowing={props.runs} copyLabel={texts.copyCode} />
        </Suspense>
      </Show>
      <Show when={props.step.toolCalls.length > 0}>
        <ToolCallList
          step={props.step}
          onResults={
            props.isLast && !props.runs ? (results) => props.chat.giveResults(props.placeId, results) : undefined
          }
        />
      </Show>
      <Show when={props.step.isStopped}>
        <span class="muted">{texts.stopped}</span>
      </Show>
      <Show when={props.step.problem}>
        {(problem) => (
          <ProblemNote
            problem={problem()}
            onRetry={props.isLast && !props.runs ? () => props.chat.again(props.placeId, "step") : undefined}
          />
        )}
      </Show>
      <Show when={!props.runs && props.step.measures}>
        {(measures) => (
          <MeasureLine
            measures={measures()}
            keyId={props.keyId}
            onCost={(cost) => {
              const at = { roundId: props.round.id, placeId: props.placeId, step: props.index };
              props.chat.note(at, { measures: { ...measures(), ...cost } });
            }}
          />
        )}
      </Show>
    </>
  );
}
