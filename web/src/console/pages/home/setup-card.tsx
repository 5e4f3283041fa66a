import { For, type JSX, Show } from "solid-js";
import { Card } from "../../../kit/card.tsx";
import { Status } from "../../../kit/status.tsx";
import { mayDo } from "../../acting-for.ts";
import styles from "./home.module.css";
import { homeArea } from "./messages/messages.ts";

type SetupProps = {
  readonly hasKey: boolean;
  readonly isEmpty: boolean;
};

/** The steps until the first call. */
export function SetupCard(props: SetupProps): JSX.Element {
  const texts = homeArea.texts();
  const offersBilling = (): boolean => props.isEmpty && mayDo("billing");
  const steps = () => [
    { title: texts.stepCredit, text: texts.stepCreditText, isDone: !props.isEmpty },
    { title: texts.stepKey, text: texts.stepKeyText, isDone: props.hasKey },
    { title: texts.stepCopy, text: texts.stepCopyText, isDone: props.hasKey },
    { title: texts.stepFirst, text: texts.stepFirstText, isDone: false },
  ];
  return (
    <Card title={texts.setup}>
      <p class="muted">{texts.setupText}</p>
      <ol class={styles["steps"]}>
        <For each={steps()}>
          {(step) => (
            <li>
              <div>
                <strong>{step.title}</strong>
                <div class="muted">{step.text}</div>
              </div>
              <Status tone={step.isDone ? "ok" : "neutral"}>{step.isDone ? texts.done : texts.open}</Status>
            </li>
          )}
        </For>
      </ol>
      <div class="form-actions">
        <Show when={offersBilling()}>
          <a class="button" data-variant="primary" href="/console/billing/">
            {texts.toBilling}
          </a>
        </Show>
        <a
          class="button"
          data-variant={offersBilling() ? undefined : "primary"}
          href={props.hasKey ? "/console/keys/" : "/console/keys/?create=1"}
        >
          {props.hasKey ? texts.toKeys : texts.createKey}
        </a>
      </div>
    </Card>
  );
}
