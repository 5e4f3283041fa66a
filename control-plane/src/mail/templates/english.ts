import type { MailWords } from "./words.ts";

export const english: MailWords = {
  colon: ": ",
  byHand: "If the button does not work, open this address:",
  footer: "This mail was sent automatically by {{service}}.",
  email_verify: {
    subject: "Confirm your e-mail address",
    title: "Confirm your e-mail address",
    body: ["Welcome to {{service}}. Please confirm that this e-mail address is yours."],
    action: "Confirm e-mail address",
    notes: ["The link is valid for {{valid_for}}.", "If you did not create an account, you can ignore this mail."],
  },
  account_exists: {
    subject: "You already have an account",
    title: "You already have an account",
    body: [
      "Somebody, probably you, tried to register at {{service}} with this e-mail address. It already has an account, so nothing was changed.",
    ],
    action: "Log in",
    notes: [
      "Forgot your password? Reset it here: {{reset_link}}",
      "If it was not you, there is nothing you need to do.",
    ],
  },
  password_reset: {
    subject: "Reset your password",
    title: "Reset your password",
    body: [
      "We were asked to reset the password of your account at {{service}}. If it was you, choose a new password here.",
    ],
    action: "Choose a new password",
    notes: [
      "The link is valid for {{valid_for}} and works once.",
      "If it was not you, ignore this mail; your password stays as it is.",
    ],
  },
  password_changed: {
    subject: "Your password was changed",
    title: "Your password was changed",
    body: ["The password of your account at {{service}} was changed, and all sessions were ended."],
    action: "It was not me: reset the password",
    notes: [
      "If it was you, there is nothing you need to do.",
      "Your API keys keep working. Revoke those that you don’t know in the console.",
    ],
  },
  recovery_code_used: {
    subject: "A recovery code of your account was used",
    title: "A recovery code was used",
    body: [
      "A recovery code was used in place of the code of your authenticator at {{service}}. {{left}} of them are left.",
    ],
    action: "Open my account",
    notes: [
      "If it was you, there is nothing you need to do. If it was not, change your password and make new recovery codes at once.",
    ],
  },
  approval_waiting: {
    subject: "Request {{request_no}} needs a second super-admin",
    title: "A request needs a second super-admin",
    body: [
      "A super-admin at {{service}} has asked for something that takes two. Nothing is changed until you or another super-admin agrees to request {{request_no}}.",
    ],
    action: "Look at the request",
    notes: [
      "It can be decided for {{valid_for}}. If nobody agrees by then, nothing happens.",
      "If you did not expect this request, talk to the others before you agree to anything.",
    ],
  },
  payment_success: {
    subject: "Payment received: {{amount}}",
    title: "Payment received",
    body: ["Thank you for your payment. The credit has been added to your account."],
    action: "Open the console",
    notes: [],
    facts: { order_no: "Order", plan_name: "Plan", amount: "Amount", credit: "Credit" },
  },
  quota_low: {
    subject: "Less than {{threshold}} of your credit is left",
    title: "Your credit is running low",
    body: [
      "Your remaining credit is {{credit}}. That is less than {{threshold}} of what was last added.",
      "Once it is used up, requests are refused until you top up.",
    ],
    action: "Top up",
    notes: [],
  },
};
