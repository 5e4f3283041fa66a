import { useSearchParams } from "@solidjs/router";
import { createSignal, For, type JSX, Show } from "solid-js";
import { dayIn, dayMs } from "../../i18n/days.ts";
import { SelectField, TextField } from "../../kit/field.tsx";
import { t } from "../translate.ts";
import "../../table/data-table.css";

/** The days of a page, in the URL; empty means the backend's default. */
export type RangeState = {
  /** The words for the backend's default range. */
  readonly unset: string;
  readonly fromDay: () => string;
  readonly toDay: () => string;
  readonly zone: () => string;
  readonly set: (values: { readonly from_day?: string; readonly to_day?: string; readonly zone?: string }) => void;
  readonly query: () => { readonly from_day: string; readonly to_day: string; readonly zone: string };
};

export function createRangeState(): RangeState {
  const [params, setParams] = useSearchParams();
  const read = (name: string): string => {
    const value = params[name];
    return typeof value === "string" ? value : "";
  };
  const zone = (): string => read("zone") || "UTC";
  return {
    unset: t("Last 30 days"),
    fromDay: () => read("from_day"),
    toDay: () => read("to_day"),
    zone,
    set: (values) => setParams(values, { scroll: false }),
    query: () => ({ from_day: read("from_day"), to_day: read("to_day"), zone: zone() }),
  };
}

const presets = [1, 7, 30, 90] as const;

/** The offered time zones: UTC, the browser's, and some more; the URL can contain any other. */
const zonesOffered = ["UTC", "Europe/Berlin", "America/New_York", "America/Los_Angeles", "Asia/Shanghai", "Asia/Tokyo"];

function zonesWith(current: string): readonly string[] {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return [...new Set([...zonesOffered, own, current])];
}

/** The days of a preset: the last n, including today. */
function daysOf(state: RangeState, days: number): { readonly from_day: string; readonly to_day: string } {
  const now = Date.now();
  return { from_day: dayIn(state.zone(), now - (days - 1) * dayMs), to_day: dayIn(state.zone(), now) };
}

function presetText(days: number): string {
  return days === 1 ? t("Today") : t("Last {days} days", { days });
}

const otherDays = "other";

/** Selects the days and their time zone. The two date fields are only shown if no preset fits. */
export function RangeBar(props: { readonly state: RangeState }): JSX.Element {
  const [isOther, setIsOther] = createSignal(false);
  const chosen = (): string => {
    const { state } = props;
    if (isOther()) {
      return otherDays;
    }
    if (state.fromDay() === "" && state.toDay() === "") {
      return "";
    }
    const preset = presets.find((days) => {
      const { from_day, to_day } = daysOf(state, days);
      return from_day === state.fromDay() && to_day === state.toDay();
    });
    return preset === undefined ? otherDays : String(preset);
  };
  const choose = (value: string): void => {
    setIsOther(value === otherDays);
    if (value !== otherDays) {
      props.state.set(value === "" ? { from_day: "", to_day: "" } : daysOf(props.state, Number(value)));
    }
  };
  return (
    <div class="table-bar">
      <SelectField label={t("Period")} value={chosen()} onChange={(event) => choose(event.currentTarget.value)}>
        <For each={["", ...presets.map(String), otherDays]}>
          {(value) => (
            <option value={value} selected={value === chosen()}>
              {value === "" ? props.state.unset : value === otherDays ? t("Other days") : presetText(Number(value))}
            </option>
          )}
        </For>
      </SelectField>
      <Show when={chosen() === otherDays}>
        <TextField
          label={t("From day")}
          type="date"
          value={props.state.fromDay()}
          onChange={(event) => props.state.set({ from_day: event.currentTarget.value })}
        />
        <TextField
          label={t("To day")}
          type="date"
          value={props.state.toDay()}
          onChange={(event) => props.state.set({ to_day: event.currentTarget.value })}
        />
      </Show>
      <SelectField
        label={t("Zone")}
        onChange={(event) => props.state.set({ zone: event.currentTarget.value })}
        value={props.state.zone()}
      >
        <For each={zonesWith(props.state.zone())}>
          {(zone) => (
            <option value={zone} selected={zone === props.state.zone()}>
              {zone}
            </option>
          )}
        </For>
      </SelectField>
    </div>
  );
}
