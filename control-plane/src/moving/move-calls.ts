import type { GatewayUserId } from "@sluice/contracts/ids";
import type { Database } from "../platform/db.ts";
import type { Finding, PeerCall, RatioProgram } from "./model.ts";
import type { ImportOptions } from "./run.ts";
import { listItems, lockAccounts, lockSource, putCalls } from "./store.ts";

export type CallsReport = {
  /** New here, or those that would be. */
  readonly made: bigint;
  readonly unchanged: bigint;
  /** Of users who were not moved, or have closed their accounts here. */
  readonly leftOut: bigint;
  readonly findings: readonly Finding[];
};

export type CallsToMove = {
  readonly program: RatioProgram;
  readonly pages: AsyncIterable<readonly PeerCall[]>;
  /** Those who were read, for a rehearsal. */
  readonly userIds: ReadonlySet<string>;
};

/**
 * Moves single calls as history. Each page is a transaction of its own, so that memory is bounded and a run that was
 * interrupted continues: calls that are here already are passed over.
 * @param findings what reading the pages notes
 */
export async function moveCalls(
  db: Database,
  { program, pages, userIds }: CallsToMove,
  options: ImportOptions,
  findings: Finding[],
): Promise<CallsReport> {
  const { instance, isApplied } = options;
  const accounts = isApplied ? await accountsOf(db, instance) : null;
  const counts = { made: 0n, unchanged: 0n, leftOut: 0n };
  const lost = new Map<string, bigint>();
  for await (const calls of pages) {
    const { made, unchanged, left } =
      accounts === null ? rehearsePage(userIds, calls) : await writePage(db, { program, instance, accounts }, calls);
    for (const { userId } of left) {
      lost.set(userId, (lost.get(userId) ?? 0n) + 1n);
      counts.leftOut += 1n;
    }
    counts.made += BigInt(made);
    counts.unchanged += BigInt(unchanged);
  }
  for (const [userId, count] of [...lost].slice(0, toldMax)) {
    const text = `The user was not moved, or has closed the account here, so ${count} single calls stay there.`;
    findings.push({ level: "lost", table: "logs", id: `user ${userId}`, text });
  }
  if (lost.size > toldMax) {
    const text = "They were not moved, or have closed their accounts here, so their single calls stay there.";
    findings.push({ level: "lost", table: "logs", id: `${lost.size - toldMax} further users`, text });
  }
  return { ...counts, findings };
}

/** Users whose calls are left out are told one by one up to here. */
const toldMax = 50;

type Accounts = ReadonlyMap<string, GatewayUserId>;

async function accountsOf(db: Database, instance: string): Promise<Accounts> {
  const items = await listItems(db, instance, "user");
  return new Map(
    [...items].flatMap(([id, { gatewayUserId }]) => (gatewayUserId === null ? [] : [[id, gatewayUserId] as const])),
  );
}

type Target = { readonly program: RatioProgram; readonly instance: string; readonly accounts: Accounts };

type Page = { readonly made: number; readonly unchanged: number; readonly left: readonly PeerCall[] };

function rehearsePage(userIds: ReadonlySet<string>, calls: readonly PeerCall[]): Page {
  const left = calls.filter(({ userId }) => !userIds.has(userId));
  return { made: calls.length - left.length, unchanged: 0, left };
}

async function writePage(
  db: Database,
  { program, instance, accounts }: Target,
  calls: readonly PeerCall[],
): Promise<Page> {
  if (!calls.some(({ userId }) => accounts.has(userId))) {
    return { made: 0, unchanged: 0, left: calls };
  }
  return await db.withTransaction(async (tx) => {
    const source = await lockSource(tx, instance, program);
    if (source.program !== program) {
      throw new Error(`${instance} is an instance of ${source.program}: choose another --instance`);
    }
    const named = calls.flatMap(({ userId }) => accounts.get(userId) ?? []);
    const closed = await lockAccounts(tx, named);
    const openOf = (userId: string): GatewayUserId | null => {
      const gatewayUserId = accounts.get(userId);
      return gatewayUserId === undefined || closed.has(gatewayUserId) ? null : gatewayUserId;
    };
    const rows = calls.flatMap(({ id, userId, ...call }) => {
      const gatewayUserId = openOf(userId);
      return gatewayUserId === null ? [] : [{ ...call, instance, sourceId: id, gatewayUserId }];
    });
    const made = rows.length === 0 ? 0 : await putCalls(tx, rows);
    return { made, unchanged: rows.length - made, left: calls.filter(({ userId }) => openOf(userId) === null) };
  });
}
