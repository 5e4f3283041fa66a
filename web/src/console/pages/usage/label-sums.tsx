import type { usageLabelsResponse, usageLabelsSaveInput } from "@sluice/contracts/usage";
import { usageLabelsMax } from "@sluice/contracts/usage-label-limits";
import { useLocation } from "@solidjs/router";
import { createMutation, createQuery, useQueryClient } from "@tanstack/solid-query";
import { type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { fill } from "../../../i18n/messages.ts";
import { Switch as SwitchField } from "../../../kit/field.tsx";
import { ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { acting } from "../../acting-for.ts";
import { formats } from "../../formats.ts";
import type { Sums } from "../../parts/queries.ts";
import { usageArea } from "./messages/messages.ts";
import { type Part, SumTable } from "./sum-table.tsx";
import styles from "./usage.module.css";

const path = "/backend/usage/labels/";

/** What calls name; each is a filter of the same name. */
export type LabelKind = "end_user" | "tag";

type LabelSumsProps = {
  readonly kind: LabelKind;
  readonly label: string;
  readonly column: string;
  readonly filter: () => Readonly<Record<string, string>>;
  readonly total: Sums;
};

/** The sums by end user or by tag, and whether these are kept at all. */
export function LabelSums(props: LabelSumsProps): JSX.Element {
  const texts = usageArea.texts();
  const location = useLocation();
  const query = createQuery(() => ({
    queryKey: [path, props.filter()],
    queryFn: ({ signal }) => apiGet<typeof usageLabelsResponse>(path, { signal, query: props.filter() }),
  }));
  const parts = (): readonly Part[] => {
    const { by_end_user = [], by_tag = [] } = query.data ?? {};
    const named =
      props.kind === "tag"
        ? by_tag.map((sums) => ({ name: sums.tag, sums }))
        : by_end_user.map((sums) => ({ name: sums.end_user, sums }));
    return named.map((part) => ({ ...part, href: hrefOf(part.name) }));
  };
  const hrefOf = (name: string): string => {
    const search = new URLSearchParams(location.search);
    for (const gone of ["cursor", "open"]) {
      search.delete(gone);
    }
    search.set(props.kind, name);
    return `/console/usage/?${search}`;
  };
  return (
    <Switch fallback={<LoadingPart size="card" />}>
      <Match when={query.isError && query.data === undefined}>
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      </Match>
      <Match when={query.data}>
        {(data) => (
          <div class={styles["labels"]}>
            <Show when={parts().length > 0} fallback={<p class="muted">{texts.noLabels}</p>}>
              <SumTable label={props.label} column={props.column} parts={parts()} total={props.total} />
              <Show when={props.kind === "tag"}>
                <p class="muted">{texts.labelsNote}</p>
              </Show>
              <Show when={parts().length === usageLabelsMax && data().has_more}>
                <p class="muted">{fill(texts.labelsMore, { count: formats.number(usageLabelsMax) })}</p>
              </Show>
            </Show>
            <KeepSwitch areKept={data().are_kept} />
          </div>
        )}
      </Match>
    </Switch>
  );
}

/** Of the whole account: in an organisation, the owners decide. */
function KeepSwitch(props: { readonly areKept: boolean }): JSX.Element {
  const texts = usageArea.texts();
  const client = useQueryClient();
  const save = createMutation(() => ({
    mutationFn: (areKept: boolean) => apiPost<typeof usageLabelsSaveInput>(`${path}save/`, { are_kept: areKept }),
    onSuccess: () => showToast(texts.labelsSaved),
    // After a failure, the switch shows again what is true.
    onSettled: () => client.invalidateQueries({ queryKey: [path] }),
  }));
  return (
    <Show when={acting === null || acting.role === "owner"}>
      <Show when={save.error}>{(error) => <ErrorState error={error()} />}</Show>
      <SwitchField
        label={texts.keepLabels}
        checked={props.areKept}
        disabled={save.isPending}
        onChange={(event) => save.mutate(event.currentTarget.checked)}
      />
    </Show>
  );
}
