/** What an account can be notified of, in the order in which forms offer it. */
export const userEventTypes = ["key.created", "balance.low", "payment.settled"] as const;

/** What operators can be notified of: the events of all accounts, and those of the service itself. */
export const operatorEventTypes = [
  ...userEventTypes,
  "channel.down",
  "channel.recovered",
  "error_rate.high",
  "error_rate.recovered",
  "money_check.violated",
  "money_check.passed",
  "node.lost",
  "node.recovered",
] as const;

export type EventType = (typeof operatorEventTypes)[number];

/** Where events can be sent. Accounts have webhooks only. */
export const targetKinds = ["webhook", "mail", "slack", "discord", "telegram", "feishu"] as const;

export type TargetKind = (typeof targetKinds)[number];

export const userTargetsMax = 5;
export const operatorTargetsMax = 20;
/** How long the secret before a rotation still signs. */
export const oldSecretHours = 24;
export const replaysMax = 10;
export const testsPerHourMax = 20;
/** How long events and their deliveries can be looked up. */
export const eventDaysKept = 30;
