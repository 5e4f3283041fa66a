import type { LoadCall } from "./load/call.ts";
import type { HttpHeader } from "./load/plan.ts";

/** A subject of the measurement: the provider itself or a gateway in front of it. */
export interface Arm {
  readonly name: ArmName;
  /** The name in the tables. */
  readonly title: string;
  /** Whether it answers calls in one dialect from a provider of another. */
  readonly converts: boolean;
  /** Prepares what is needed once (packages, configuration). Returns why the arm can't run here, or null. */
  prepare(site: Site): Promise<string | null>;
  start(site: Site): Promise<RunningArm>;
}

export type ArmName = (typeof armNames)[number];
export const armNames = [
  "direct",
  "nginx",
  "sockets",
  "portkey",
  "one-api",
  "new-api",
  "sluice",
  "before",
  "front",
  "node",
] as const;

/** The arms of `bench relay`; Sluice without its front and the sockets alone are measured when they are named, the agent of an exit node has its own bench. */
export const relayArmNames: readonly ArmName[] = ["direct", "nginx", "portkey", "front"];

/** Programs that are measured where their binary is given, because no package has it. */
export const givenArmNames = ["one-api", "new-api"] as const satisfies readonly ArmName[];
export type GivenArmName = (typeof givenArmNames)[number];

/** What all arms of a run share. */
export type Site = {
  readonly providerPort: number;
  /** Folder for configuration files and logs of this run; removed at the end. */
  readonly folder: string;
  /** Where Sluice writes a CPU profile when it ends; null without one. */
  readonly profileFolder: string | null;
  /** Another checkout that is measured beside this one; null without one. */
  readonly against: string | null;
  /** The programs that were given. */
  readonly binaries: Readonly<Partial<Record<GivenArmName, string>>>;
};

export type RunningArm = {
  readonly port: number;
  readonly path: string;
  readonly headers: readonly HttpHeader[];
  /** The call of an arm that may rewrite answers; without one, they come as the provider sends them, byte for byte. */
  readonly call?: LoadCall;
  /** The process whose tree is charged; null if nothing is between the load and the provider. */
  readonly pid: number | null;
  /** Processes that work for the arm on the core of the load; their CPU time is reported separately. */
  readonly companions: readonly Companion[];
  /** The records of a finished load, for an arm that keeps books. */
  readonly books: Books | null;
  stop(): Promise<void>;
};

export type Companion = { readonly name: string; readonly pid: number };

/** The accounts of an arm for one load after the other. */
export interface Books {
  /** The companion's process that only reads the books for the bench, so it is not charged to the arm. Null until they are open. */
  readonly readerPid: number | null;
  /** Called before each load. */
  open(): Promise<void>;
  /** Waits until everything about the load is recorded, because that work is part of its cost. */
  drain(calls: CallCounts): Promise<void>;
  /** @throws Error when what was recorded does not match the calls */
  close(calls: CallCounts): Promise<BookEntry>;
}

export type CallCounts = {
  /** Complete responses that the load generator received. */
  readonly answered: number;
  /** Calls that reached the provider. */
  readonly provided: number;
  /** Calls that may have been cut off when the load ended; 0 when it waited for every response. */
  readonly cutMax: number;
};

export type BookEntry = {
  readonly usageRows: number;
  readonly traceRecords: number;
  readonly payloadsStored: number;
  /** According to the trace records; a payload that is neither stored nor reported as dropped voids the run. */
  readonly payloadsDropped: number;
};
