import { english } from "../../../../i18n/messages.ts";

export const en = english({
  title: "Status",
  description: "How the models of {brand} are doing now, and how they did over the last 90 days.",
  heading: "Status",
  overall: {
    none: "All systems operational",
    maintenance: "Maintenance in progress",
    minor: "Some models are slow or fail at times",
    major: "Some models are failing",
    critical: "The service is failing",
  },
  states: {
    operational: "Operational",
    degraded_performance: "Degraded",
    partial_outage: "Partial outage",
    major_outage: "Outage",
    unknown: "Few calls lately",
  },
  success: "{share} answered in 90 days",
  firstByte: "95% of calls start within {time}",
  oldest: "90 days ago",
  today: "Today",
  bars: "Share of answered calls by day: {days} days with calls, lowest {lowest}",
  few: "few calls",
  models: "Models",
  incidents: "Incidents",
  noIncidents: "There were no incidents in the last two weeks.",
  incidentStates: {
    investigating: "Investigating",
    identified: "Cause found",
    monitoring: "Monitoring",
    resolved: "Resolved",
  },
  concerned: "Models: {models}",
  loading: "Loading the status",
  failed: "The status could not be loaded.",
  retry: "Try again",
  updated: "As of {time}",
  json: "Status as JSON",
  days: "Days are in UTC.",
});

export type StatusTexts = typeof en;
