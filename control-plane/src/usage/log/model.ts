import type { ApiKeyId, BudgetId, ChannelId, GatewayUserId, RequestId } from "@sluice/contracts/ids";
import type { Decimal, Quota } from "@sluice/contracts/money";
import type { Units } from "../../models/units.ts";
import type { Amount } from "../../platform/amount.ts";

/**
 * `aborted`: the client left. `failed`: we or a provider could not serve it, or no provider could be asked. `refused`:
 * its caller has to change something: the key, the limits, the balance or the request.
 */
export type Outcome = "completed" | "aborted" | "failed" | "refused";

/** One attempt at one channel. */
export type Attempt = {
  readonly channelId: string;
  readonly channel: string;
  /** The credential that was used, by id and the operator's label; absent if the channel needs none. */
  readonly credentialId?: string | undefined;
  readonly credential?: string | undefined;
  /** The exit node of the channel. */
  readonly node?: string | undefined;
  /** The model that was asked, if the client had asked for another one. */
  readonly model?: string | undefined;
  /** Milliseconds after the start of the call. */
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly status: number | null;
  /** "answered", or why the attempt was given up. */
  readonly result: string;
  /** The provider's message, without anything that looks like a credential or an address; for support only. */
  readonly said?: string | undefined;
};

/** One relayed call, as written to the spool and then to `usage_log`. */
export type UsageRow = {
  readonly requestId: RequestId;
  /** UTC day of `startedAtMs`, as YYYY-MM-DD; the partition. */
  readonly day: string;
  readonly gatewayUserId: GatewayUserId;
  readonly apiKeyId: ApiKeyId;
  readonly userBudgetId: BudgetId;
  readonly keyBudgetId: BudgetId | null;
  /** The budgets of an organisation's project and member: charged what the call costs with the multiplier. */
  readonly sharedBudgetIds: readonly BudgetId[];
  readonly groupName: string;
  readonly path: string;
  /** The model that answered, or was asked last. */
  readonly model: string | null;
  /** The model that the client asked for, if another one was asked in its place; else null. */
  readonly askedModel: string | null;
  /** The client's end user, and its tags as `name=value`; nothing where the key keeps none. */
  readonly endUser: string | null;
  readonly tags: readonly string[];
  readonly channelId: ChannelId | null;
  readonly outcome: Outcome;
  readonly httpStatus: number;
  readonly errorCode: string | null;
  readonly isStream: boolean;
  readonly units: Units;
  readonly usageSource: "provider" | "estimated" | "none";
  /** The provider reported more than is plausible; the units are the plausible ones. */
  readonly isImplausible: boolean;
  /** What the provider says the call has cost it, in US dollars, or null. */
  readonly providerCost: Decimal | null;
  /** For a response from the cache: its price in hundredths of a percent of the normal one; else null. */
  readonly cacheBasisPoints: number | null;
  readonly priceVersion: number | null;
  readonly rateMultiplier: Decimal;
  readonly quota: Quota;
  readonly quotaHeld: Quota;
  readonly attempts: readonly Attempt[];
  readonly firstByteMs: number | null;
  readonly durationMs: number;
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
};

/** Who pays for a call, and by which multiplier. */
export type Payer = Pick<UsageRow, "userBudgetId" | "keyBudgetId" | "sharedBudgetIds" | "rateMultiplier">;

/** Whose call it was. */
type Customer = Payer & Pick<UsageRow, "gatewayUserId" | "apiKeyId" | "groupName">;

/** What is known of a call by its end, as far as its row says it. */
type RecordedState = Pick<UsageRow, "askedModel" | "channelId" | "isStream" | "attempts" | "firstByteMs"> & {
  readonly call: Pick<UsageRow, "requestId" | "path" | "startedAtMs">;
  /** One object for the calls of a key while nothing of it changes. */
  readonly principal: Customer;
  /** The same for the calls to a model. */
  readonly model: { readonly name: string; readonly price: { readonly version: number } };
  readonly labels: Pick<UsageRow, "endUser" | "tags"> | null;
  readonly hold: { readonly userAmount: Amount };
};

type RecordedEnd = Pick<UsageRow, "outcome" | "httpStatus" | "errorCode" | "units" | "usageSource"> &
  Partial<{ [Field in "isImplausible" | "providerCost" | "cacheBasisPoints"]: NonNullable<UsageRow[Field]> }>;

/**
 * A served call whose row is still in parts. Most rows are written straight from these; the row itself is an object only
 * where somebody needs one.
 */
export interface RecordedCall extends Pick<UsageRow, "day" | "durationMs"> {
  readonly quota: Amount;
  readonly state: RecordedState;
  readonly end: RecordedEnd;
  toRow(): UsageRow;
}

/** The effect of committed rows on one budget of this replica. */
export type BudgetCharge = {
  readonly budgetId: BudgetId;
  /** The sum of the rows that were new. */
  readonly charged: Quota;
  /** How much of it came out of this replica's lease; the rest came out of what remained. */
  readonly taken: Quota;
};
