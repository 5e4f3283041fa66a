/** What reading payloads needs to know of logins. */
export interface TraceSessions {
  /** How long ago the login was made; infinite for one that is not there. */
  ageSeconds(sessionId: bigint): Promise<number>;
}
