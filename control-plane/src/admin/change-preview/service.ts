import {
  type ChangePreviewInput,
  type Consequence,
  type changePreviewResponse,
  priceEffectDays,
} from "@sluice/contracts/change-preview";
import type { Unsent } from "@sluice/contracts/wire";
import type { z } from "zod";
import type { Database, Transaction } from "../../platform/db.ts";
import { rehearse } from "../../platform/db-rehearsal.ts";
import { refuseGuardedFields, refuseWithoutRight } from "../../platform/endpoint/admin-rules.ts";
import type { AdminCaller, AnyEndpoint, CallBase } from "../../platform/endpoint/model.ts";
import { checkInput } from "../../platform/endpoint/read-input.ts";
import { AppError } from "../../platform/errors.ts";
import { SecondPersonNeeded } from "../approvals/service.ts";
import { compareReach, consequencesOf } from "./consequences.ts";
import { readReach, readSubjects, type Subject } from "./consequences-store.ts";
import { priceEffectOf } from "./price-effect.ts";

export type ChangePreviewDeps = {
  readonly db: Database;
  /** All endpoints of the backend, once they are known. */
  readonly endpoints: () => readonly AnyEndpoint[];
};

type Call = CallBase<ChangePreviewInput> & { readonly admin: AdminCaller };
type Preview = Unsent<z.output<typeof changePreviewResponse>>;
type Seen = {
  readonly waits: boolean;
  readonly changes: boolean;
  readonly consequences: readonly Consequence[];
  readonly price_effect: Preview["price_effect"];
};

/**
 * What an operation would do: it is carried out as if it had been asked for, up to the end of its transaction, which is
 * rolled back. A login that has to be more recent for the operation may still look what it would do.
 * @throws AppError what the operation requires of the login
 */
export async function previewChange(deps: ChangePreviewDeps, call: Call): Promise<Preview> {
  const operation = operationOf(deps, call.input.operation);
  const admin = { ...call.admin, isFresh: true };
  refuseWithoutRight(operation, admin);
  let seen: Seen = { waits: false, changes: false, consequences: [], price_effect: null };
  try {
    const input = checkInput(operation, call.input.input);
    refuseGuardedFields(operation, input, admin);
    await rehearse(
      {
        isResult: (error) => error instanceof SecondPersonNeeded,
        look: async (tx, failure) => {
          seen = { ...(await lookAt(deps.db, tx, call.requestId)), waits: failure !== null };
        },
      },
      () => operation.handle({ ...call, admin, input, bytes: new Uint8Array(), params: {} }),
    );
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) {
      throw error;
    }
    return { ...seen, problem: { message: error.message, fields: error.fields ?? {} } };
  }
  return { ...seen, problem: null };
}

function operationOf({ endpoints }: ChangePreviewDeps, asked: string): AnyEndpoint {
  const found = endpoints().find(({ path, method }) => path === asked && method === "POST");
  if (found === undefined) {
    throw new Error(`unknown operation: ${asked}`);
  }
  return found;
}

/** Kinds of things on which it depends whether a group reaches a model. */
const routingKinds: ReadonlySet<string> = new Set(["channel", "model", "ability", "exit-node-route", "group"]);

async function lookAt(db: Database, tx: Transaction, requestId: string): Promise<Omit<Seen, "waits">> {
  const subjects = await readSubjects(tx, requestId);
  const isRouting = subjects.some(({ kind }) => routingKinds.has(kind));
  const reach = isRouting ? compareReach(await readReach(db), await readReach(tx)) : [];
  const affected = await consequencesOf(tx, subjects.filter(isKnown));
  const effect = await priceEffectOf(db, tx, subjects.filter(isKnown));
  return {
    changes: subjects.length > 0,
    consequences: [...affected, ...reach],
    price_effect: effect === null ? null : { ...effect, days: priceEffectDays },
  };
}

/** Nobody is affected by what does not exist yet, except by terms, which users have to accept. */
const isKnown = ({ isNew, kind }: Subject): boolean => !isNew || kind === "legal_text";
