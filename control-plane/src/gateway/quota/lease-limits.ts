/** How long a refused amount is refused again without asking the database. */
export const refusalMs = 200;
/** How long an acquisition waits for other replicas to give idle quota back. */
export const recallMsMax = 1_200;
/** A recall that was not answered by all in this time is repeated. */
export const recallRepeatMs = 300;
/** How often a waiting acquisition polls, in case a notification was lost. */
export const recallPollMs = 50;
/** Idle quota is returned after this time, or later where plenty is left of the budget. */
export const idleReturnMs = 3_000;
/** Plenty is left of a budget that has this many times as much as this replica has leased. */
export const ampleShare = 16n;
/** How often the pace of a slice is measured. */
export const paceWindowMs = 2_000;
/** A slice is filled up to what is spent in this time at its pace; it is refilled when half is gone. */
export const coveredSeconds = 60n;
export const forgetMs = 60_000;
export const refillPauseMs = 100;
/** While the database is unreachable, calls do not ask it for more each time. */
export const refillPauseMsAfterFailure = 1_000;
/** A call fails rather than wait longer than this for an unresponsive database. */
export const holdMsMax = 2_000;
/** The first lease covers this many calls of the size that requested it. */
export const callsPerLease = 32n;
export const wantMax = 1n << 50n;
