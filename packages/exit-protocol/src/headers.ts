/** Every response of a node agent has this header with the code of the node. */
export const exitNodeHeader = "x-svc-exit-node";

/** This header carries the relay key if `Authorization` is already used. */
export const relayKeyHeader = "x-svc-relay-key";

/** Names the node's provider account that should serve a call; without it the node uses its first active one. */
export const accountHeader = "x-svc-exit-account";

/** Carries a challenge to `/health` in place of the relay key; described in `challenge.ts`. */
export const challengeHeader = "x-svc-challenge";

/** The response to a challenge: proof that the node holds the relay key. */
export const proofHeader = "x-svc-proof";
