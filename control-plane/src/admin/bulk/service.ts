import { type BulkActionName, bulkActions } from "@sluice/contracts/bulk-action-table";
import type { BulkRunInput, bulkPreviewResponse, bulkRunResponse } from "@sluice/contracts/bulk-actions";
import type { z } from "zod";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db.ts";
import { refuseGuardedFields, refuseWithoutRight } from "../../platform/endpoint/admin-rules.ts";
import type { AdminCaller, AnyEndpoint, CallBase } from "../../platform/endpoint/model.ts";
import { AppError, toAppError } from "../../platform/errors.ts";
import { readNamedRows } from "../../platform/list-query/endpoints.ts";
import type { AnyListSource } from "../../platform/list-query/model.ts";
import type { Log } from "../../platform/log.ts";
import { type BulkRule, bulkRules, type ListedRow } from "./model.ts";

export type BulkDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** The lists of the admin area. */
  readonly sources: readonly AnyListSource[];
  /** All endpoints of the backend, once they are known. */
  readonly endpoints: () => readonly AnyEndpoint[];
};

type Call = CallBase<BulkRunInput> & { readonly admin: AdminCaller };
type Preview = z.output<typeof bulkPreviewResponse>;
type Result = z.output<typeof bulkRunResponse>;
type RowResult = Result["rows"][number];
type NamedRow = { readonly row: string; readonly name: string; readonly found: ListedRow | null };

const runMsMax = 30_000;
const lostRow = "It does not exist.";

/** What an action would do with each row, and why it would leave some alone. */
export async function previewBulk(
  deps: BulkDeps,
  { action, rows }: { readonly action: BulkActionName; readonly rows: readonly string[] },
  admin: AdminCaller,
): Promise<Preview> {
  // A login that has to be more recent for the action may still look what it would do.
  refuseWithoutRight({ ...operationOf(deps, action), freshLogin: false }, admin);
  const rule = bulkRules[action];
  const named = await readRows(deps, action, rows);
  const previewed = named.map(({ row, name, found }) => ({ row, name, skipped_because: skipReason(rule, found) }));
  const skips = previewed.filter(({ skipped_because: because }) => because !== null).length;
  return { rows: previewed, changes: previewed.length - skips, skips };
}

/**
 * Carries an operation out for each row, one after the other, each as if it had been asked for by itself: with its
 * checks, its transaction and its entry in the audit log. A refusal of one row does not keep the others from being
 * changed; repeating the request skips what is done.
 * @throws AppError what the operation requires of the login
 */
export async function runBulk(deps: BulkDeps, call: Call): Promise<Result> {
  const { action, rows, group_name: groupName } = call.input;
  const operation = operationOf(deps, action);
  refuseWithoutRight(operation, call.admin);
  if (bulkActions[action].takesGroup !== (groupName !== undefined)) {
    const sentence = groupName === undefined ? "Choose a group." : "This action takes no group.";
    throw new AppError("invalid_value", { fields: { group_name: sentence } });
  }
  const untilTick = deps.clock.tick() + runMsMax;
  const results: TriedRow[] = [];
  let problem: string | null = null;
  for (const named of await readRows(deps, action, rows)) {
    problem ??= deps.clock.tick() > untilTick ? "The request reached its time limit." : null;
    const result: TriedRow =
      problem === null ? await runRow(deps, { operation, call, named }) : notTried(named, problem);
    results.push(result);
    problem ??= result.outcome === "failed" && result.isOurs ? "The row before it failed on our side." : null;
  }
  const count = (outcome: RowResult["outcome"]) => results.filter((each) => each.outcome === outcome).length;
  return {
    rows: results.map(({ row, name, outcome, note }) => ({ row, name, outcome, note })),
    counts: { done: count("done"), waiting: count("waiting"), skipped: count("skipped"), failed: count("failed") },
  };
}

type RowRun = { readonly operation: AnyEndpoint; readonly call: Call; readonly named: NamedRow };
type TriedRow = RowResult & { readonly isOurs: boolean };

async function runRow(deps: BulkDeps, { operation, call, named }: RowRun): Promise<TriedRow> {
  const { row, name, found } = named;
  const rule = bulkRules[call.input.action];
  const because = skipReason(rule, found);
  if (because !== null || found === null) {
    return { row, name, outcome: "skipped", note: because, isOurs: false };
  }
  try {
    const input = inputFor(operation, rule.input(found, call.input));
    refuseGuardedFields(operation, input, call.admin);
    const answer = await operation.handle({ ...call, input, bytes: new Uint8Array(), params: {} });
    const isWaiting = !(answer instanceof Response) && answer["approval"] !== undefined;
    return { row, name, outcome: isWaiting ? "waiting" : "done", note: null, isOurs: false };
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.status >= 500) {
      deps.log.error("bulk.failed", { requestId: call.requestId, action: call.input.action, row, error });
    }
    return { row, name, outcome: "failed", note: sentenceOf(error), isOurs: error.status >= 500 };
  }
}

/** @throws AppError `invalid_value` for what the operation does not take, such as a reason of several lines */
function inputFor({ input: schema }: AnyEndpoint, made: object): unknown {
  const parsed = schema.safeParse(made);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new AppError("invalid_value", { message: `${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}` });
  }
  return parsed.data;
}

const notTried = ({ row, name }: NamedRow, note: string): TriedRow => ({
  ...{ row, name, outcome: "skipped", note: `Not tried. ${note}` },
  isOurs: false,
});

function sentenceOf({ message, fields }: AppError): string {
  return fields === null ? message : [message, ...Object.values(fields)].join(" ");
}

const skipReason = (rule: BulkRule, found: ListedRow | null): string | null =>
  found === null ? lostRow : rule.reasonAgainst(found);

/** The rows as the list has them now, in the order in which they were named. */
async function readRows(deps: BulkDeps, action: BulkActionName, rows: readonly string[]): Promise<NamedRow[]> {
  const { list } = bulkActions[action];
  const source = deps.sources.find(({ contract }) => contract.name === list);
  const idName = source?.contract.rowId;
  if (source === undefined || idName == null) {
    throw new Error(`there is no list ${list} whose rows can be named`);
  }
  const asked = [...new Set(rows)];
  const found = new Map((await readNamedRows(deps, source, asked)).map((row) => [String(row[idName]), row]));
  const { named } = bulkRules[action];
  return asked.map((row) => {
    const listed = found.get(row) ?? null;
    return { row, name: String(listed?.[named] ?? row), found: listed };
  });
}

function operationOf(deps: BulkDeps, action: BulkActionName): AnyEndpoint {
  const { operation } = bulkActions[action];
  const found = deps.endpoints().find(({ path, method }) => path === operation && method === "POST");
  if (found === undefined) {
    throw new Error(`unknown operation: ${operation}`);
  }
  return found;
}
