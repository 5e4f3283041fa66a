import { type JSX, Show } from "solid-js";
import { Button } from "../../../kit/button.tsx";
import { Status, type Tone } from "../../../kit/status.tsx";
import { IfAllowed } from "../../parts/rights.tsx";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { shownMoment } from "../../shown.ts";
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
      label="Places for events"
      rows={props.targets}
      columns={[
        { label: "Name", cell: (row) => <bdi>{row.name}</bdi> },
        { label: "Kind", cell: (row) => kindTexts[row.kind] },
        { label: "Address", cell: (row) => <bdi>{row.place}</bdi> },
        { label: "Events", cell: (row) => row.events.join(", ") },
        { label: "State", cell: (row) => <State target={row} /> },
        { label: "Actions", cell: (row) => <Actions {...props} target={row} /> },
      ]}
    />
  );
}

function State(props: { readonly target: Target }): JSX.Element {
  return (
    <>
      <Status tone={tones[props.target.status]}>{props.target.status}</Status>
      <Show when={props.target.failing_since}>
        {(since) => <div class="muted">failing since {shownMoment(since())}</div>}
      </Show>
      <Show when={props.target.last_attempt_at}>
        {(at) => <div class="muted">last attempt {shownMoment(at())}</div>}
      </Show>
      <Show when={props.target.dropped > 0}>
        <div class="muted">{props.target.dropped} dropped</div>
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
        {button("Test", props.onTest, props.target.status !== "active")}
      </IfAllowed>
      {button("Log", props.onLog)}
      <Show when={props.canChange}>
        {button("Change", props.onEdit)}
        <Show when={props.target.kind === "webhook"}>{button("New secret", props.onRotate)}</Show>
        {button("Remove", props.onRemove)}
      </Show>
    </div>
  );
}
