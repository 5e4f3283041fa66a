import type { messagesModelListResponse, messagesModelResponse } from "@sluice/contracts/messages-models";
import type { ResponseOf } from "@sluice/contracts/wire";
import type { JSX } from "solid-js";
import { ApiError, apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Checkbox, TextArea, TextField } from "../../../kit/field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { AdminForm, FieldRow } from "../../parts/form-parts.tsx";
import { t } from "../../translate.ts";

export type MapEntry = ResponseOf<typeof messagesModelListResponse>["models"][number];

export const mapListPath = "/backend/admin/anthropic/model-map/list/";

function flagsOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text.trim() === "" ? "{}" : text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** Changes a name of the map as it was loaded, or adds one. */
export function MapForm(props: { readonly entry: MapEntry | null; readonly onDone: () => void }): JSX.Element {
  const { entry } = props;
  const refresh = useRefresh(mapListPath, "/backend/admin/model/", "/backend/admin/model/explain/");
  const initial = {
    name: entry?.name ?? "",
    display_name: entry?.display_name ?? "",
    upstream_model: entry?.upstream_model ?? "",
    flags: entry === null ? "{}" : JSON.stringify(entry.flags, null, 2),
    released_at: entry?.released_at ?? "",
    is_enabled: entry?.is_enabled ?? true,
  };
  const form = createForm({
    initial,
    check: (values) => (flagsOf(values.flags) === null ? { flags: t("This is not a JSON object.") } : {}),
    body: (values) => ({
      ...values,
      name: values.name.trim(),
      upstream_model: values.upstream_model.trim(),
      released_at: values.released_at.trim(),
      flags: flagsOf(values.flags),
      version: entry?.version ?? 0,
    }),
    submit: async (_, body) => {
      try {
        await apiPost<typeof messagesModelResponse>("/backend/admin/anthropic/model-map/save/", body);
      } catch (error) {
        throw atFlags(error);
      }
      await refresh();
      showToast(t("The map was saved and applies now."));
      props.onDone();
    },
  });
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/anthropic/model-map/save/"
      action={entry === null ? t("Add name") : t("Save name")}
      onCancel={props.onDone}
    >
      <FieldRow>
        <TextField label={t("Name clients use")} autocomplete="off" disabled={entry !== null} {...form.text("name")} />
        <TextField label={t("Display name")} autocomplete="off" {...form.text("display_name")} />
      </FieldRow>
      <FieldRow>
        <TextField
          label={t("Model")}
          hint={t("The name of a model in the catalog.")}
          autocomplete="off"
          {...form.text("upstream_model")}
        />
        <TextField
          label={t("Release date")}
          hint={t("Like 2026-05-01T00:00:00Z; clients sort by it.")}
          autocomplete="off"
          {...form.text("released_at")}
        />
      </FieldRow>
      <Checkbox label={t("Enabled")} hint={t("If off, clients do not see the name.")} {...form.flag("is_enabled")} />
      <TextArea
        label={t("Flags")}
        hint={t("A JSON object of the flags that differ from the default, like {example}.", {
          example: '{"vision": true}',
        })}
        spellcheck={false}
        rows={6}
        {...form.text("flags")}
      />
    </AdminForm>
  );
}

/** An error of one flag (`flags.vision`) is shown at the field for all of them. */
function atFlags(error: unknown): unknown {
  if (!(error instanceof ApiError)) {
    return error;
  }
  const inFlags = Object.entries(error.fields).filter(([name]) => name.startsWith("flags."));
  if (inFlags.length === 0) {
    return error;
  }
  const rest = Object.entries(error.fields).filter(([name]) => !name.startsWith("flags."));
  const text = inFlags.map(([name, reason]) => `${name.slice("flags.".length)}: ${reason}`).join("; ");
  const { code, message, status, requestId, retryAfterSeconds } = error;
  return new ApiError({
    ...{ code, message, status, requestId, retryAfterSeconds },
    fields: { ...Object.fromEntries(rest), flags: text },
  });
}
