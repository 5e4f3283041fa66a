import type { CreateAdminInput, SaveAdminInput } from "@sluice/contracts/accounts";
import type { AdminClosingInput } from "@sluice/contracts/closing";
import type { CreateInvitationInput, SaveRegistrationInput } from "@sluice/contracts/registration";
import type { SaveProviderInput } from "@sluice/contracts/sign-in";
import type { Act } from "../admin/approvals/port.ts";
import { type KeptAct, keptAct } from "../admin/approvals/service.ts";
import type { MailQueue } from "../mail/model.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { Queryable } from "../platform/db.ts";
import { saveAdminAct } from "./admins/admin-rights.ts";
import { createAdminAct } from "./admins/create-admin.ts";
import { removeTotpAct, type TotpRemoval } from "./admins/remove-totp.ts";
import { type AdminActInput, passwordLinkAct } from "./admins/send-link.ts";
import { closeUserAct } from "./closing/close-act.ts";
import { PasswordHashing } from "./passwords/password-hashing.ts";
import type { GatewayUsers } from "./port.ts";
import { createInvitationAct } from "./registration/invitations.ts";
import { saveRulesAct } from "./registration/save-rules.ts";
import { saveProviderAct } from "./sign-in/save-provider.ts";
import { saveUserAct, type UserSaveInput } from "./users/save-user.ts";

/** Acts on other accounts that would let one admin act as two, or give away what is sold. */
export type AccountActs = {
  readonly createAdmin: Act<CreateAdminInput>;
  readonly saveAdmin: Act<SaveAdminInput>;
  readonly passwordLink: Act<AdminActInput>;
  readonly removeTotp: Act<TotpRemoval>;
  readonly saveUser: Act<UserSaveInput>;
  readonly closeUser: Act<AdminClosingInput>;
  readonly saveProvider: Act<SaveProviderInput>;
  readonly saveRegistration: Act<SaveRegistrationInput>;
  readonly createInvitation: Act<CreateInvitationInput>;
};

export type AccountActDeps = {
  readonly mails: MailQueue;
  readonly baseUrl: string;
  readonly masterKey: MasterKey;
  readonly gatewayUsers: Pick<GatewayUsers, "change" | "remaining">;
  /** How long the closing of an account can be undone. */
  readonly waitingDays: () => number;
  readonly hasGroup: (db: Queryable, name: string) => Promise<boolean>;
};

export function accountActs({ gatewayUsers, ...deps }: AccountActDeps): AccountActs {
  return {
    createAdmin: createAdminAct({ ...deps, hashing: new PasswordHashing() }),
    saveAdmin: saveAdminAct(),
    passwordLink: passwordLinkAct(deps),
    removeTotp: removeTotpAct(),
    saveUser: saveUserAct(gatewayUsers),
    closeUser: closeUserAct({ ...deps, gatewayUsers }),
    saveProvider: saveProviderAct(deps),
    saveRegistration: saveRulesAct(),
    createInvitation: createInvitationAct(deps),
  };
}

/** The acts of this file as they run after a second person has approved them. */
export function keptAccountActs(acts: AccountActs): KeptAct[] {
  const { createAdmin, saveAdmin, passwordLink, removeTotp, saveUser, saveProvider } = acts;
  const ofRegistration = [keptAct(acts.saveRegistration), keptAct(acts.createInvitation)];
  const ofAdmins = [keptAct(createAdmin), keptAct(saveAdmin), keptAct(passwordLink), keptAct(removeTotp)];
  return [...ofAdmins, keptAct(saveUser), keptAct(acts.closeUser), keptAct(saveProvider), ...ofRegistration];
}
