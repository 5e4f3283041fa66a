import { z } from "zod";
import { exitNodeSorts } from "../exit-nodes.ts";
import { archivedText, choiceOf, exactText, idText, listContract } from "../lists.ts";
import { strictObject } from "../strict-object.ts";
import { traceListInput, traceView } from "../traces.ts";
import { outcomes } from "../usage.ts";
import { wireMoment } from "../wire.ts";

/** Exports of lists whose pages other endpoints serve. */

/** Calls as in their list, except for the state of the bodies, which changes every hour. */
export const traceFile = listContract({
  name: "traces",
  rowId: null,
  row: traceView.omit({ payload: true }),
  filters: {
    request_id: z.uuid().transform((id) => id.toLowerCase()),
    user_id: idText,
    gateway_user_id: idText,
    key_id: idText,
    key_name: exactText(200),
    model: exactText(256),
    status: choiceOf(outcomes),
    http_status: z
      .string()
      .regex(/^[1-5]\d\d$/)
      .transform(Number),
    email: exactText(254),
    error_code: exactText(100),
    channel_id: idText,
    from: traceListInput.shape.from.unwrap(),
    to: traceListInput.shape.to.unwrap(),
  },
  sorts: ["time"],
  defaultSort: "-time",
});

/** Exit nodes with their last observations, without keys and without the nodes' own reports. */
export const exitNodeFile = listContract({
  name: "exit-nodes",
  rowId: "node_code",
  row: strictObject(() => ({
    node_code: z.string(),
    name: z.string(),
    region: z.string(),
    host: z.string(),
    ip: z.string(),
    relay_url: z.string().nullable(),
    status: z.string(),
    weight: z.int(),
    is_serving: z.boolean(),
    dns_matched: z.boolean().nullable(),
    dns_checked_at: wireMoment.nullable(),
    health_ok: z.boolean().nullable(),
    health_latency_ms: z.int().nullable(),
    health_failure: z.string().nullable(),
    health_checked_at: wireMoment.nullable(),
    switched_at: wireMoment.nullable(),
    created_at: wireMoment,
    updated_at: wireMoment,
  })),
  filters: { is_archived: archivedText },
  sorts: exitNodeSorts,
  defaultSort: "node_code",
  isTimed: false,
});
