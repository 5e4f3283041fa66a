import { type JSX, Show } from "solid-js";
import { Button } from "../../../kit/button.tsx";
import { Status, type Tone } from "../../../kit/status.tsx";
import { IfAllowed } from "../../parts/rights.tsx";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { shownMoment, shownWord } from "../../shown.ts";
import { rich, t } from "../../translate.ts";
import { kindTexts, type Target } from "./event-target.ts";

const tones: Readonly<Record<Target["status"], Tone>> = { active: "ok", off: "neutral", failed: "bad" };

type TableProps = {
  readonly targets: readonly Target[];
  readonly canChange: boolean;
  readonly isBusy: boolean;
  readonly onTest: (target: Target) => void;
  readonly onLog: (target: Target) => void;
  readonly onEdit: (target: Target) => void;
  readonly onRotate: (target: Target) => void;
  readonly onRemove: (target: Target) => void;
};

/** Where events are sent, whether it works, and what can be done about it. */
export function TargetTable(props: TableProps): JSX.Element {
  return (
    <SimpleTable
      label={t("Event destinations")}
      rows={props.targets}
      columns={[
        { label: t("Name"), cell: (row) => <bdi>{row.name}</bdi> },
        { label: t("Kind"), cell: (row) => kindTexts[row.kind] },
        { label: t("Address"), cell: (row) => <bdi>{row.place}</bdi> },
        { label: t("Events"), cell: (row) => row.events.join(", ") },
        { label: t("State"), cell: (row) => <State target={row} /> },
        { label: t("Actions"), cell: (row) => <Actions {...props} target={row} /> },
      ]}
    />
  );
}

function State(props: { readonly target: Target }): JSX.Element {
  return (
    <>
      <Status tone={tones[props.target.status]}>{shownWord(props.target.status)}</Status>
      <Show when={props.target.failing_since}>
        {(since) => <div class="muted">{rich("failing since {since}", { since: shownMoment(since()) })}</div>}
      </Show>
      <Show when={props.target.last_attempt_at}>
        {(at) => <div class="muted">{rich("last attempt {at}", { at: shownMoment(at()) })}</div>}
      </Show>
      <Show when={props.target.dropped > 0}>
        <div class="muted">{rich("{dropped} dropped", { dropped: props.target.dropped })}</div>
      </Show>
    </>
  );
}

function Actions(props: TableProps & { readonly target: Target }): JSX.Element {
  const button = (label: string, onClick: (target: Target) => void, isOff = false): JSX.Element => (
    <Button
      variant="quiet"
      aria-label={`${label} ${props.target.name}`}
      disabled={props.isBusy || isOff}
      onClick={() => onClick(props.target)}
    >
      {label}
    </Button>
  );
  return (
    <div class="event-actions">
      <IfAllowed operation="/backend/admin/event-target/test/">
        {button(t("Test"), props.onTest, props.target.status !== "active")}
      </IfAllowed>
      {button(t("Log"), props.onLog)}
      <Show when={props.canChange}>
        {button(t("Edit"), props.onEdit)}
        <Show when={props.target.kind === "webhook"}>{button(t("New secret"), props.onRotate)}</Show>
        {button(t("Remove"), props.onRemove)}
      </Show>
    </div>
  );
}
