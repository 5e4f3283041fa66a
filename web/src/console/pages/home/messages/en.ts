import { english } from "../../../../i18n/messages.ts";

export const messages = english({
  title: "Home",
  balance: "Balance",
  used: "Used so far",
  balanceLabel: "Your account in figures",
  account: "Account",
  userId: "User id",
  gatewayUserId: "Upstream gateway user id",
  email: "E-mail",
  status: "Status",
  multiplier: "Rate multiplier",
  statusNames: { active: "active", email_pending: "waits for verification", suspended: "suspended", closed: "closed" },
});

export type HomeMessages = typeof messages;
