import { createUniqueId, type JSX, Show, splitProps } from "solid-js";
import "./field.css";

type FieldTexts = {
  readonly label: JSX.Element;
  readonly hint?: JSX.Element;
  /** What is wrong with the value; read out when it appears. */
  readonly error?: string | null | undefined;
  /** The note after the label of an optional field, such as "optional". */
  readonly optional?: string | undefined;
};

/** The attributes that tie label, hint and error to an input. */
type FieldControl = {
  readonly id: string;
  readonly "aria-invalid": "true" | undefined;
  readonly "aria-describedby": string | undefined;
};

/** Label, hint and error around a control of any kind, which gets the attributes that tie it to them. */
export function Field(props: FieldTexts & { readonly children: (control: FieldControl) => JSX.Element }): JSX.Element {
  const id = createUniqueId();
  const described = (): string | undefined => {
    const parts = [props.hint === undefined ? "" : `${id}-hint`, hasError() ? `${id}-error` : ""];
    return parts.filter((part) => part !== "").join(" ") || undefined;
  };
  const hasError = (): boolean => props.error !== undefined && props.error !== null;
  const control: FieldControl = {
    id,
    get "aria-invalid"() {
      return hasError() ? ("true" as const) : undefined;
    },
    get "aria-describedby"() {
      return described();
    },
  };
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {props.label}
        <Show when={props.optional}>
          <span class="field-optional"> ({props.optional})</span>
        </Show>
      </label>
      {props.children(control)}
      <Show when={props.hint !== undefined}>
        <span class="field-hint" id={`${id}-hint`}>
          {props.hint}
        </span>
      </Show>
      <span role="alert">
        <Show when={hasError()}>
          <span class="field-error" id={`${id}-error`}>
            {props.error}
          </span>
        </Show>
      </span>
    </div>
  );
}

const textKeys = ["label", "hint", "error", "optional"] as const;

/** A text field, of any `type` that an input has. */
export function TextField(props: FieldTexts & Omit<JSX.InputHTMLAttributes<HTMLInputElement>, "id">): JSX.Element {
  const [texts, rest] = splitProps(props, textKeys);
  return <Field {...texts}>{(control) => <input class="input" {...rest} {...control} />}</Field>;
}

/** A multi-line field. */
export function TextArea(props: FieldTexts & Omit<JSX.TextareaHTMLAttributes<HTMLTextAreaElement>, "id">): JSX.Element {
  const [texts, rest] = splitProps(props, textKeys);
  return <Field {...texts}>{(control) => <textarea class="input" {...rest} {...control} />}</Field>;
}

/**
 * A choice among few or many options. It is the browser's own list, which works on every device. The options are its
 * children.
 */
export function SelectField(props: FieldTexts & Omit<JSX.SelectHTMLAttributes<HTMLSelectElement>, "id">): JSX.Element {
  const [texts, rest] = splitProps(props, textKeys);
  return <Field {...texts}>{(control) => <select class="input" {...rest} {...control} />}</Field>;
}

type ChoiceProps = Omit<JSX.InputHTMLAttributes<HTMLInputElement>, "type"> & {
  readonly label: JSX.Element;
  readonly hint?: JSX.Element;
};

function Choice(props: ChoiceProps): JSX.Element {
  const id = createUniqueId();
  const [texts, rest] = splitProps(props, ["label", "hint"]);
  return (
    <label class="check" for={id}>
      <input type="checkbox" {...rest} id={id} aria-describedby={texts.hint === undefined ? undefined : `${id}-hint`} />
      <span>
        {texts.label}
        <Show when={texts.hint !== undefined}>
          <span class="field-hint check-hint" id={`${id}-hint`}>
            {texts.hint}
          </span>
        </Show>
      </span>
    </label>
  );
}

/** A checkbox that takes effect when a form is sent. */
export function Checkbox(props: ChoiceProps): JSX.Element {
  return <Choice {...props} />;
}

/** A switch that takes effect immediately, without sending a form. */
export function Switch(props: ChoiceProps): JSX.Element {
  return <Choice {...props} role="switch" />;
}
