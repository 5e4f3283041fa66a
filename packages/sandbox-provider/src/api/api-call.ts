import type { Behaviour } from "../script/behaviour.ts";
import type { IncomingRequest } from "../script/incoming-request.ts";
import type { Account } from "./account.ts";

/** The arguments of every endpoint. */
export type ApiCall = {
  readonly request: IncomingRequest;
  readonly behaviour: Behaviour;
  /** Counts requests from 0; ids are derived from it, so that they are the same in every run. */
  readonly index: number;
  readonly createdAtSeconds: number;
  readonly account: Account;
};
