import { english } from "../../i18n/messages.ts";
import { kitTextsEn } from "../../kit/kit-texts-en.ts";
import { shellTextsEn } from "../../shell/shell-texts.ts";

export const messages = {
  kit: english(kitTextsEn),
  shell: shellTextsEn,
  console: english({
    title: "Console",
    language: "Language",
    notFound: "This console page does not exist",
    notFoundText: "It may have been moved. The sidebar lists every page.",
    notForRole: "Not for your role",
    notForRoleText:
      "Owners of the organisation decide who may open this page. Your own account is in the menu at the top.",
    balance: "Balance",
    topUp: "Top up",
    pageFailed: "This page could not be loaded",
    account: "Account",
    howCounted: "How figures are counted",
    docs: "Docs",
    models: "Models and prices",
    kindKey: "API key",
    kindModel: "Model",
    kindCall: "Call",
    kindAction: "Action",
    createKey: "Create key",
    inviteMember: "Invite member",
    ownAccount: "Your own account",
    manageOrganisations: "Organisations",
    consentTitle: "The terms have changed",
    consentText: "Read and accept them in another tab, then continue here. What you typed is kept.",
    consentOpen: "Open in a new tab",
    consentDone: "I have accepted them",
  }),
};

export type FrameMessages = typeof messages;
