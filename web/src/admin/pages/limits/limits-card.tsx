import type { LimitName } from "@sluice/contracts/account-limits";
import { createSignal, type JSX, Match, Show, Switch } from "solid-js";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { latePart } from "../../../shell/loaded-page.tsx";
import { formats } from "../../formats.ts";
import { IfAllowed, IfReads } from "../../parts/rights.tsx";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { known, t } from "../../translate.ts";
import {
  createLimitsQuery,
  type ExplainedLimits,
  explainLimitsPath,
  isSpend,
  type LimitsOf,
  limitLabels,
  limitNames,
} from "./limits.ts";
import type { LimitsScope } from "./limits-form.tsx";

const LimitsForm = latePart(async () => (await import("./limits-form.tsx")).LimitsForm);

const sourceNames: Readonly<Record<keyof ExplainedLimits["by_source"], string>> = {
  default: t("default"),
  group: t("group"),
  plan: t("plan"),
  user: t("user"),
  key: t("key"),
};

/** An organisation has an account as a user does. */
const sourceOf = ({ scope }: LimitsScope) => (scope === "organisation" ? "user" : scope);

const amount = (name: LimitName, value: number): string =>
  isSpend(name) ? formats.quota(value) : formats.number(value);
const shownLimit = (name: LimitName, value: number | null | undefined): string =>
  value == null ? "–" : amount(name, value);

type Shown = {
  readonly of: LimitsOf;
  /** The scope that is changed here; null for none. */
  readonly edited: LimitsScope | null;
};

/** The limits that calls meet, where each is set, and a way to change those of one scope, for admins who may read it. */
export function LimitsCard(props: Shown): JSX.Element {
  return (
    <IfReads path={explainLimitsPath}>
      <ReadableLimits {...props} />
    </IfReads>
  );
}

function ReadableLimits(props: Shown): JSX.Element {
  const query = createLimitsQuery(() => props.of);
  const [isEditing, setIsEditing] = createSignal(false);
  const close = (): void => {
    setIsEditing(false);
  };
  return (
    <Card title={t("Limits")}>
      <Switch fallback={<LoadingPart />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data}>{(explained) => <LimitsTable explained={explained()} />}</Match>
      </Switch>
      <Show when={props.edited}>
        {(edited) => (
          <>
            <IfAllowed operation="/backend/admin/limit/save/">
              <div class="button-row">
                <Button disabled={query.data === undefined} onClick={() => setIsEditing(true)}>
                  {edited().scope === "default"
                    ? t("Edit the default")
                    : t("Edit limits of this {scope}", { scope: known(edited().scope) })}
                </Button>
              </div>
            </IfAllowed>
            <Dialog isOpen={isEditing()} onClose={close} title={t("Limits")}>
              <Show when={isEditing() ? query.data : undefined} keyed>
                {(explained) => (
                  <LimitsForm of={edited()} limits={explained.by_source[sourceOf(edited())]} onDone={close} />
                )}
              </Show>
            </Dialog>
          </>
        )}
      </Show>
    </Card>
  );
}

function LimitsTable(props: { readonly explained: ExplainedLimits }): JSX.Element {
  const owner = (): string => (props.explained.organisation_id === null ? t("User") : t("Organisation"));
  const applied = (name: LimitName): string => {
    const found = props.explained.applied[name];
    if (found === null) {
      return t("no limit");
    }
    const named = isSpend(name) ? props.explained.spend_group : props.explained.group;
    const group = found.source === "group" ? ` ${named ?? ""}` : "";
    const plan = found.source === "plan" ? ` ${props.explained.plans.join(", ")}` : "";
    const source =
      found.source === "user" && props.explained.organisation_id !== null
        ? t("organisation")
        : sourceNames[found.source];
    return t("{name}, from {source}{group}{plan}", { name: amount(name, found.value), source, group, plan });
  };
  const used = (name: LimitName): string =>
    props.explained.used === null || name === "concurrency_max"
      ? "–"
      : isSpend(name)
        ? formats.quotaRounded(props.explained.used[name])
        : formats.number(props.explained.used[name]);
  return (
    <div class="section-stack">
      <p class="muted">
        {t(
          "The default, group, plan and account limits cover all keys of an account together. A value set for a group or a plan replaces the default. The strictest of group, plan, account and key applies; of several plans, the most generous. Spending is counted by the calendar in UTC, whatever group a key names. Usage per minute counts calls that ended in the last minute.",
        )}
      </p>
      <SimpleTable
        label={t("Limits")}
        rows={limitNames}
        columns={[
          { label: t("Limit"), cell: (name) => limitLabels[name] },
          { label: t("Counts"), cell: applied },
          { label: t("Used now"), cell: used, align: "end" },
          {
            label: t("Default"),
            cell: (name) => shownLimit(name, props.explained.by_source.default?.[name]),
            align: "end",
          },
          {
            label: props.explained.group === null ? t("Group") : t("Group {group}", { group: props.explained.group }),
            cell: (name) => shownLimit(name, props.explained.by_source.group?.[name]),
            align: "end",
          },
          { label: t("Plan"), cell: (name) => shownLimit(name, props.explained.by_source.plan?.[name]), align: "end" },
          { label: owner(), cell: (name) => shownLimit(name, props.explained.by_source.user?.[name]), align: "end" },
          { label: t("Key"), cell: (name) => shownLimit(name, props.explained.by_source.key?.[name]), align: "end" },
        ]}
      />
    </div>
  );
}
