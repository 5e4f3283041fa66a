import type { AdminOperation } from "@sluice/contracts/admin-rights";
import type { changePreviewResponse } from "@sluice/contracts/change-preview";
import { type PreviewedOperation, previewedOperations } from "@sluice/contracts/previewed-operations";
import { createEffect, createMemo, createSignal, For, type JSX, onCleanup, Show } from "solid-js";
import { apiPost, newIdempotencyKey } from "../../../api/client.ts";
import type { Form } from "../../../form/create-form.ts";
import { Notice } from "../../../kit/states.tsx";
import { formats } from "../../formats.ts";
import { rich, t } from "../../translate.ts";
import { failureText } from "../actions.ts";
import { consequenceTexts, type Preview, priceEffectTexts, whenOf } from "./effect-texts.ts";
import { fieldChanges } from "./field-changes.ts";
import styles from "./what-changes.module.css";

/** As long as somebody types, nothing is asked. */
const quietMs = 350;

export type PreviewedForm = Pick<Form<Readonly<Record<string, unknown>>>, "values" | "initial" | "body" | "faults">;

type Props = {
  readonly form: PreviewedForm;
  readonly operation: AdminOperation;
  readonly element: HTMLFormElement;
};

/** What a form would change, from its own fields; whom that affects and when, as the server finds out by a rehearsal. */
export function WhatChanges(props: Props): JSX.Element {
  const changes = createMemo(() => fieldChanges(props.element, props.form.initial(), props.form.values()));
  const { preview, failure } = createPreview(props);
  const isRefused = (): string | null => {
    const problem = preview()?.problem ?? null;
    // Faults of fields are shown at the fields, once the form is sent.
    return problem === null || Object.keys(problem.fields).length > 0 ? null : problem.message;
  };
  const isShown = (): boolean => changes().length > 0 || preview() !== null || failure() !== null;
  return (
    <Show when={isShown()}>
      <section class={styles["changes"]} aria-label={t("What changes")} aria-live="polite">
        <Show when={changes().length > 0}>
          <h3>{t("What changes")}</h3>
          <dl>
            <For each={changes()}>
              {({ label, before, after, share }) => (
                <div>
                  <dt>{label}</dt>
                  <dd>
                    <Show when={after !== null} fallback={t("another one, which is not shown")}>
                      <bdi>{before}</bdi> → <bdi>{after}</bdi>
                      {share === null ? "" : ` (${share > 0 ? "+" : ""}${formats.percent(share)})`}
                    </Show>
                  </dd>
                </div>
              )}
            </For>
          </dl>
        </Show>
        <Show when={isRefused()}>
          {(why) => <Notice tone="warn">{rich("This would be refused: {why}", { why: why() })}</Notice>}
        </Show>
        <Show when={preview()?.changes === true ? preview() : null}>
          {(found) => (
            <Effect
              preview={found()}
              operation={props.operation as PreviewedOperation}
              sent={props.form.body?.() ?? {}}
            />
          )}
        </Show>
        <Show when={failure()}>
          {(why) => <p class="muted">{rich("Who is affected is not known: {why}", { why: why() })}</p>}
        </Show>
      </section>
    </Show>
  );
}

type EffectProps = {
  readonly preview: Preview;
  readonly operation: PreviewedOperation;
  readonly sent: Readonly<Record<string, unknown>>;
};

function Effect(props: EffectProps): JSX.Element {
  return (
    <>
      <h3>{t("What that means")}</h3>
      <ul>
        <For each={priceEffectTexts(props.preview.price_effect)}>{(text) => <li>{text}</li>}</For>
        <For each={consequenceTexts(props.preview.consequences)}>{(text) => <li>{text}</li>}</For>
        <For each={whenOf(props.operation, props.sent)}>{(text) => <li>{text}</li>}</For>
      </ul>
      <Show when={props.preview.waits}>
        <Notice tone="warn">{t("This waits until another super-admin has approved it.")}</Notice>
      </Show>
    </>
  );
}

const isPreviewed = (operation: AdminOperation): operation is PreviewedOperation =>
  (previewedOperations as readonly string[]).includes(operation);

/** The server's preview of what the form would send; null while the form is not complete. */
function createPreview({ form, operation }: Props) {
  const [preview, setPreview] = createSignal<Preview | null>(null);
  const [failure, setFailure] = createSignal<string | null>(null);
  const wanted = createMemo((): string | null => {
    const { reason: _, ...faults } = form.faults() as Partial<Record<string, string>>;
    const isComplete = Object.values(faults).every((text) => text === undefined);
    return form.body !== null && isPreviewed(operation) && isComplete ? JSON.stringify(withReason(form.body())) : null;
  });
  const ask = async (input: string, signal: AbortSignal): Promise<void> => {
    try {
      const body = { operation, input: JSON.parse(input) as Record<string, unknown> };
      const options = { signal, idempotencyKey: newIdempotencyKey() };
      setPreview(await apiPost<typeof changePreviewResponse>("/backend/admin/change/preview/", body, options));
      setFailure(null);
    } catch (error) {
      if (!signal.aborted) {
        setPreview(null);
        setFailure(failureText(error));
      }
    }
  };
  createEffect(() => {
    const input = wanted();
    if (input === null) {
      setPreview(null);
      return;
    }
    const abort = new AbortController();
    const timer = setTimeout(() => void ask(input, abort.signal), quietMs);
    onCleanup(() => {
      clearTimeout(timer);
      abort.abort();
    });
  });
  return { preview, failure };
}

/** A reason changes nothing, and is often the last that is typed. */
function withReason(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return "reason" in body ? { ...body, reason: t("only a preview") } : body;
}
