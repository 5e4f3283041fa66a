import type { AdminOperation } from "@sluice/contracts/admin-rights";
import { type JSX, Show } from "solid-js";
import type { Form } from "../../form/create-form.ts";
import { Button } from "../../kit/button.tsx";
import { TextArea } from "../../kit/field.tsx";
import { ErrorState } from "../../kit/states.tsx";
import { createRefusal } from "./rights.tsx";

/** A form with its error above its fields and its buttons below them. */
export function AdminForm<Values extends Readonly<Record<string, unknown>>>(props: {
  readonly form: Form<Values>;
  /** The verb of the button, such as "Save plan". */
  readonly action: string;
  readonly tone?: "primary" | "danger";
  readonly onCancel?: () => void;
  /** The operation; an admin without the right for it sees that, and can't submit. */
  readonly operation?: AdminOperation;
  readonly children: JSX.Element;
}): JSX.Element {
  const refusal = props.operation === undefined ? null : createRefusal(props.operation);
  return (
    <form class="form" onSubmit={props.form.onSubmit} noValidate>
      <Show when={refusal?.isRefused()}>{refusal?.notice()}</Show>
      <Show when={props.form.problem()}>
        {(problem) => <ErrorState title="Nothing was changed" error={problem()} />}
      </Show>
      {props.children}
      <div class="form-actions">
        <Button
          type="submit"
          variant={props.tone ?? "primary"}
          isBusy={props.form.isSubmitting()}
          disabled={refusal?.isRefused() === true}
        >
          {props.action}
        </Button>
        <Show when={props.onCancel}>{(cancel) => <Button onClick={() => cancel()()}>Cancel</Button>}</Show>
      </div>
    </form>
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
      label="Reason"
      hint={props.hint ?? "Recorded in the audit log."}
      optional={props.isOptional === true ? "optional" : undefined}
      {...props.form.text("reason")}
    />
  );
}

/** What is wrong with a reason, for the check of a form. */
export const reasonFault = (reason: string): { readonly reason?: string } =>
  reason.trim().length < 3 ? { reason: "Give a reason of at least three characters." } : {};
