/** The words of the status page, and of incidents on it. */

export const incidentImpacts = ["minor", "major", "critical", "maintenance"] as const;
export type IncidentImpact = (typeof incidentImpacts)[number];
export const incidentStates = ["investigating", "identified", "monitoring", "resolved"] as const;
export type IncidentState = (typeof incidentStates)[number];
export const componentStates = [
  "operational",
  "degraded_performance",
  "partial_outage",
  "major_outage",
  "unknown",
] as const;
export type ComponentState = (typeof componentStates)[number];
export const statusIndicators = ["none", "minor", "major", "critical", "maintenance"] as const;
export type StatusIndicator = (typeof statusIndicators)[number];

/** How many days a bar has. */
export const statusDays = 90;
