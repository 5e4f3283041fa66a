import type { setupSteps } from "@sluice/contracts/setup";
import type { Database } from "../../platform/db.ts";
import { readFacts } from "./store.ts";

export type SetupDeps = {
  readonly db: Database;
  /** The address of the sandbox provider, whose channels and models don't count; null if none is started. */
  readonly sandboxUrl: string | null;
  /** Whether customers can pay by a gateway now. */
  readonly isPaymentReady: () => Promise<boolean>;
  /** Whether mails leave the house, instead of only being logged. */
  readonly sendsMail: boolean;
  /** Whether the public address is set and takes HTTPS. */
  readonly hasPublicAddress: boolean;
  /** Whether the service has a name of its own, and whether its terms and its privacy policy are linked. */
  readonly hasBrand: () => boolean;
  readonly hasLegalPages: () => boolean;
};

type Step = { readonly step: (typeof setupSteps)[number]; readonly is_done: boolean };

/** Which steps are done, each found by what it leaves and not by whether someone clicked it. */
export async function readSetup(deps: SetupDeps): Promise<Step[]> {
  const [facts, isPaymentReady] = await Promise.all([readFacts(deps.db, deps.sandboxUrl), deps.isPaymentReady()]);
  return [
    { step: "provider", is_done: facts.has_provider },
    { step: "models", is_done: facts.has_model },
    { step: "plan", is_done: facts.has_plan },
    { step: "payment", is_done: isPaymentReady },
    { step: "mail", is_done: deps.sendsMail },
    { step: "address", is_done: deps.hasPublicAddress },
    { step: "brand", is_done: deps.hasBrand() },
    { step: "legal", is_done: deps.hasLegalPages() },
    { step: "backup", is_done: facts.has_backup },
    { step: "authenticator", is_done: facts.has_authenticator },
  ];
}
