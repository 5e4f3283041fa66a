import type { Effects } from "@sluice/contracts/approvals";
import {
  type RegistrationRulesView,
  type SaveRegistrationInput,
  saveRegistrationInput,
} from "@sluice/contracts/registration";
import type { Act } from "../../admin/approvals/port.ts";
import { recordAct } from "../../admin/approvals/service.ts";
import { AppError } from "../../platform/errors.ts";
import { givesMore } from "./gives-more.ts";
import { lockRules, type RegistrationRules, updateRules } from "./registration-store.ts";

/**
 * Changes who may register and what newcomers get. What may give them more free credit takes two people.
 */
export function saveRulesAct(): Act<SaveRegistrationInput> {
  return {
    kind: "registration.save",
    schema: saveRegistrationInput,
    reasonOf: ({ reason }) => reason,
    perform: async (tx, input, origin) => {
      const before = await lockRules(tx);
      if (Date.parse(input.updated_at) !== before.updatedAt.getTime()) {
        throw new AppError("conflict");
      }
      if (input.mode === "domains" && input.domains.length === 0) {
        throw new AppError("invalid_value", { fields: { domains: "Enter at least one domain." } });
      }
      const after = await updateRules(tx, rulesOf(input));
      await recordAct(tx, origin, {
        action: "registration.save",
        subjectKind: "registration",
        subjectId: "rules",
        before,
        after,
        reason: input.reason,
      });
      return {
        isNew: true,
        amount: null,
        takesTwo: givesMore(before, after),
        effects: {
          registration_before: before.mode,
          registration_after: after.mode,
          grant_before_quota: before.creditQuota.toString(),
          grant_after_quota: after.creditQuota.toString(),
          ...changesOf(before, after),
        },
        finish: async () => ({ rules: rulesView(after) }),
      };
    },
  };
}

/** What the second person has to see beside mode and credit: whatever changes of the rest. */
function changesOf(before: RegistrationRules, after: RegistrationRules): Effects {
  const parts = {
    domains: (rules: RegistrationRules) => rules.domains.join(", ") || "none",
    refused_domains: (rules: RegistrationRules) => rules.refusedDomains.join(", ") || "none",
    credit_limits: limitsText,
    proof: ({ proofBits }: RegistrationRules) => (proofBits === 0 ? "off" : `${proofBits} bits`),
  };
  const changed = Object.entries(parts).flatMap(([name, textOf]) => {
    const [was, is] = [textOf(before), textOf(after)];
    return was === is ? [] : [[`${name}_before`, was] as const, [`${name}_after`, is] as const];
  });
  return Object.fromEntries(changed);
}

function limitsText(rules: RegistrationRules): string {
  const shown = (limit: number, of: string): string => `${limit === 0 ? "unlimited" : limit} ${of}`;
  return [
    shown(rules.creditsPerNetworkDay, "per network and day"),
    shown(rules.creditsPerNetwork, "per network"),
    shown(rules.creditsPerDeviceDay, "per device and day"),
    shown(rules.creditsPerDevice, "per device"),
    shown(rules.creditsPerDay, "per day"),
  ].join("; ");
}

function rulesOf(input: SaveRegistrationInput): Omit<RegistrationRules, "updatedAt"> {
  return {
    mode: input.mode,
    domains: [...new Set(input.domains)],
    refusedDomains: [...new Set(input.refused_domains)],
    proofBits: input.proof_bits,
    creditQuota: input.credit_quota,
    creditsPerNetworkDay: input.credits_per_network_day,
    creditsPerNetwork: input.credits_per_network,
    creditsPerDeviceDay: input.credits_per_device_day,
    creditsPerDevice: input.credits_per_device,
    creditsPerDay: input.credits_per_day,
  };
}

/** The rules as responses have them. */
export function rulesView(rules: RegistrationRules): RegistrationRulesView {
  return {
    mode: rules.mode,
    domains: [...rules.domains],
    refused_domains: [...rules.refusedDomains],
    proof_bits: rules.proofBits,
    credit_quota: rules.creditQuota,
    credits_per_network_day: rules.creditsPerNetworkDay,
    credits_per_network: rules.creditsPerNetwork,
    credits_per_device_day: rules.creditsPerDeviceDay,
    credits_per_device: rules.creditsPerDevice,
    credits_per_day: rules.creditsPerDay,
    updated_at: rules.updatedAt,
  };
}
