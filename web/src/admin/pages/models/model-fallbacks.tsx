import { fallbacksMax } from "@sluice/contracts/fallback-limits";
import { createSignal, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Card } from "../../../kit/card.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Checkbox, TextArea, TextField } from "../../../kit/field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { ActButton } from "../../parts/act-button.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { orAbsent } from "../../parts/field-values.ts";
import { AdminForm, ReasonField } from "../../parts/form-parts.tsx";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { dash } from "../../shown.ts";
import { rich, t } from "../../translate.ts";
import type { Model } from "./model.ts";

type Rule = Model["fallbacks"][number];

const operation = "/backend/admin/model/fallbacks/save/";
const groupOf = ({ group_name: group }: Rule): string => group ?? t("all others");

/** The models that may answer in place of this one, by group. */
export function ModelFallbacks(props: { readonly model: Model }): JSX.Element {
  const [edited, setEdited] = createSignal<Rule | "new" | null>(null);
  const columns = [
    { label: t("Group"), cell: (rule: Rule) => <bdi>{groupOf(rule)}</bdi> },
    { label: t("In this order"), cell: (rule: Rule) => <bdi>{rule.fallback_models.join(", ") || dash}</bdi> },
    { label: t("Long prompts"), cell: (rule: Rule) => <bdi>{rule.larger_model ?? dash}</bdi> },
    { label: t("For"), cell: (rule: Rule) => (rule.is_for_every_key ? t("every key") : t("keys that allow it")) },
    {
      label: t("Actions"),
      cell: (rule: Rule) => (
        <ActButton operation="/backend/admin/model/fallbacks/save/" onClick={() => setEdited(rule)}>
          {rich("Edit {rule}", { rule: groupOf(rule) })}
        </ActButton>
      ),
    },
  ];
  return (
    <Card title={t("Fallbacks")}>
      <p class="muted">
        {t(
          "Other models that answer, at their own price, once every channel of this one has failed. Each rule is for a group, or for all groups without their own.",
        )}
      </p>
      <Show when={props.model.fallbacks.length > 0} fallback={<p class="muted">{t("None: such calls fail.")}</p>}>
        <SimpleTable label={t("Fallbacks of the model")} rows={props.model.fallbacks} columns={columns} />
      </Show>
      <div class="button-row">
        <ActButton operation="/backend/admin/model/fallbacks/save/" onClick={() => setEdited("new")}>
          {t("Add fallbacks")}
        </ActButton>
      </div>
      <Dialog
        isOpen={edited() !== null}
        onClose={() => setEdited(null)}
        title={t("Fallbacks of {name}", { name: props.model.name })}
      >
        <Show when={edited()} keyed={true}>
          {(rule) => (
            <FallbackForm model={props.model.name} rule={rule === "new" ? null : rule} onDone={() => setEdited(null)} />
          )}
        </Show>
      </Dialog>
    </Card>
  );
}

function FallbackForm(props: {
  readonly model: string;
  readonly rule: Rule | null;
  readonly onDone: () => void;
}): JSX.Element {
  const { model, rule } = props;
  const refresh = useRefresh("/backend/admin/model/");
  const form = createForm({
    initial: {
      group_name: rule?.group_name ?? "",
      fallback_models: rule?.fallback_models.join("\n") ?? "",
      larger_model: rule?.larger_model ?? "",
      is_for_every_key: rule?.is_for_every_key ?? false,
      reason: "",
    },
    body: (values) => ({
      model,
      group_name: orAbsent(values.group_name.trim()) ?? null,
      fallback_models: values.fallback_models.split(/[\s,]+/).filter(Boolean),
      larger_model: orAbsent(values.larger_model.trim()) ?? null,
      is_for_every_key: values.is_for_every_key,
      reason: orAbsent(values.reason),
    }),
    submit: async (_, body) => {
      await apiPost(operation, body);
      showToast(t("The fallbacks were saved and apply now."));
      await refresh();
      props.onDone();
    },
  });
  return (
    <AdminForm form={form} operation={operation} action={t("Save fallbacks")} onCancel={props.onDone}>
      <TextField
        label={t("Group")}
        optional={t("all groups without their own")}
        spellcheck={false}
        autocomplete="off"
        disabled={rule !== null}
        {...form.text("group_name")}
      />
      <TextArea
        label={t("Models")}
        hint={t(
          "One per line, at most {fallbacksMax}, in the order in which they are tried. Leave both fields empty to remove the rule.",
          { fallbacksMax },
        )}
        spellcheck={false}
        {...form.text("fallback_models")}
      />
      <TextField
        label={t("Model for long prompts")}
        hint={t("Answers if the provider says that a prompt is too long for this model. It needs a larger context.")}
        optional={t("none")}
        spellcheck={false}
        autocomplete="off"
        {...form.text("larger_model")}
      />
      <Checkbox
        label={t("For every key")}
        hint={t(
          "Otherwise only for keys whose owners allow other models. Callers pay the price of the model that answers.",
        )}
        {...form.flag("is_for_every_key")}
      />
      <ReasonField form={form} isOptional />
    </AdminForm>
  );
}
