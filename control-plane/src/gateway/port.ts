import type { GatewayAnswer, GatewayCall } from "./model.ts";

/** What the business relay knows of the upstream gateway: in the same process, or another one behind HTTP. */
export interface GatewayPort {
  /** Never throws: every failure is an answer in the dialect of the path. */
  handle(call: GatewayCall): Promise<GatewayAnswer>;
}
