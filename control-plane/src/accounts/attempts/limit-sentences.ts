import { type AttemptLimit, addressLimits, attemptKinds, codeLimit, dataExportLimit } from "./model.ts";

const hashQueue =
  "Only four passwords are checked at a time; a request that would wait longer than two seconds is refused.";

/** The rate limits of endpoints, worded for their descriptions. */
export const limitSentences = {
  login: guessesOf(attemptKinds.userLogin.ofPair, attemptKinds.userLogin.ofAddress),
  adminLogin: guessesOf(attemptKinds.adminLogin.ofPair, attemptKinds.adminLogin.ofAddress),
  signIn: guessesOf(attemptKinds.signIn.ofPair, attemptKinds.signIn.ofAddress).slice(0, 2),
  passkey: guessesOf(attemptKinds.passkey.ofPair, attemptKinds.passkey.ofAddress).slice(0, 2),
  confirmation: guessesOf(attemptKinds.confirmation.ofPair, attemptKinds.confirmation.ofAddress),
  code: [`Codes for an account: ${waitOf(codeLimit)}`],
  dataExport: [`Files for an account: ${waitOf(dataExportLimit)}`],
  registration: [`From an address: ${waitOf(addressLimits.registration)}`, hashQueue],
  mail: [`E-mails requested from an address: ${waitOf(addressLimits.mail)}`],
} as const;

function guessesOf(ofPair: AttemptLimit, ofAddress: AttemptLimit): readonly string[] {
  return [
    `Wrong ones for an account from an address: ${waitOf(ofPair)}`,
    `Wrong ones from an address: ${waitOf(ofAddress)}`,
    hashQueue,
  ];
}

function waitOf({ free, delaySecondsMin, delaySecondsMax }: AttemptLimit): string {
  return `${free} at once, then one after ${delaySecondsMin} s; each further wait is twice as long, up to ${delaySecondsMax} s.`;
}
