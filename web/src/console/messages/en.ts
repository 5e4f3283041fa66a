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
    ownAccount: "Your own account",
    manageOrganisations: "Organisations",
  }),
};

export type FrameMessages = typeof messages;
