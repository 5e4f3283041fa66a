import type { channelCostEntry } from "@sluice/contracts/reports";
import type { AnswerOf } from "@sluice/contracts/wire";
import { createQuery } from "@tanstack/solid-query";
import { createSignal, type JSX, Match, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { utcDay } from "../../../i18n/days.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { TextField } from "../../../kit/field.tsx";
import { EmptyState, ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { formats } from "../../formats.ts";
import { useRefresh } from "../../parts/actions.ts";
import { AdminForm, FieldRow, orAbsent, orNull, wholeOrNull } from "../../parts/form-parts.tsx";
import { SimpleTable } from "../../parts/simple-table.tsx";

type Cost = AnswerOf<typeof channelCostEntry>;

const path = "/backend/admin/channel-cost/list/";

const columns = [
  { label: "Channel", cell: (cost: Cost) => `${cost.channel_name} (${cost.channel_id})` },
  { label: "Model", cell: (cost: Cost) => <code>{cost.model}</code> },
  { label: "From day (UTC)", cell: (cost: Cost) => cost.valid_from },
  { label: "Input, USD per 1M", cell: (cost: Cost) => formats.usd(cost.input_usd_per_m), align: "end" as const },
  { label: "Output, USD per 1M", cell: (cost: Cost) => formats.usd(cost.output_usd_per_m), align: "end" as const },
  { label: "Per call, USD", cell: (cost: Cost) => formats.usd(cost.request_usd), align: "end" as const },
];

/** Provider prices by channel and model: without them there is no margin. */
export function ChannelCosts(): JSX.Element {
  const [isOpen, setIsOpen] = createSignal(false);
  const query = createQuery(() => ({
    queryKey: [path],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      // The list is written where its endpoint is; its rows are of the contract.
      apiGet(path, { signal }) as Promise<{ readonly costs: readonly Cost[] }>,
  }));
  return (
    <Card title="Provider prices" actions={<Button onClick={() => setIsOpen(true)}>Add price</Button>}>
      <Switch
        fallback={
          <EmptyState title="No provider prices yet">
            Enter what a provider charges for a model; margins are calculated from the day you choose.
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
          <SimpleTable label="Provider prices" rows={query.data?.costs ?? []} columns={columns} />
        </Match>
      </Switch>
      <Dialog isOpen={isOpen()} onClose={() => setIsOpen(false)} title="Add a provider price">
        <CostForm onDone={() => setIsOpen(false)} />
      </Dialog>
    </Card>
  );
}

function CostForm(props: { readonly onDone: () => void }): JSX.Element {
  const refresh = useRefresh(path, "/backend/admin/report/margin/");
  const form = createForm({
    initial: {
      channel_id: "",
      model: "",
      valid_from: utcDay(Date.now()),
      input_usd_per_m: "",
      output_usd_per_m: "",
      cache_read_usd_per_m: "",
      cache_write_usd_per_m: "",
      reasoning_usd_per_m: "",
      request_usd: "",
      image_usd: "",
      second_usd: "",
    },
    submit: async (values) => {
      await apiPost("/backend/admin/channel-cost/save/", {
        channel_id: wholeOrNull(values.channel_id),
        model: values.model.trim(),
        valid_from: values.valid_from,
        input_usd_per_m: values.input_usd_per_m.trim(),
        output_usd_per_m: values.output_usd_per_m.trim(),
        cache_read_usd_per_m: orNull(values.cache_read_usd_per_m),
        cache_write_usd_per_m: orNull(values.cache_write_usd_per_m),
        reasoning_usd_per_m: orNull(values.reasoning_usd_per_m),
        request_usd: orAbsent(values.request_usd),
        image_usd: orAbsent(values.image_usd),
        second_usd: orAbsent(values.second_usd),
      });
      showToast(`Price of ${values.model} saved`);
      await refresh();
      props.onDone();
    },
  });
  return (
    <AdminForm form={form} action="Save price" onCancel={props.onDone}>
      <FieldRow>
        <TextField label="Channel id" inputmode="numeric" {...form.text("channel_id")} />
        <TextField label="Model" spellcheck={false} {...form.text("model")} />
        <TextField label="From day (UTC)" type="date" {...form.text("valid_from")} />
      </FieldRow>
      <FieldRow>
        <TextField label="Input, USD per 1M" inputmode="decimal" {...form.text("input_usd_per_m")} />
        <TextField label="Output, USD per 1M" inputmode="decimal" {...form.text("output_usd_per_m")} />
      </FieldRow>
      <FieldRow>
        <TextField label="Cache read" optional="same as input" {...form.text("cache_read_usd_per_m")} />
        <TextField label="Cache write" optional="same as input" {...form.text("cache_write_usd_per_m")} />
        <TextField label="Reasoning" optional="same as output" {...form.text("reasoning_usd_per_m")} />
      </FieldRow>
      <FieldRow>
        <TextField label="Per call, USD" optional="0" {...form.text("request_usd")} />
        <TextField label="Per image, USD" optional="0" {...form.text("image_usd")} />
        <TextField label="Per second, USD" optional="0" {...form.text("second_usd")} />
      </FieldRow>
    </AdminForm>
  );
}
