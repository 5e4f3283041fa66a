import type { AdminOperation } from "@sluice/contracts/admin-rights";
import { createSignal, type JSX, lazy, Show, Suspense } from "solid-js";
import type { Form } from "../../form/create-form.ts";
import { Button } from "../../kit/button.tsx";
import { TextArea } from "../../kit/field.tsx";
import { ErrorState } from "../../kit/states.tsx";
import { t } from "../translate.ts";
import { createRefusal } from "./rights.tsx";
import type { PreviewedForm } from "./what-changes/what-changes.tsx";

const WhatChanges = lazy(async () => ({ default: (await import("./what-changes/what-changes.tsx")).WhatChanges }));

/** A form with its error above its fields, and what it would change and its buttons below them. */
export function AdminForm<Values extends Readonly<Record<string, unknown>>>(props: {
  readonly form: Form<Values>;
  /** The verb of the button, such as "Save plan". */
  readonly action: string;
  readonly tone?: "primary" | "danger";
  readonly onCancel?: () => void;
  /**
   * The operation: an admin without the right for it sees that, and no button; the others see what it would do. Null
   * for a form that changes only what is the admin's own, or that leads to a preview.
   */
  readonly operation: AdminOperation | null;
  readonly children: JSX.Element;
}): JSX.Element {
  const [element, setElement] = createSignal<HTMLFormElement>();
  const refusal = props.operation === null ? null : createRefusal(props.operation);
  return (
    <form class="form" onSubmit={props.form.onSubmit} noValidate ref={setElement} data-operation={props.operation}>
      <Show when={refusal?.isRefused()}>{refusal?.notice()}</Show>
      <Show when={props.form.problem()}>
        {(problem) => <ErrorState title={t("Nothing was changed")} error={problem()} />}
      </Show>
      {props.children}
      <Show when={refusal?.isRefused() === false && element()}>
        {(form) => <ChangesOf {...props} element={form()} />}
      </Show>
      <div class="form-actions">
        <Show when={refusal?.isRefused() !== true}>
          <Button type="submit" variant={props.tone ?? "primary"} isBusy={props.form.isSubmitting()}>
            {props.action}
          </Button>
        </Show>
        <Show when={props.onCancel}>{(cancel) => <Button onClick={() => cancel()()}>{t("Cancel")}</Button>}</Show>
      </div>
    </form>
  );
}

/** Loads what it takes to say it with the first change, or immediately if the form only asks for a reason. */
export function ChangesOf(props: {
  readonly form: PreviewedForm & Pick<Form<Readonly<Record<string, unknown>>>, "isChanged">;
  readonly operation: AdminOperation | null;
  readonly element: HTMLFormElement;
}): JSX.Element {
  const hasOnlyReason = (): boolean =>
    props.form.body !== null && Object.keys(props.form.values()).every((name) => name === "reason");
  const isWanted = (): boolean => props.form.isChanged() || hasOnlyReason();
  return (
    <Show when={isWanted() ? props.operation : null}>
      {(operation) => (
        <Suspense>
          <WhatChanges form={props.form} operation={operation()} element={props.element} />
        </Suspense>
      )}
    </Show>
  );
}

/** Fields that belong together, side by side if there is room. */
export function FieldRow(props: { readonly children: JSX.Element }): JSX.Element {
  return <div class="field-row">{props.children}</div>;
}

/** Why something is done. */
export function ReasonField(props: {
  readonly form: Pick<Form<{ readonly reason: string }>, "text">;
  readonly hint?: string;
  readonly isOptional?: boolean;
}): JSX.Element {
  return (
    <TextArea
      label={t("Reason")}
      hint={props.hint ?? t("Recorded in the audit log.")}
      optional={props.isOptional === true ? t("optional") : undefined}
      {...props.form.text("reason")}
    />
  );
}

/** What is wrong with a reason, for the check of a form. */
export const reasonFault = (reason: string): { readonly reason?: string } =>
  reason.trim().length < 3 ? { reason: t("Give a reason of at least three characters.") } : {};
