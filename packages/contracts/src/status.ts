import { z } from "zod";
import { componentStates, incidentImpacts, incidentStates, statusIndicators } from "./status-states.ts";
import { strictObject } from "./strict-object.ts";
import { type Unsent, wireDay, wireInteger, wireMoment } from "./wire.ts";

/** The public status page: how the models do, and what operators say of it. */

const text = z.string().trim().min(1).max(1_000);
const title = z.string().trim().min(3).max(120);
const models = z.array(z.string().min(1).max(200)).max(100);

export const createIncidentInput = strictObject(() => ({
  title,
  impact: z.enum(incidentImpacts),
  /** The models that are concerned; none means all. */
  models,
  state: z.enum(incidentStates),
  text,
}));
export type CreateIncidentInput = z.output<typeof createIncidentInput>;

export const updateIncidentInput = strictObject(() => ({
  incident_id: z.union([z.int().min(1), z.string().regex(/^[1-9]\d{0,18}$/)]).transform(BigInt),
  impact: z.enum(incidentImpacts),
  state: z.enum(incidentStates),
  text,
  /** The loaded version. */
  version: z.int().min(1),
}));
export type UpdateIncidentInput = z.output<typeof updateIncidentInput>;

const updateView = strictObject(() => ({ state: z.enum(incidentStates), text: z.string(), posted_at: wireMoment }));

export const publicIncident = strictObject(() => ({
  id: wireInteger,
  title: z.string(),
  impact: z.enum(incidentImpacts),
  state: z.enum(incidentStates),
  models: z.array(z.string()),
  started_at: wireMoment,
  resolved_at: wireMoment.nullable(),
  /** The newest first. */
  updates: z.array(updateView),
}));
export type PublicIncident = Unsent<z.output<typeof publicIncident>>;

const incidentView = publicIncident.extend({
  version: z.int(),
  updates: z.array(updateView.extend({ posted_by: z.string() })),
});
export type IncidentView = Unsent<z.output<typeof incidentView>>;

export const incidentListResponse = strictObject(() => ({ incidents: z.array(incidentView) }));
export const savedIncidentResponse = strictObject(() => ({ incident_id: wireInteger, version: z.int() }));

export const statusComponent = strictObject(() => ({
  name: z.string(),
  display_name: z.string(),
  status: z.enum(componentStates),
  /** The share of calls that were answered, for each day from `from_day` on; null for a day with few calls. Empty if it is not shown. */
  success_by_day: z.array(z.number().min(0).max(1).nullable()),
  /** Of all days. */
  success: z.number().min(0).max(1).nullable(),
  /** Within which 95 of 100 calls of the last day began to be answered, in milliseconds. */
  first_byte_ms_p95: z.int().nullable(),
}));
export type StatusComponent = z.output<typeof statusComponent>;

export const statusResponse = strictObject(() => ({
  page: z.strictObject({ name: z.string(), url: z.string(), updated_at: wireMoment }),
  status: z.strictObject({ indicator: z.enum(statusIndicators), description: z.string() }),
  from_day: wireDay,
  components: z.array(statusComponent),
  /** Those that are open, and those of the last two weeks, the newest first. */
  incidents: z.array(publicIncident),
}));
export type StatusView = Unsent<z.output<typeof statusResponse>>;
