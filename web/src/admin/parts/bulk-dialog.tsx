import { type BulkActionName, bulkActions } from "@sluice/contracts/bulk-action-table";
import type { bulkPreviewResponse, bulkRunResponse } from "@sluice/contracts/bulk-actions";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery } from "@tanstack/solid-query";
import { createSignal, type JSX, Match, Show, Switch } from "solid-js";
import { apiPost } from "../../api/client.ts";
import { createForm } from "../../form/create-form.ts";
import { Button } from "../../kit/button.tsx";
import { TextField } from "../../kit/field.tsx";
import { ErrorState, LoadingPart, Notice } from "../../kit/states.tsx";
import { showToast } from "../../kit/toast.tsx";
import { rich, t } from "../translate.ts";
import { useRefresh } from "./actions.ts";
import { bulkTexts } from "./bulk-texts.ts";
import { AdminForm, ReasonField, reasonFault } from "./form-parts.tsx";
import { SimpleTable } from "./simple-table.tsx";

type Preview = ResponseOf<typeof bulkPreviewResponse>;
type Result = ResponseOf<typeof bulkRunResponse>;

const previewPath = "/backend/admin/bulk/preview/";
const runPath = "/backend/admin/bulk/run/";

/** Rows that were chosen, and the list that they are of. */
export type Chosen = { readonly path: string; readonly chosen: readonly string[]; readonly onDone: () => void };

type BulkProps = Chosen & {
  readonly name: BulkActionName;
  /** As they were when the dialog was opened. */
  readonly rows: readonly string[];
  /** Of a button of one row: it closes by itself once that row is done. */
  readonly isOfOne?: boolean;
  readonly onClose: () => void;
};

/** What will happen, the form, and what has happened. */
export function BulkDialog(props: BulkProps): JSX.Element {
  const [result, setResult] = createSignal<Result | null>(null);
  const query = createQuery(() => ({
    queryKey: [previewPath, props.name, props.rows],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiPost<typeof bulkPreviewResponse>(previewPath, { action: props.name, rows: props.rows }, { signal }),
    // What was true a moment ago is not a preview.
    ...{ staleTime: 0, gcTime: 0 },
  }));
  const finish = (): void => {
    props.onClose();
    props.onDone();
  };
  const show = (done: Result): void => {
    const [row] = done.rows;
    if (props.isOfOne === true && row?.outcome === "done") {
      showToast(t("{name}: {value}", { name: row.name, value: outcomeTexts.done }));
      finish();
    } else {
      setResult(() => done);
    }
  };
  return (
    <Switch fallback={<LoadingPart />}>
      <Match when={result()}>{(done) => <BulkResult result={done()} onClose={finish} />}</Match>
      <Match when={query.isError && query.data === undefined}>
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      </Match>
      <Match when={query.data}>{(preview) => <BulkForm {...props} preview={preview()} onResult={show} />}</Match>
    </Switch>
  );
}

const rowCount = (count: number): string => (count === 1 ? t("{count} row", { count }) : t("{count} rows", { count }));

function BulkForm(
  props: BulkProps & { readonly preview: Preview; readonly onResult: (result: Result) => void },
): JSX.Element {
  const refresh = useRefresh(props.path, `${props.path}list/`, "/backend/admin/audit/");
  const { label, effect, tone } = bulkTexts[props.name];
  const { operation, takesGroup } = bulkActions[props.name];
  const skipped = () => props.preview.rows.filter((row) => row.skipped_because !== null);
  const form = createForm({
    initial: { group_name: "", reason: "" },
    check: ({ group_name: group, reason }) => ({
      ...(takesGroup && group.trim() === "" ? { group_name: t("Choose a group.") } : {}),
      ...reasonFault(reason),
    }),
    submit: async ({ group_name: group, reason }) => {
      const done = await apiPost<typeof bulkRunResponse>(runPath, {
        ...{ action: props.name, rows: props.rows, reason: reason.trim() },
        ...(takesGroup ? { group_name: group.trim() } : {}),
      });
      await refresh();
      props.onResult(done);
    },
  });
  return (
    <div class="section-stack">
      <Notice tone={props.preview.changes === 0 ? "warn" : "info"}>
        <span>
          {rich("{changes} will be changed{skips}. {effect}", {
            changes: <strong>{rowCount(props.preview.changes)}</strong>,
            skips: props.preview.skips === 0 ? "" : t(", {skips} left alone", { skips: rowCount(props.preview.skips) }),
            effect: props.preview.changes === 0 ? "" : effect,
          })}
        </span>
      </Notice>
      <Show when={skipped().length > 0}>
        <SimpleTable
          label={t("Skipped")}
          rows={skipped()}
          columns={[
            { label: t("Skipped"), cell: (row) => row.name },
            { label: t("Because"), cell: (row) => row.skipped_because },
          ]}
        />
      </Show>
      <Show
        when={props.preview.changes > 0}
        fallback={
          <div class="dialog-actions">
            <Button onClick={() => props.onClose()}>{t("Close")}</Button>
          </div>
        }
      >
        <AdminForm
          form={form}
          operation={operation}
          action={t("{name}: {value}", { name: label, value: rowCount(props.preview.changes) })}
          tone={tone ?? "primary"}
          onCancel={props.onClose}
        >
          <Show when={takesGroup}>
            <TextField label={t("Group")} autocomplete="off" {...form.text("group_name")} />
          </Show>
          <ReasonField form={form} hint={t("Recorded in the audit log of each row.")} />
        </AdminForm>
      </Show>
    </div>
  );
}

const outcomeTexts: Readonly<Record<Result["rows"][number]["outcome"], string>> = {
  done: t("done"),
  waiting: t("waits for another super-admin"),
  skipped: t("left alone"),
  failed: t("refused"),
};

function BulkResult(props: { readonly result: Result; readonly onClose: () => void }): JSX.Element {
  const counts = () => props.result.counts;
  const others = () => props.result.rows.filter(({ outcome }) => outcome !== "done");
  const summary = (): string =>
    (["done", "waiting", "skipped", "failed"] as const)
      .filter((outcome) => counts()[outcome] > 0)
      .map((outcome) => `${counts()[outcome]} ${outcomeTexts[outcome]}`)
      .join(", ");
  return (
    <div class="section-stack">
      <Notice tone={counts().failed > 0 ? "bad" : "ok"}>
        <span role="status">{t("{summary}.", { summary: summary() })}</span>
      </Notice>
      <Show when={others().length > 0}>
        <SimpleTable
          label={t("Not changed")}
          rows={others()}
          columns={[
            { label: t("Row"), cell: (row) => row.name },
            { label: t("Outcome"), cell: (row) => outcomeTexts[row.outcome] },
            { label: t("Because"), cell: (row) => row.note ?? "" },
          ]}
        />
      </Show>
      <div class="dialog-actions">
        <Button variant="primary" onClick={() => props.onClose()}>
          {t("Close")}
        </Button>
      </div>
    </div>
  );
}
