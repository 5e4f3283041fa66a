/** A nominal type: two ids of different kinds can't be mixed up, at no cost at run time. */
export type Brand<T, Name extends string> = T & { readonly __brand: Name };

/** UUID version 7 in its 36-character form; its first 48 bits are the start of the call in milliseconds. */
export type RequestId = Brand<string, "RequestId">;
export type UserId = Brand<bigint, "UserId">;
export type GatewayUserId = Brand<bigint, "GatewayUserId">;
export type ApiKeyId = Brand<bigint, "ApiKeyId">;
export type BudgetId = Brand<bigint, "BudgetId">;
export type ChannelId = Brand<bigint, "ChannelId">;
export type CredentialId = Brand<bigint, "CredentialId">;
/** The id of one running process with its own spool. */
export type ReplicaId = Brand<string, "ReplicaId">;
