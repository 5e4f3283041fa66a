/** On every answer of a node agent: the code of the node. */
export const exitNodeHeader = "x-svc-exit-node";

/** Carries the relay key where `Authorization` is taken. */
export const relayKeyHeader = "x-svc-relay-key";

/** Names the provider account of the node that is to serve a call; without it the node takes its first active one. */
export const accountHeader = "x-svc-exit-account";

/** A challenge to `/health` in place of the relay key; `challenge.ts` describes it. */
export const challengeHeader = "x-svc-challenge";

/** The answer to a challenge: proof that the node holds the relay key. */
export const proofHeader = "x-svc-proof";
