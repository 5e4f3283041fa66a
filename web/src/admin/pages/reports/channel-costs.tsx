import { byPrice, pricedUnits } from "@sluice/contracts/priced-units";
import type { channelCostEntry } from "@sluice/contracts/reports";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Match, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { utcDay } from "../../../i18n/days.ts";
import { Card } from "../../../kit/card.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { TextField } from "../../../kit/field.tsx";
import { EmptyState, ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { formats } from "../../formats.ts";
import { ActButton } from "../../parts/act-button.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { orAbsent, orNull, wholeOrNull } from "../../parts/field-values.ts";
import { AdminForm, FieldRow } from "../../parts/form-parts.tsx";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { t } from "../../translate.ts";
import { priceLabels, unpricedText } from "../../unit-texts.ts";

type Cost = ResponseOf<typeof channelCostEntry>;

const path = "/backend/admin/channel-cost/list/";

const columns = [
  { label: t("Channel"), cell: (cost: Cost) => `${cost.channel_name} (${cost.channel_id})` },
  { label: t("Model"), cell: (cost: Cost) => <code>{cost.model}</code> },
  { label: t("From day (UTC)"), cell: (cost: Cost) => cost.valid_from },
  {
    label: priceLabels.input_usd_per_m,
    cell: (cost: Cost) => formats.usd(cost.input_usd_per_m),
    align: "end" as const,
  },
  {
    label: priceLabels.output_usd_per_m,
    cell: (cost: Cost) => formats.usd(cost.output_usd_per_m),
    align: "end" as const,
  },
  { label: priceLabels.request_usd, cell: (cost: Cost) => formats.usd(cost.request_usd), align: "end" as const },
];

/** Provider prices by channel and model: without them there is no margin. */
export function ChannelCosts(): JSX.Element {
  const [isOpen, setIsOpen] = createSignal(false);
  const query = createQuery(() => ({
    queryKey: [path],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      // The list is declared at its endpoint; its row type comes from the contract.
      apiGet(path, { signal }) as Promise<{ readonly costs: readonly Cost[] }>,
  }));
  return (
    <Card
      title={t("Provider prices")}
      actions={
        <ActButton operation="/backend/admin/channel-cost/save/" onClick={() => setIsOpen(true)}>
          {t("Add price")}
        </ActButton>
      }
    >
      <Switch
        fallback={
          <EmptyState title={t("No provider prices yet")}>
            {t("Enter what a provider charges for a model; margins are calculated from the day you choose.")}
          </EmptyState>
        }
      >
        <Match when={query.isPending}>
          <LoadingPart />
        </Match>
        <Match when={query.isError}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={(query.data?.costs.length ?? 0) > 0}>
          <SimpleTable label={t("Provider prices")} rows={query.data?.costs ?? []} columns={columns} />
        </Match>
      </Switch>
      <Dialog isOpen={isOpen()} onClose={() => setIsOpen(false)} title={t("Add a provider price")}>
        <CostForm onDone={() => setIsOpen(false)} />
      </Dialog>
    </Card>
  );
}

/** Converts the text of a price field to the value that is sent when it is empty. */
const sent = { refused: (text: string) => text.trim(), free: orAbsent, as_whole: orNull };

function CostForm(props: { readonly onDone: () => void }): JSX.Element {
  const refresh = useRefresh(path, "/backend/admin/report/margin/");
  const form = createForm({
    initial: {
      channel_id: "",
      model: "",
      valid_from: utcDay(Date.now()),
      ...byPrice({ refused: "", free: "", as_whole: "" }),
    },
    body: (values) => ({
      channel_id: wholeOrNull(values.channel_id),
      model: values.model.trim(),
      valid_from: values.valid_from,
      ...Object.fromEntries(pricedUnits.map(({ price, unpriced }) => [price, sent[unpriced](values[price])])),
    }),
    submit: async (values, body) => {
      await apiPost("/backend/admin/channel-cost/save/", body);
      showToast(t("Price of {model} saved", { model: values.model }));
      await refresh();
      props.onDone();
    },
  });
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/channel-cost/save/"
      action={t("Save price")}
      onCancel={props.onDone}
    >
      <FieldRow>
        <TextField label={t("Channel ID")} inputmode="numeric" {...form.text("channel_id")} />
        <TextField label={t("Model")} spellcheck={false} {...form.text("model")} />
        <TextField label={t("From day (UTC)")} type="date" {...form.text("valid_from")} />
      </FieldRow>
      <FieldRow>
        <For each={pricedUnits}>
          {(unit) => (
            <TextField
              label={priceLabels[unit.price]}
              inputmode="decimal"
              optional={unpricedText(unit) ?? undefined}
              {...form.text(unit.price)}
            />
          )}
        </For>
      </FieldRow>
    </AdminForm>
  );
}
