import type { ModelFlags } from "@sluice/messages-conversion/model-flags";
import type { AnswerBody } from "../platform/answer-stream.ts";

/** A name that clients of the Messages route may ask for, and the model that serves it. */
export type MappedModel = {
  readonly name: string;
  readonly displayName: string;
  /** The name of the model in the catalog of the gateway. */
  readonly upstreamModel: string;
  /** The differences from the default flags. */
  readonly flags: Partial<ModelFlags>;
  readonly isEnabled: boolean;
  readonly releasedAt: Date;
  readonly version: number;
};

/** A model of the catalog that channels serve. */
export type ServedModel = {
  readonly name: string;
  readonly displayName: string;
  readonly createdAt: Date;
  readonly contextTokensMax: number;
  readonly outputTokensMax: number;
  /** Every group that has it gets it from a channel that speaks the Messages API. */
  readonly isNative: boolean;
  /** It writes texts, and a channel speaks the Messages API or one that its requests are converted to. */
  readonly isReachable: boolean;
};

/** An entry of the map, ready for conversions. */
export type UsableModel = Pick<MappedModel, "name" | "displayName" | "upstreamModel" | "releasedAt"> & {
  readonly modelFlags: Partial<ModelFlags>;
};

/** The response to a client of the Messages route. */
export type ClientAnswer = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: AnswerBody;
};
