import { exitNodeFile } from "@sluice/contracts/admin-lists/files";
import { column, either, listSource } from "../platform/list-query/model.ts";

const nodeCode = column("text", "n.node_code");
const name = column("text", "n.name");
const status = column("text", "n.status");
const createdAt = column("timestamptz", "n.created_at");

/** Exit nodes for an export. */
export const exitNodeFiles = listSource({
  contract: exitNodeFile,
  from: "exit_node n",
  columns: {
    node_code: nodeCode,
    name,
    region: column("text", "n.region"),
    host: column("text", "n.host"),
    ip: column("text", "n.ip"),
    relay_url: column("text", "n.relay_url"),
    status,
    weight: column("integer", "n.weight"),
    is_serving: column("boolean", "n.is_serving"),
    dns_matched: column("boolean", "n.dns_matched"),
    dns_checked_at: column("timestamptz", "n.dns_checked_at"),
    health_ok: column("boolean", "n.health_ok"),
    health_latency_ms: column("integer", "n.health_latency_ms"),
    health_failure: column("text", "n.health_failure"),
    health_checked_at: column("timestamptz", "n.health_checked_at"),
    switched_at: column("timestamptz", "n.switched_at"),
    created_at: createdAt,
    updated_at: column("timestamptz", "n.updated_at"),
  },
  filters: { is_archived: either("n.archived_at is not null", "n.archived_at is null") },
  sorts: {
    node_code: [nodeCode],
    name: [name, nodeCode],
    status: [status, nodeCode],
    created_at: [createdAt, nodeCode],
  },
  time: null,
});
