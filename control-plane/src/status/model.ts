import type { ComponentState, IncidentImpact, StatusIndicator } from "@sluice/contracts/status-states";

/** What the operator shows. */
export type StatusRules = {
  readonly isShown: boolean;
  readonly showsSuccess: boolean;
  readonly showsLatency: boolean;
  readonly showsIncidents: boolean;
};

/** How calls ended: answered, or failed for reasons of ours. */
export type Ends = { readonly answered: number; readonly failed: number };

/** A share of fewer calls says little, and would show how few there are. */
const callsOfDayMin = 20;
const callsNowMin = 10;
/** A share is shown in thousandths, so that no number of calls can be found from it. */
const shareSteps = 1_000;

/** The share of calls that were answered, rounded down; null of too few calls. */
export function shareOf({ answered, failed }: Ends): number | null {
  const all = answered + failed;
  return all < callsOfDayMin ? null : Math.floor((answered / all) * shareSteps) / shareSteps;
}

/** How a model does now, by its latest calls. */
export function stateOf({ answered, failed }: Ends): ComponentState {
  const all = answered + failed;
  if (all < callsNowMin) {
    return "unknown";
  }
  const share = answered / all;
  if (share >= 0.98) {
    return "operational";
  }
  if (share >= 0.9) {
    return "degraded_performance";
  }
  return share >= 0.5 ? "partial_outage" : "major_outage";
}

const indicatorOfState: Readonly<Record<ComponentState, StatusIndicator>> = {
  operational: "none",
  unknown: "none",
  degraded_performance: "minor",
  partial_outage: "major",
  major_outage: "major",
};
const ranks: Readonly<Record<StatusIndicator, number>> = { none: 0, maintenance: 1, minor: 2, major: 3, critical: 4 };
const descriptions: Readonly<Record<StatusIndicator, string>> = {
  none: "All systems operational",
  maintenance: "Under maintenance",
  minor: "Partly degraded",
  major: "Partial outage",
  critical: "Major outage",
};

/** How the service does as a whole: as its worst model or open incident. All models out are worse than one. */
export function overallOf(
  states: readonly ComponentState[],
  impacts: readonly IncidentImpact[],
): { readonly indicator: StatusIndicator; readonly description: string } {
  const isAllOut = states.length > 0 && states.every((state) => state === "major_outage");
  const found: StatusIndicator[] = [
    "none",
    ...states.map((state) => indicatorOfState[state]),
    ...impacts,
    ...(isAllOut ? (["critical"] as const) : []),
  ];
  const indicator = found.reduce((worst, each) => (ranks[each] > ranks[worst] ? each : worst));
  return { indicator, description: descriptions[indicator] };
}
