import { type SaveSecretInput, saveSecretInput } from "@sluice/contracts/secrets";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import type { Act } from "../approvals/port.ts";
import { recordAct } from "../approvals/service.ts";
import { saveSecret } from "./service.ts";

export type SaveSecretDeps = {
  readonly masterKey: MasterKey;
  /**
   * Names of the secrets that payments and emails depend on: anyone who knows their values can forge payments and read
   * emails.
   */
  readonly ofTwo: ReadonlySet<string>;
  /** Called after the commit of a change. */
  readonly onChange: () => void;
};

/** Saves a secret under its name. */
export function saveSecretAct({ masterKey, ofTwo, onChange }: SaveSecretDeps): Act<SaveSecretInput> {
  return {
    kind: "secret.save",
    schema: saveSecretInput,
    secretField: "value",
    reasonOf: () => "",
    perform: async (tx, { name, value }, origin) => {
      const { version } = await saveSecret(tx, masterKey, name, value);
      await recordAct(tx, origin, {
        action: "secret.save",
        subjectKind: "secret",
        subjectId: name,
        before: version === 1 ? null : { version: version - 1 },
        after: { version },
      });
      return {
        isNew: true,
        amount: null,
        takesTwo: ofTwo.has(name),
        effects: { secret: name, secret_is: version === 1 ? "new" : "replaced" },
        finish: async () => {
          onChange();
          return { secret: { name, version } };
        },
      };
    },
  };
}
