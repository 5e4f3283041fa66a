import type { abilityList } from "@sluice/contracts/admin-lists/gateway";
import type { RowOf } from "@sluice/contracts/lists";
import { createSignal, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Facts } from "../../../kit/card.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Checkbox, TextField } from "../../../kit/field.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { Status } from "../../../kit/status.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { formats } from "../../formats.ts";
import { ActButton } from "../../parts/act-button.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { orAbsent, wholeOrNull } from "../../parts/field-values.ts";
import { AdminForm, FieldRow, ReasonField } from "../../parts/form-parts.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownMoment } from "../../shown.ts";
import { t } from "../../translate.ts";

type Ability = RowOf<typeof abilityList>;

const path = "/backend/admin/ability/";

const columns: readonly Column<Ability>[] = [
  { id: "model", label: t("Model"), cell: (row) => <code>{row.model}</code>, card: "title", isSortable: true },
  { id: "group_name", label: t("Group"), cell: (row) => row.group_name },
  { id: "channel_id", label: t("Channel"), cell: (row) => row.channel_name, isSortable: true },
  { id: "channel_status", label: t("Channel status"), cell: (row) => <StateWord state={row.channel_status} /> },
  {
    id: "is_enabled",
    label: t("Enabled"),
    cell: (row) => <Status tone={row.is_enabled ? "ok" : "neutral"}>{row.is_enabled ? t("yes") : t("no")}</Status>,
    card: "badge",
  },
  { id: "place", label: t("Priority"), cell: (row) => formats.number(row.priority), align: "end", isSortable: true },
  { id: "weight", label: t("Weight"), cell: (row) => formats.number(row.weight), align: "end" },
];

/** Which channel serves which model for which group: by priority, and by weight among equals. */
export function Abilities(): JSX.Element {
  const state = createTableState({ filters: ["model", "group_name", "channel_id"] });
  const list = createListQuery<Ability>({ path, state });
  const [edited, setEdited] = createSignal<{ readonly ability: Ability | null } | null>(null);
  const close = (): void => {
    setEdited(null);
  };
  return (
    <>
      <DataTable
        {...list}
        name="admin-abilities"
        label={t("Abilities")}
        columns={columns}
        state={state}
        rowId={(row) => `${row.group_name}/${row.model}/${row.channel_id}`}
        filters={[
          { id: "model", label: t("Model"), isSearch: true },
          { id: "group_name", label: t("Group"), isSearch: true },
          { id: "channel_id", label: t("Channel ID"), isSearch: true },
        ]}
        actions={
          <ActButton
            operation="/backend/admin/ability/save/"
            variant="primary"
            onClick={() => setEdited({ ability: null })}
          >
            <Icon name="plus" />
            {t("Add ability")}
          </ActButton>
        }
        empty={{
          title: t("No channel serves a model"),
          text: t("Calls for a model go to the channels listed here."),
        }}
        panel={{
          title: (row) => `${row.model}, ${row.channel_name}`,
          content: (row) => (
            <>
              <div class="button-row">
                <ActButton
                  operation="/backend/admin/ability/save/"
                  variant="primary"
                  onClick={() => setEdited({ ability: row })}
                >
                  {t("Edit")}
                </ActButton>
              </div>
              <Facts
                facts={[
                  { name: t("Group"), value: row.group_name },
                  { name: t("Channel"), value: `${row.channel_name} (${row.channel_id})` },
                  { name: t("Enabled"), value: row.is_enabled ? t("yes") : t("no") },
                  { name: t("Priority"), value: formats.number(row.priority) },
                  { name: t("Weight"), value: formats.number(row.weight) },
                  { name: t("Updated"), value: shownMoment(row.updated_at) },
                ]}
              />
            </>
          ),
        }}
      />
      <Dialog isOpen={edited() !== null} onClose={close} title={t("Ability")}>
        <Show when={edited()} keyed>
          {({ ability }) => <AbilityForm ability={ability} onDone={close} />}
        </Show>
      </Dialog>
    </>
  );
}

function AbilityForm(props: { readonly ability: Ability | null; readonly onDone: () => void }): JSX.Element {
  const { ability } = props;
  const refresh = useRefresh(path, "/backend/admin/model/", "/backend/admin/channel/");
  const form = createForm({
    initial: {
      group_name: ability?.group_name ?? "default",
      model: ability?.model ?? "",
      channel_id: ability === null ? "" : String(ability.channel_id),
      is_enabled: ability?.is_enabled ?? true,
      priority: String(ability?.priority ?? 0),
      weight: String(ability?.weight ?? 1),
      reason: "",
    },
    body: (values) => ({
      group_name: values.group_name.trim(),
      model: values.model.trim(),
      channel_id: values.channel_id.trim(),
      is_enabled: values.is_enabled,
      priority: wholeOrNull(values.priority) ?? undefined,
      weight: wholeOrNull(values.weight) ?? undefined,
      reason: orAbsent(values.reason),
    }),
    submit: async (_, body) => {
      await apiPost(`${path}save/`, body);
      await refresh();
      showToast(t("Saved. It applies now."));
      props.onDone();
    },
  });
  return (
    <AdminForm form={form} operation="/backend/admin/ability/save/" action={t("Save")} onCancel={props.onDone}>
      <FieldRow>
        <TextField label={t("Group")} autocomplete="off" disabled={ability !== null} {...form.text("group_name")} />
        <TextField label={t("Model")} autocomplete="off" disabled={ability !== null} {...form.text("model")} />
        <TextField
          label={t("Channel ID")}
          inputmode="numeric"
          autocomplete="off"
          disabled={ability !== null}
          {...form.text("channel_id")}
        />
      </FieldRow>
      <Checkbox label={t("Enabled")} hint={t("If off, no calls are sent this way.")} {...form.flag("is_enabled")} />
      <FieldRow>
        <TextField
          label={t("Priority")}
          hint={t("The lowest number goes first; 0 is the lowest.")}
          inputmode="numeric"
          autocomplete="off"
          {...form.text("priority")}
        />
        <TextField
          label={t("Weight")}
          hint={t("Relative to channels of the same priority.")}
          inputmode="numeric"
          autocomplete="off"
          {...form.text("weight")}
        />
      </FieldRow>
      <ReasonField form={form} isOptional />
    </AdminForm>
  );
}
