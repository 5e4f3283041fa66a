import type { SaveExitNodeInput } from "@sluice/contracts/exit-nodes";
import { relayKeyFault } from "@sluice/exit-protocol/relay-key";
import type { AuditOrigin } from "../admin/audit/model.ts";
import { audit } from "../admin/audit/service.ts";
import type { Transaction } from "../platform/db.ts";
import { takeAdvisoryLock } from "../platform/db-locks.ts";
import { AppError, doesNotExist } from "../platform/errors.ts";
import { insertAccount } from "./account-store.ts";
import { notSwitched } from "./check-node.ts";
import { checkDns } from "./dns-check.ts";
import { checkHealth } from "./health-check.ts";
import {
  afterSwitch,
  type DnsResult,
  type ExitNode,
  type HealthResult,
  isSecretOf,
  relayKeySecretOf,
  slotsOf,
  unknownHealth,
} from "./model.ts";
import { checkHost, checkIp, checkRelayUrl, followUrl, hostUrlOf } from "./node-address.ts";
import { auditedNode, type ExitNodeDeps, syncChannel } from "./node-deps.ts";
import {
  clearChecks,
  countNodes,
  findNode,
  hasNode,
  insertNode,
  lockNode,
  type NodeFields,
  nodesMax,
  updateChecks,
  updateHealth,
  updateNode,
} from "./node-store.ts";

/** The proof that a host form entered by an admin is the node. It only holds for the version that was checked. */
type Proof = { readonly version: number | null; readonly dns: DnsResult; readonly health: HealthResult };

type Stored = { readonly node: ExitNode | null; readonly relayKey: string | null };

type SaveRequest = { readonly input: SaveExitNodeInput; readonly changer: AuditOrigin };

/**
 * Creates a node with its slots, or changes it; repeating a request changes nothing. A URL with the node's address in
 * it is accepted, and used once the node there has proved that it holds the key. A URL with the node's name in it must
 * pass the rule for the switch right now, or nothing is saved.
 * @throws AppError `invalid_value`, `invalid_relay_url`, `secret_required`, `version_conflict`, `dns_mismatch`,
 * `health_failed`, and `conflict` for a node that is archived
 */
export async function saveNode(deps: ExitNodeDeps, request: SaveRequest): Promise<ExitNode> {
  const node = await findNode(deps.db, request.input.node_code);
  const stored = { node, relayKey: node === null ? null : await deps.keys.read(node.relayKeySecret) };
  const planned = judge(deps, stored, request.input);
  const proof = planned.needsProof ? await proveHostForm(deps, stored, { ...planned, input: request.input }) : null;
  return await deps.db.withTransaction(async (tx) => {
    // A row that does not exist can't be locked, so this lock makes concurrent saves of the same new node wait for each
    // other.
    await takeAdvisoryLock(tx, `exit-node:${request.input.node_code}`);
    const locked = await lockNode(tx, request.input.node_code);
    const relayKey = locked === null ? null : await deps.keys.read(locked.relayKeySecret, tx);
    const { fields, isSame, needsProof, isMoved } = judge(deps, { node: locked, relayKey }, request.input);
    if (locked !== null && isSame) {
      return locked;
    }
    if (needsProof && proof?.version !== (locked?.version ?? null)) {
      throw new AppError("version_conflict");
    }
    await checkSource(tx, fields);
    await writeNode(tx, fields, locked);
    if (request.input.relay_key !== undefined) {
      await deps.keys.save(tx, fields.relayKeySecret, request.input.relay_key);
    }
    return await settle(deps, tx, { ...request, before: locked, isMoved, proof: needsProof ? proof : null });
  });
}

type Judged = {
  readonly fields: NodeFields;
  /** The request changes nothing. */
  readonly isSame: boolean;
  /** Calls would go to another address, or with another key. */
  readonly isMoved: boolean;
  readonly needsProof: boolean;
};

function judge(deps: ExitNodeDeps, { node, relayKey }: Stored, input: SaveExitNodeInput): Judged {
  refuseArchived(node);
  const fields = mergeNode(deps, node, input);
  const fault = input.relay_key === undefined ? null : relayKeyFault(input.relay_key);
  if (fault !== null) {
    throw new AppError("invalid_value", { fields: { relay_key: fault } });
  }
  const isKeySame = input.relay_key === undefined || input.relay_key === relayKey;
  const isSame = node !== null && isKeySame && isEqualNode(node, fields);
  if (!isSame && input.version !== undefined && input.version !== node?.version) {
    throw new AppError("version_conflict");
  }
  const isElsewhere = node !== null && (node.host !== fields.host || node.relayUrl !== fields.relayUrl);
  if (isElsewhere && relayKey !== null && input.relay_key === undefined) {
    const message = "Enter the relay key again: the address it is sent to has changed.";
    throw new AppError("secret_required", { message, fields: { relay_key: message } });
  }
  const isMoved = isElsewhere || node?.ip !== fields.ip || node.relayKeySecret !== fields.relayKeySecret;
  return { fields, isSame, isMoved, needsProof: isMoved && fields.relayUrl === hostUrlOf(fields) };
}

function refuseArchived(node: ExitNode | null): void {
  if (node !== null && node.archivedAt !== null) {
    throw new AppError("conflict", { message: "This exit node is archived. Restore it first." });
  }
}

function mergeNode({ addresses }: ExitNodeDeps, node: ExitNode | null, input: SaveExitNodeInput): NodeFields {
  const { node_code: nodeCode } = input;
  const required = (name: "name" | "host" | "ip"): string => {
    const value = input[name] ?? node?.[name];
    if (value === undefined) {
      throw new AppError("invalid_value", { fields: { [name]: "Required for a new node." } });
    }
    return value;
  };
  const host = checkHost(required("host"), addresses);
  const ip = checkIp(required("ip"), addresses);
  const url = input.relay_url === undefined ? followUrl(node, { host, ip }) : input.relay_url;
  const secret = input.relay_key_secret ?? node?.relayKeySecret ?? relayKeySecretOf(nodeCode);
  if (!isSecretOf(nodeCode, secret)) {
    const name = relayKeySecretOf(nodeCode);
    throw new AppError("invalid_value", {
      fields: { relay_key_secret: `Use ${name}, optionally with a further part.` },
    });
  }
  return {
    nodeCode,
    name: required("name"),
    region: input.region ?? node?.region ?? "",
    host,
    ip,
    relayUrl: url === null ? null : checkRelayUrl(url, { host, ip }, addresses),
    relayKeySecret: secret,
    status: input.status ?? node?.status ?? "testing",
    weight: input.weight ?? node?.weight ?? 1,
    callbackBaseUrl: given(input.callback_base_url, node?.callbackBaseUrl),
    oauthRedirectPath: given(input.oauth_redirect_path, node?.oauthRedirectPath),
    sourceNodeId:
      input.source_node_id === undefined || input.source_node_id === null
        ? given(input.source_node_id, node?.sourceNodeId)
        : BigInt(input.source_node_id),
  };
}

/** Returns the given value, which may be null; an omitted field keeps the stored value. */
function given<Value>(requested: Value | null | undefined, stored: Value | null | undefined): Value | null {
  return requested === undefined ? (stored ?? null) : requested;
}

function isEqualNode(node: ExitNode, fields: NodeFields): boolean {
  return (Object.keys(fields) as (keyof NodeFields)[]).every((name) => node[name] === fields[name]);
}

/** Applies the rule for the switch to an address that is not saved yet. */
async function proveHostForm(
  deps: ExitNodeDeps,
  stored: Stored,
  { fields, input }: { readonly fields: NodeFields; readonly input: SaveExitNodeInput },
): Promise<Proof> {
  const relayKey = input.relay_key ?? stored.relayKey;
  if (relayKey === null) {
    throw new AppError("secret_required", {
      message: "Enter the node's relay key; it proves the node's identity.",
    });
  }
  const { nodeCode, host, ip, relayUrl } = fields;
  const dns = await checkDns(host, ip, deps.dns);
  const health = dns.matched
    ? await checkHealth({ nodeCode, url: relayUrl, address: ip, relayKey }, deps.health)
    : null;
  if (health?.ok !== true) {
    throw notSwitched({ dns, host: health });
  }
  return { version: stored.node?.version ?? null, dns, health };
}

async function checkSource(tx: Transaction, { sourceNodeId }: NodeFields): Promise<void> {
  if (sourceNodeId !== null && !(await hasNode(tx, sourceNodeId))) {
    throw new AppError("invalid_value", { fields: { source_node_id: doesNotExist("exit node") } });
  }
}

async function writeNode(tx: Transaction, fields: NodeFields, before: ExitNode | null): Promise<void> {
  if (before !== null) {
    await updateNode(tx, fields);
    return;
  }
  if ((await countNodes(tx)) >= nodesMax) {
    throw new AppError("invalid_value", { fields: { node_code: `There are already ${nodesMax} exit nodes.` } });
  }
  // Another request may have created it since our check.
  if (!(await insertNode(tx, fields))) {
    throw new AppError("version_conflict");
  }
}

type Saved = SaveRequest & {
  readonly before: ExitNode | null;
  readonly isMoved: boolean;
  readonly proof: Proof | null;
};

/** Completes the saving of a node: its slots, its check results, its channel, and the entry in the audit log. */
async function settle(deps: ExitNodeDeps, tx: Transaction, saved: Saved): Promise<ExitNode> {
  const { input, changer, before, isMoved, proof } = saved;
  const node = await readLocked(tx, input.node_code);
  if (before === null) {
    for (const slot of slotsOf(node.nodeCode)) {
      await insertAccount(tx, node.id, { ...slot, nodeAccount: null });
    }
  }
  if (isMoved) {
    await clearChecks(tx, node.id);
    const unknown = { ...unknownHealth, switchedAt: node.switchedAt };
    await updateHealth(tx, node.id, proof === null ? unknown : afterSwitch(unknown, deps.now()));
  }
  if (proof !== null) {
    await updateChecks(tx, { id: node.id, dns: proof.dns, health: proof.health });
  }
  const after = await readLocked(tx, input.node_code);
  const provenKey = proof === null ? null : (input.relay_key ?? (await deps.keys.read(after.relayKeySecret, tx)));
  await syncChannel(deps, tx, after, provenKey);
  await deps.channels.alignAbilities(tx);
  await audit(tx, changer, "exit-node.save", {
    subjectKind: "exit-node",
    subjectId: after.nodeCode,
    before: before === null ? null : auditedNode(before),
    after: { ...auditedNode(after), is_relay_key_entered: input.relay_key !== undefined },
  });
  return after;
}

async function readLocked(tx: Transaction, nodeCode: string): Promise<ExitNode> {
  const node = await lockNode(tx, nodeCode);
  if (node === null) {
    throw new Error(`node ${nodeCode} is missing after it was saved`);
  }
  return node;
}
