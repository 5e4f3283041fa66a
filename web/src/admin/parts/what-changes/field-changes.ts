import { t } from "../../translate.ts";
import { shareBetween } from "./share-between.ts";

/** A change of a field, in the words that the form has for it. Null for a value that is not shown. */
export type FieldChange = {
  readonly label: string;
  readonly before: string | null;
  readonly after: string | null;
  /** By what share of it an amount or a multiplier changes; null for anything else. */
  readonly share: number | null;
};

type Values = Readonly<Record<string, unknown>>;

/** Fields that change nothing by themselves. */
const unchanging: ReadonlySet<string> = new Set(["reason", "word"]);
const shownLengthMax = 80;
const isAmount = /usd|quota|multiplier/;

/** What a visitor has changed in a form. Labels and options are read off its fields, so that they are said only there. */
export function fieldChanges(form: HTMLFormElement, before: Values, after: Values): FieldChange[] {
  return Object.keys(after)
    .filter((name) => !unchanging.has(name) && !isSame(before[name], after[name]))
    .map((name) => {
      const field = fieldOf(form, name);
      const shown = (value: unknown): string | null => (isSecret(field) ? null : textOf(field, value));
      return {
        label: labelOf(field, name),
        before: shown(before[name]),
        after: shown(after[name]),
        share: isAmount.test(name) ? shareBetween(before[name], after[name]) : null,
      };
    });
}

function isSame(one: unknown, other: unknown): boolean {
  return comparable(one) === comparable(other);
}

const comparable = (value: unknown): string =>
  typeof value === "string" ? value.trim() : (JSON.stringify(value) ?? "undefined");

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

function fieldOf(form: HTMLFormElement, name: string): Field | null {
  const found = form.elements.namedItem(name);
  const first = found instanceof RadioNodeList ? found[0] : found;
  return first instanceof HTMLInputElement || first instanceof HTMLSelectElement || first instanceof HTMLTextAreaElement
    ? first
    : null;
}

const isSecret = (field: Field | null): boolean => field instanceof HTMLInputElement && field.type === "password";

/** The label without its hint and its note; for a field that the form does not show, its name as words. */
function labelOf(field: Field | null, name: string): string {
  const label = field?.labels?.[0]?.cloneNode(true);
  if (label instanceof HTMLElement) {
    for (const each of label.querySelectorAll(".field-hint, .field-optional")) {
      each.remove();
    }
    return label.textContent.trim();
  }
  const words = name.replaceAll(/[_.]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function textOf(field: Field | null, value: unknown): string {
  if (typeof value === "boolean") {
    return value ? t("on") : t("off");
  }
  if (field instanceof HTMLSelectElement) {
    const option = [...field.options].find((each) => each.value === value);
    return option?.label ?? String(value);
  }
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) {
    return shortened(value.join(", "));
  }
  return typeof value === "object" && value !== null ? t("changed") : shortened(String(value ?? ""));
}

function shortened(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  if (line === "") {
    return t("empty");
  }
  return line.length > shownLengthMax ? `${line.slice(0, shownLengthMax)}…` : line;
}
