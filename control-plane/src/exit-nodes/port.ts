import type { Transaction } from "../platform/db.ts";

/** The required state of a node's channel. */
export type NodeChannel = {
  readonly nodeCode: string;
  readonly baseUrl: string;
  /** Connections go to this address, whatever the name in `baseUrl` says. */
  readonly address: string;
  /**
   * Whether the server at the address has proved that it holds the relay key; otherwise the channel gets no credential.
   */
  readonly isProven: boolean;
  /** The relay key that was proven; null leaves the stored one. */
  readonly credential: string | null;
  readonly isEnabled: boolean;
};

/** The gateway's channels for exit nodes, which are in their own group. */
export interface ExitChannels {
  /** Creates or updates a node's channel; writes nothing when it is up to date. */
  put(tx: Transaction, channel: NodeChannel): Promise<void>;
  /** Gives the channels an ability for each model that a route allows, and for no other. */
  alignAbilities(tx: Transaction): Promise<void>;
}

/** The relay keys in the secret store. */
export interface RelayKeys {
  /**
   * Inside a transaction, pass it as `tx`, so that the read uses its connection: holding one connection while waiting
   * for another can deadlock.
   */
  read(name: string, tx?: Transaction): Promise<string | null>;
  save(tx: Transaction, name: string, value: string): Promise<void>;
  /** The names of all secrets. */
  names(): Promise<readonly string[]>;
}

/** What a replica observed about the calls through one node. */
export type NodeTraffic = {
  readonly nodeCode: string;
  readonly calls: number;
  readonly failures: number;
  readonly lastFailure: string | null;
  readonly isOpen: boolean;
};
