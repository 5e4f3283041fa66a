import type { Tone } from "../kit/status.tsx";

/** The tone of a state, the same on every page; a state that is not listed is neutral. */
const tones: Readonly<Record<string, Tone>> = {
  active: "ok",
  usable: "ok",
  taken_back: "warn",
  rewarded: "ok",
  upcoming: "info",
  used_up: "neutral",
  enabled: "ok",
  settled: "ok",
  sent: "ok",
  done: "ok",
  completed: "ok",
  answered: "ok",
  won: "ok",
  approved: "ok",
  success: "ok",
  ok: "ok",
  testing: "info",
  pending: "warn",
  email_pending: "warn",
  queued: "info",
  sending: "info",
  contacted: "info",
  standby: "info",
  resting: "warn",
  aborted: "warn",
  received: "warn",
  unconfirmed: "warn",
  unknown_order: "warn",
  past_due: "bad",
  locked: "bad",
  flagged: "bad",
  wrong_mode: "bad",
  review: "bad",
  suspended: "bad",
  failed: "bad",
  dead: "bad",
  revoked: "neutral",
};

export function toneOf(state: string): Tone {
  return tones[state] ?? "neutral";
}
