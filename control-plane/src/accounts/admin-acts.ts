import type { CreateAdminInput, SaveAdminInput } from "@sluice/contracts/accounts";
import type { Act } from "../admin/approvals/port.ts";
import { type KeptAct, keptAct } from "../admin/approvals/service.ts";
import type { MailQueue } from "../mail/model.ts";
import { saveAdminAct } from "./admins/admin-rights.ts";
import { createAdminAct } from "./admins/create-admin.ts";
import { removeTotpAct, type TotpRemoval } from "./admins/remove-totp.ts";
import { type AdminActInput, passwordLinkAct } from "./admins/send-link.ts";
import { PasswordHashing } from "./passwords/password-hashing.ts";
import type { GatewayUsers } from "./port.ts";
import { saveUserAct, type UserSaveInput } from "./users/save-user.ts";

/** Acts on other accounts that would let one admin act as two, or give away what is sold. */
export type AccountActs = {
  readonly createAdmin: Act<CreateAdminInput>;
  readonly saveAdmin: Act<SaveAdminInput>;
  readonly passwordLink: Act<AdminActInput>;
  readonly removeTotp: Act<TotpRemoval>;
  readonly saveUser: Act<UserSaveInput>;
};

export type AccountActDeps = {
  readonly mails: MailQueue;
  readonly baseUrl: string;
  readonly gatewayUsers: Pick<GatewayUsers, "change">;
};

export function accountActs({ gatewayUsers, ...deps }: AccountActDeps): AccountActs {
  return {
    createAdmin: createAdminAct({ ...deps, hashing: new PasswordHashing() }),
    saveAdmin: saveAdminAct(),
    passwordLink: passwordLinkAct(deps),
    removeTotp: removeTotpAct(),
    saveUser: saveUserAct(gatewayUsers),
  };
}

/** The acts of this file as they run after a second person has approved them. */
export function keptAccountActs(acts: AccountActs): KeptAct[] {
  const { createAdmin, saveAdmin, passwordLink, removeTotp, saveUser } = acts;
  return [keptAct(createAdmin), keptAct(saveAdmin), keptAct(passwordLink), keptAct(removeTotp), keptAct(saveUser)];
}
