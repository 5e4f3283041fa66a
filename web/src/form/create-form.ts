import { type Accessor, createSignal } from "solid-js";
import { ApiError } from "../api/client.ts";

type FormOptions<Values extends Readonly<Record<string, unknown>>> = {
  readonly initial: Values;
  /** Errors found before sending, by field; the backend checks everything again. */
  readonly check?: (values: Values) => Partial<Record<keyof Values, string>>;
  /** What is sent. With it, a form can say what would happen before it is. */
  readonly body?: (values: Values) => Body;
  /** Sends the values, as `body` has made them; an `ApiError` with `fields` is shown at the fields. */
  readonly submit: (values: Values, body: Body) => Promise<void>;
};

type Body = Readonly<Record<string, unknown>>;

export type Form<Values extends Readonly<Record<string, unknown>>> = {
  readonly values: Accessor<Values>;
  /** The values before the changes of the visitor. */
  readonly initial: Accessor<Values>;
  /** What would be sent now; null for a form that does not say. */
  readonly body: (() => Body) | null;
  /** The faults that the form itself finds in its values now, by field. */
  readonly faults: () => Partial<Record<keyof Values, string>>;
  readonly set: <Name extends keyof Values>(name: Name, value: Values[Name]) => void;
  readonly reset: (values?: Values) => void;
  /** The attributes of a text field. */
  readonly text: (name: keyof Values & string) => {
    readonly name: string;
    readonly value: string;
    readonly error: string | null;
    readonly onInput: (event: { readonly currentTarget: { readonly value: string } }) => void;
  };
  /** The attributes of a checkbox or a switch. */
  readonly flag: (name: keyof Values & string) => {
    readonly name: string;
    readonly checked: boolean;
    readonly onChange: (event: { readonly currentTarget: { readonly checked: boolean } }) => void;
  };
  readonly errorOf: (name: keyof Values) => string | null;
  /** Shows an error of something that is not sent by the form itself at its fields. @returns whether it is at fields alone */
  readonly showAtFields: (fields: Readonly<Record<string, string>>) => boolean;
  /** An error that belongs to no field, or null. */
  readonly problem: Accessor<Error | null>;
  readonly isSubmitting: Accessor<boolean>;
  readonly isChanged: Accessor<boolean>;
  readonly onSubmit: (event: SubmitEvent) => void;
};

/**
 * The state of a form. It is sent once at a time; the input stays after a failure, including an expired session; the
 * first invalid field gets the focus.
 */
export function createForm<Values extends Readonly<Record<string, unknown>>>(
  options: FormOptions<Values>,
): Form<Values> {
  const [values, setValues] = createSignal<Values>(options.initial);
  const [initial, setInitial] = createSignal<Values>(options.initial);
  const [errors, setErrors] = createSignal<Partial<Record<keyof Values, string>>>({});
  const [problem, setProblem] = createSignal<Error | null>(null);
  const [isSubmitting, setIsSubmitting] = createSignal(false);
  const [isChanged, setIsChanged] = createSignal(false);
  const set: Form<Values>["set"] = (name, value) => {
    setValues((all) => ({ ...all, [name]: value }));
    setErrors((all) => ({ ...all, [name]: undefined }));
    setIsChanged(true);
  };
  const errorOf = (name: keyof Values): string | null => errors()[name] ?? null;
  const showAtFields = (fields: Readonly<Record<string, string>>): boolean => {
    const known = Object.entries(fields).flatMap(([path, text]) => {
      const name = fieldOf(path, values());
      return name === null ? [] : [[name, text] as const];
    });
    setErrors(() => Object.fromEntries(known) as Partial<Record<keyof Values, string>>);
    return known.length > 0 && known.length === Object.keys(fields).length;
  };
  const showFailure = (error: unknown): void => {
    const isAtFields = showAtFields(error instanceof ApiError ? error.fields : {});
    // An error of a field that the form does not show is shown for the whole form, or it would be lost.
    setProblem(isAtFields ? null : toError(error));
  };
  const faults = (): Partial<Record<keyof Values, string>> => options.check?.(values()) ?? {};
  const makeBody = (): Body => options.body?.(values()) ?? {};
  const send = async (form: HTMLFormElement | null): Promise<void> => {
    const wrong = faults();
    setErrors(() => wrong);
    setProblem(null);
    if (Object.values(wrong).every((text) => text === undefined)) {
      setIsSubmitting(true);
      try {
        await options.submit(values(), makeBody());
        setInitial(() => values());
        setIsChanged(false);
      } catch (error) {
        showFailure(error);
      } finally {
        setIsSubmitting(false);
      }
    }
    queueMicrotask(() => form?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
  };
  return {
    values,
    initial,
    body: options.body === undefined ? null : makeBody,
    faults,
    set,
    reset: (next = options.initial) => {
      setValues(() => next);
      setInitial(() => next);
      setErrors({});
      setProblem(null);
      setIsChanged(false);
    },
    ...attributesOf({ values, set, errorOf }),
    errorOf,
    showAtFields: (fields) => {
      const isAtFields = showAtFields(fields);
      queueMicrotask(() => document.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
      return isAtFields;
    },
    problem,
    isSubmitting,
    isChanged,
    onSubmit: (event) => {
      event.preventDefault();
      if (!isSubmitting()) {
        void send(event.currentTarget instanceof HTMLFormElement ? event.currentTarget : null);
      }
    },
  };
}

/** The attributes of the controls. */
function attributesOf<Values extends Readonly<Record<string, unknown>>>({
  values,
  set,
  errorOf,
}: Pick<Form<Values>, "values" | "set" | "errorOf">): Pick<Form<Values>, "text" | "flag"> {
  return {
    text: (name) => ({
      name,
      get value() {
        return String(values()[name] ?? "");
      },
      get error() {
        return errorOf(name);
      },
      onInput: (event) => set(name, event.currentTarget.value as Values[typeof name]),
    }),
    flag: (name) => ({
      name,
      get checked() {
        return values()[name] === true;
      },
      onChange: (event) => set(name, event.currentTarget.checked as Values[typeof name]),
    }),
  };
}

/** The field of a form that shows what is at a path of the input: the path itself, or the nearest part around it. */
function fieldOf(path: string, values: Readonly<Record<string, unknown>>): string | null {
  for (let name = path; name !== ""; name = name.slice(0, Math.max(0, name.lastIndexOf(".")))) {
    if (Object.hasOwn(values, name)) {
      return name;
    }
  }
  return null;
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
