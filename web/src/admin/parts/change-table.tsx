import { type JSX, Show } from "solid-js";
import { t } from "../translate.ts";
import { JsonValue } from "./json-value.tsx";
import { SimpleTable } from "./simple-table.tsx";

type Change = { readonly name: string; readonly before: string; readonly after: string };

/** The changes of each field; values that are not objects are shown as recorded. */
export function ChangeTable(props: { readonly before: unknown; readonly after: unknown }): JSX.Element {
  const changes = (): readonly Change[] | null => changesOf(props.before, props.after);
  return (
    <Show
      when={changes()}
      fallback={
        <>
          <h3>{t("Before")}</h3>
          <JsonValue value={props.before} label={t("Before")} />
          <h3>{t("After")}</h3>
          <JsonValue value={props.after} label={t("After")} />
        </>
      }
    >
      {(rows) => (
        <Show when={rows().length > 0} fallback={<p class="muted">{t("No fields were changed.")}</p>}>
          <SimpleTable
            label={t("Changed fields")}
            rows={rows()}
            columns={[
              { label: t("Field"), cell: (row) => row.name },
              { label: t("Before"), cell: (row) => <bdi>{row.before}</bdi> },
              { label: t("After"), cell: (row) => <bdi>{row.after}</bdi> },
            ]}
          />
        </Show>
      )}
    </Show>
  );
}

/** The fields in which two records differ; null when one of them is not a record. */
export function changesOf(before: unknown, after: unknown): readonly Change[] | null {
  const [from, to] = [recordOf(before), recordOf(after)];
  if (from === null || to === null) {
    return null;
  }
  return [...new Set([...Object.keys(from), ...Object.keys(to)])]
    .map((name) => ({ name, before: textOf(from[name]), after: textOf(to[name]) }))
    .filter((change) => change.before !== change.after);
}

/** A new entry is treated as a record without fields. */
function recordOf(value: unknown): Readonly<Record<string, unknown>> | null {
  if (value === null || value === undefined) {
    return {};
  }
  return typeof value === "object" && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : null;
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) {
    return "–";
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}
