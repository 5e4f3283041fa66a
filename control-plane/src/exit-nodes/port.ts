import type { Transaction } from "../platform/db.ts";

/** What the channel of a node has to be like. */
export type NodeChannel = {
  readonly nodeCode: string;
  readonly baseUrl: string;
  /** Connections go here, whatever the name in `baseUrl` says. */
  readonly address: string;
  /** Whether the server at the address has proven that it holds the relay key; without that the channel has none. */
  readonly isProven: boolean;
  /** The relay key that was shown; null leaves what is stored. */
  readonly credential: string | null;
  readonly isEnabled: boolean;
};

/** The gateway, as far as nodes need it: their channels, in the group that is theirs alone. */
export interface ExitChannels {
  /** Makes the channel of a node or brings it into step; writes nothing when it is so already. */
  put(tx: Transaction, channel: NodeChannel): Promise<void>;
  /** Gives the channels an ability for each model that a route lets through, and for no other. */
  alignAbilities(tx: Transaction): Promise<void>;
}

/** The secret store, as far as nodes need it. */
export interface RelayKeys {
  /** Within a transaction on its connection: a holder of one that waits for another can wait forever. */
  read(name: string, tx?: Transaction): Promise<string | null>;
  save(tx: Transaction, name: string, value: string): Promise<void>;
  /** The names of all secrets. */
  names(): Promise<readonly string[]>;
}

/** What a replica saw of the calls through one node. */
export type NodeTraffic = {
  readonly nodeCode: string;
  readonly calls: number;
  readonly failures: number;
  readonly lastFailure: string | null;
  readonly isOpen: boolean;
};
