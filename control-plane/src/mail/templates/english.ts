import type { MailWords } from "./words.ts";

export const english: MailWords = {
  colon: ": ",
  byHand: "If the button does not work, open this address:",
  footer: "This is an automated e-mail from {{service}}.",
  email_verify: {
    subject: "Confirm your e-mail address",
    title: "Confirm your e-mail address",
    body: ["Welcome to {{service}}. Please confirm that this e-mail address is yours."],
    action: "Confirm e-mail address",
    notes: ["The link is valid for {{valid_for}}.", "If you did not create an account, you can ignore this e-mail."],
  },
  account_exists: {
    subject: "You already have an account",
    title: "You already have an account",
    body: [
      "Someone, probably you, tried to register at {{service}} with this e-mail address. It already has an account, so nothing was changed.",
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
      "We received a request to reset the password of your account at {{service}}. If it was you, choose a new password here.",
    ],
    action: "Choose a new password",
    notes: [
      "The link is valid for {{valid_for}} and works once.",
      "If it was not you, ignore this e-mail; your password will not change.",
    ],
  },
  password_changed: {
    subject: "Your password was changed",
    title: "Your password was changed",
    body: ["The password of your account at {{service}} was changed, and you were logged out everywhere."],
    action: "It was not me: reset the password",
    notes: [
      "If it was you, there is nothing you need to do.",
      "Your API keys keep working. In the console, revoke any you don’t recognise.",
      "Linked sign-ins with other services keep working unless they were removed together with the change. On your account page, remove any you don’t recognise.",
    ],
  },
  recovery_code_used: {
    subject: "A recovery code of your account was used",
    title: "A recovery code was used",
    body: [
      "A recovery code was used instead of a code from your authenticator at {{service}}. You have {{left}} left.",
    ],
    action: "Open my account",
    notes: [
      "If it was you, there is nothing you need to do. If not, change your password and create new recovery codes immediately.",
    ],
  },
  sign_in_linked: {
    subject: "A sign-in was added to your account",
    title: "A sign-in was added",
    body: ["From now on, your account at {{service}} can be opened with your account at {{provider}}."],
    action: "Open my account",
    notes: [
      "If it was you, there is nothing you need to do. If not, remove it in your account and change your password immediately.",
    ],
  },
  passkey_added: {
    subject: "A passkey was added to your account",
    title: "A passkey was added",
    body: ["From now on, your account at {{service}} can be opened with a new passkey."],
    action: "Open my account",
    notes: [
      "If it was you, there is nothing you need to do. If not, remove it in your account and change your password immediately.",
    ],
  },
  passkey_removed: {
    subject: "A passkey was removed from your account",
    title: "A passkey was removed",
    body: ["One of your passkeys no longer opens your account at {{service}}."],
    action: "Open my account",
    notes: ["If it was you, there is nothing you need to do. If not, change your password immediately."],
  },
  passkey_copied: {
    subject: "A passkey of your account may have been copied",
    title: "A passkey may have been copied",
    body: [
      "A passkey of your account at {{service}} was used, and its counter shows that another copy of it has been used before.",
    ],
    action: "Open my account",
    notes: [
      "On your account page, remove the passkey that you used last and add a new one. If you don’t recognise the login, also log out your other sessions.",
    ],
  },
  account_closing: {
    subject: "Your account will be closed on {{closes_on}}",
    title: "Your account is being closed",
    body: [
      "Your account at {{service}} will be closed on {{closes_on}}. Your API keys are refused from now on. On that day, you lose what is left of your balance, and your personal data is removed.",
    ],
    action: "Open my account",
    notes: [
      "Until then, you can undo this on your account page. If you did not ask for it, undo it now and change your password. If the operator closes the account, contact support.",
    ],
  },
  account_kept: {
    subject: "Your account will not be closed",
    title: "Your account will not be closed",
    body: [
      "Your account at {{service}} will not be closed, and your API keys work again. Access tokens have ended: create new ones if you need them.",
    ],
    action: "Open my account",
    notes: ["If it was not you, change your password immediately."],
  },
  account_closed: {
    subject: "Your account was closed",
    title: "Your account was closed",
    body: [
      "Your account at {{service}} was closed, and your personal data was removed. Invoices and accounting records are kept as long as the law requires. This is the last e-mail about it.",
    ],
    action: "Sign up again",
    notes: ["You can use this address for a new account."],
  },
  email_change: {
    subject: "Verify your new e-mail address",
    title: "Verify your new e-mail address",
    body: [
      "Somebody wants to use this address for an account at {{service}}. Open the link and press the button to confirm it. The link is valid for {{valid_for}}.",
    ],
    action: "Verify the address",
    notes: ["If it was not you, ignore this e-mail. Nothing changes without the link."],
  },
  email_changed: {
    subject: "The e-mail address of your account was changed",
    title: "The e-mail address was changed",
    body: [
      "Your account at {{service}} now has another e-mail address. We no longer send e-mails about it to this one.",
    ],
    action: "Undo the change",
    notes: [
      "If it was you, there is nothing you need to do. If not, open the link within seven days: it restores this address, ends all sessions and lets you set a new password.",
    ],
  },
  email_restored: {
    subject: "Your account has its old e-mail address again",
    title: "The old e-mail address is back",
    body: [
      "Your account at {{service}} has this address again. All its sessions and access tokens have ended. Its password, passkeys and sign-in services were removed, and so was an authenticator that was set up after the change.",
    ],
    action: "Set a new password",
    notes: ["Then look through your API keys, and revoke any you don’t recognise."],
  },
  approval_waiting: {
    subject: "Request {{request_no}} needs a second super-admin",
    title: "A request needs a second super-admin",
    body: [
      "A super-admin at {{service}} has requested something that needs a second approval. Nothing changes until you or another super-admin approves request {{request_no}}.",
    ],
    action: "Review the request",
    notes: [
      "It can be decided for {{valid_for}}. If nobody approves it by then, nothing happens.",
      "If you did not expect this request, talk to the others before you approve anything.",
    ],
  },
  organisation_invitation: {
    subject: "You are invited to an organisation",
    title: "You are invited to an organisation",
    body: [
      "A member of an organisation at {{service}} invites you to join it. You then work with its account and its balance.",
    ],
    action: "See the invitation",
    notes: [
      "The link is valid for {{valid_for}}, works once, and only for a login with this e-mail address.",
      "If you do not know who invited you, you can ignore this e-mail.",
    ],
  },
  payment_success: {
    subject: "Payment received: {{amount}}",
    title: "Payment received",
    body: ["Thank you for your payment. Your balance has been topped up."],
    action: "Open the console",
    notes: [],
    facts: { order_no: "Order", plan_name: "Plan", amount: "Amount", credit: "Credit" },
  },
  renewal_failed: {
    subject: "We could not charge for {{plan_name}}",
    title: "The payment failed",
    body: [
      "We tried to charge {{amount}} for the next month of {{plan_name}} at {{service}}, but the payment failed. You keep your plan until {{until}}, and we will try again.",
    ],
    action: "Change the payment method",
    notes: ["If the payment still fails then, your plan ends and nothing more is charged."],
  },
  renewal_ended: {
    subject: "Your plan {{plan_name}} has ended",
    title: "Your plan has ended",
    body: [
      "We could not charge for the next month of {{plan_name}} at {{service}}, so your plan has ended. Nothing more will be charged.",
    ],
    action: "See the plans",
    notes: [],
  },
  renewal_left: {
    subject: "{{plan_name}} will not renew",
    title: "The plan will not renew",
    body: [
      "The card that {{plan_name}} at {{service}} is charged to belongs to someone who no longer pays for your organisation, so nothing more is charged to it. The plan runs until {{until}}. To keep it, subscribe again with another card.",
    ],
    action: "See the plans",
    notes: [],
  },
  renewal_changes: {
    subject: "{{plan_name}} changes on {{from}}",
    title: "Your plan changes",
    body: [
      "From the first month that begins on {{from}} or later, {{plan_name}} at {{service}} costs {{amount}} per month and adds {{credit}} to your balance.",
    ],
    action: "See my plan",
    notes: ["Months that begin before then stay as they are. If you do not agree, cancel before then."],
  },
  top_up_failed: {
    subject: "Your automatic top-up could not be charged",
    title: "The automatic top-up failed",
    body: [
      "Your balance at {{service}} is low, and we tried to charge {{amount}} to your saved payment method. Your bank declined it, or wants you to confirm it yourself.",
    ],
    action: "Pay now",
    notes: ["The link works for a day. If the next charge fails too, the automatic top-up is switched off."],
  },
  top_up_stopped: {
    subject: "Your automatic top-up is switched off",
    title: "Nothing more is charged automatically",
    body: [
      "Your automatic top-up of {{amount}} at {{service}} is off: your payment method was declined twice, we no longer offer what you agreed to, or a payment was returned or is under review.",
    ],
    action: "Open billing",
    notes: [],
  },
  quota_low: {
    subject: "Less than {{threshold}} of your balance is left",
    title: "Your balance is running low",
    body: [
      "Your balance is {{credit}}. That is less than {{threshold}} of your last top-up.",
      "Once it is used up, requests are refused until you top up.",
    ],
    action: "Top up",
    notes: [],
  },
  organisation_quota_low: {
    subject: "The balance of {{organisation}} is below {{threshold}}",
    title: "The balance of your organisation is running low",
    body: [
      "The balance of {{organisation}} is {{credit}}. That is less than {{threshold}} of its last top-up.",
      "Once it is used up, requests with its keys are refused until it is topped up.",
    ],
    action: "Top up",
    notes: [],
  },
  operator_event: {
    subject: "Event at {{service}}: {{title}}",
    title: "{{title}}",
    body: ["{{details}}"],
    action: "Open the events",
    notes: ["You get this because an admin of {{service}} added your address."],
  },
  webhook_failed: {
    subject: "Your webhook at {{service}} was switched off",
    title: "Your webhook was switched off",
    body: [
      "Nothing has accepted its messages for days, or its address no longer exists. No events are sent there any more.",
    ],
    action: "Open webhooks",
    notes: ["Once the address works again, switch the webhook on and send the failed messages again from its log."],
  },
};
