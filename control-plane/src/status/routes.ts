import { adminOperation } from "@sluice/contracts/admin-rights";
import {
  createIncidentInput,
  incidentListResponse,
  savedIncidentResponse,
  statusResponse,
  updateIncidentInput,
} from "@sluice/contracts/status";
import { z } from "zod";
import { audit, byCaller } from "../admin/audit/service.ts";
import type { Database } from "../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../platform/endpoint/model.ts";
import { AppError, notFound } from "../platform/errors.ts";
import type { StatusBoard } from "./service.ts";
import { addIncident, addUpdate, changeIncident, isFull, listIncidents, lockIncident } from "./store.ts";

export type StatusEndpointDeps = { readonly db: Database; readonly board: StatusBoard };

/** The status of the service for everyone, and the incidents that admins post. */
export function statusEndpoints({ db, board }: StatusEndpointDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/status/",
      access: "public",
      input: z.strictObject({}),
      summary: "Get the state of each public model now and on the last 90 days, and the incidents of the service",
      output: statusResponse,
      errors: ["not_found"],
      limits: ["It is measured at most twice a minute; until then the same response is given."],
      handle: async () => {
        const view = await board.read();
        if (view === null) {
          throw notFound("status page");
        }
        return view;
      },
    }),
    endpoint({
      method: "GET",
      path: "/backend/admin/incident/list/",
      access: "admin",
      input: z.strictObject({}),
      summary: "List the newest 100 incidents with their updates and who posted them",
      output: incidentListResponse,
      errors: [],
      handle: async () => ({ incidents: await listIncidents(db, { resolvedDays: null }) }),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/incident/create/"),
      input: createIncidentInput,
      summary: "Post an incident on the status page, with its first update",
      output: savedIncidentResponse,
      errors: [],
      handle: async ({ input, ...call }) => {
        const id = await db.withTransaction(async (tx) => {
          const incidentId = await addIncident(tx, input);
          await addUpdate(tx, { incidentId, state: input.state, text: input.text }, call.admin);
          await audit(tx, byCaller(call), "incident.create", {
            subjectKind: "incident",
            subjectId: incidentId,
            after: input,
          });
          return incidentId;
        });
        board.forget();
        return { incident_id: id, version: 1 };
      },
    }),
    updateEndpoint({ db, board }),
  ];
}

function updateEndpoint({ db, board }: StatusEndpointDeps): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/incident/update/"),
    input: updateIncidentInput,
    summary: "Post an update of an incident, which may resolve or reopen it",
    output: savedIncidentResponse,
    errors: ["not_found", "conflict", "invalid_value"],
    limits: ["An incident has up to 50 updates."],
    handle: async ({ input, ...call }) => {
      const { incident_id: incidentId, state, text } = input;
      const version = await db.withTransaction(async (tx) => {
        const before = await lockIncident(tx, incidentId);
        if (before === null) {
          throw notFound("incident");
        }
        if (before.version !== input.version) {
          throw new AppError("conflict");
        }
        if (isFull(before)) {
          throw new AppError("invalid_value", { fields: { text: "This incident has 50 updates. Post a new one." } });
        }
        await addUpdate(tx, { incidentId, state, text }, call.admin);
        await audit(tx, byCaller(call), "incident.update", {
          subjectKind: "incident",
          subjectId: incidentId,
          before: { impact: before.impact, resolved_at: before.resolved_at },
          after: { impact: input.impact, state, text },
        });
        return await changeIncident(tx, input);
      });
      board.forget();
      return { incident_id: incidentId, version };
    },
  });
}
