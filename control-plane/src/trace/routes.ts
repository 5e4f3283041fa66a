import { adminOperation } from "@sluice/contracts/admin-rights";
import {
  accessCheckOutput,
  accessListInput,
  accessListOutput,
  payloadCountOutput,
  payloadReadInput,
  payloadReadOutput,
  traceDetailOutput,
  traceInput,
  traceListInput,
  traceListOutput,
} from "@sluice/contracts/traces";
import { z } from "zod";
import type { Database } from "../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../platform/endpoint/model.ts";
import { readKeysetPage } from "../platform/keyset-page.ts";
import type { ListPlace } from "../platform/list-query/endpoints.ts";
import { listAccesses } from "./access-store.ts";
import type { PayloadReading } from "./payload-reading.ts";
import type { TraceDetail, TraceSearching } from "./search.ts";
import { checkAccesses, countDecryptable } from "./service.ts";
import { traceFiles } from "./trace-file-store.ts";

export type TraceEndpointDeps = {
  readonly db: Database;
  readonly search: TraceSearching;
  readonly reading: PayloadReading;
};

/** Where admins export the calls. */
export const traceFilePlace: ListPlace = {
  path: "/backend/admin/trace/",
  access: "admin",
  about: "traced calls, without the status of their bodies",
  source: traceFiles,
};

/**
 * The endpoints with which admins read the trace: metadata for every admin, bodies only for super-admins and never
 * without a record.
 */
export function traceEndpoints({ db, search, reading }: TraceEndpointDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/admin/trace/list/",
      access: "admin",
      input: traceListInput,
      summary: "List calls by request id, user, key, model, status and time, newest or oldest first",
      output: traceListOutput,
      errors: [],
      limits: ["A page has at most 100 calls."],
      handle: async ({ input }) => {
        const { rows, nextCursor } = await search.list(input);
        return { traces: rows, next_cursor: nextCursor };
      },
    }),
    endpoint({
      method: "GET",
      path: "/backend/admin/trace/detail/",
      access: "admin",
      input: traceInput,
      summary: "Get one call: its attempts, cost, stored bodies, and who read them",
      output: traceDetailOutput,
      errors: ["not_found"],
      handle: async ({ input }) => describe(await search.detail(input.request_id, input.day ?? null)),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/trace/payload/"),
      input: payloadReadInput,
      summary: "Read the bodies of one call, decrypted; requires a reason and a recent login, and is recorded first",
      output: payloadReadOutput,
      errors: [
        "reason_required",
        "not_found",
        "payload_not_stored",
        "payload_expired",
        "too_many_attempts",
        "audit_unavailable",
        "decrypt_failed",
      ],
      limits: ["Each admin can read as many payloads per hour as the setting trace.payload_reads_per_hour says."],
      handle: async ({ input, admin, requestId, clientIp }) => ({
        ...(await reading.read(input, { ...admin, requestId, ip: clientIp })),
      }),
    }),
    endpoint({
      method: "GET",
      path: "/backend/admin/trace/payload/count/",
      access: "admin",
      input: z.strictObject({}),
      summary: "Count the payloads that can still be decrypted, by day",
      output: payloadCountOutput,
      errors: [],
      handle: async () => {
        const { decryptable, countedAt, days } = await countDecryptable(db);
        return { decryptable, counted_at: countedAt, days };
      },
    }),
    ...accessEndpoints(db),
  ];
}

function accessEndpoints(db: Database): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/admin/trace/access/list/",
      access: "admin",
      input: accessListInput,
      summary: "List who read which payload and why, newest first",
      output: accessListOutput,
      errors: [],
      limits: ["A page has at most 100 records."],
      handle: async ({ input: { request_id, admin_id, cursor, limit } }) => {
        const filter = { requestId: request_id ?? null, adminId: admin_id ?? null, before: cursor ?? null };
        const list = (most: number) => listAccesses(db, filter, most);
        const { rows, nextCursor } = await readKeysetPage(limit, list, (access) => access.number);
        return { accesses: rows, next_cursor: nextCursor };
      },
    }),
    endpoint({
      method: "GET",
      path: "/backend/admin/trace/access/check/",
      access: "admin",
      input: z.strictObject({}),
      summary: "Check that the chain of these records is intact: report altered or missing records, and its last link",
      output: accessCheckOutput,
      errors: [],
      handle: async () => {
        const { findings, head } = await checkAccesses(db);
        return {
          holds: findings.length === 0,
          head,
          findings: findings.slice(0, findingsShown),
        };
      },
    }),
  ];
}

const findingsShown = 500;

function describe({ trace, usage, attempts, bodies, accesses }: TraceDetail) {
  const { expiresAt, ...stored } = bodies ?? { expiresAt: null };
  return {
    trace,
    usage,
    attempts: attempts.map((attempt) => ({
      channel_id: attempt.channelId,
      channel: attempt.channel,
      credential: attempt.credential ?? null,
      node: attempt.node ?? null,
      model: attempt.model ?? null,
      started_at_ms: attempt.startedAtMs,
      duration_ms: attempt.durationMs,
      status: attempt.status,
      result: attempt.result,
      said: attempt.said ?? null,
    })),
    payload: bodies === null ? null : { ...stored, expires_at: expiresAt },
    accesses,
  };
}
