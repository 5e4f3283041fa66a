import type { ChannelId, CredentialId } from "@sluice/contracts/ids";

/** The conversations remembered at a time; new ones replace those heard of longest ago. */
const placesMax = 50_000;

/** Where a conversation was answered last. */
export type Place = { readonly channelId: ChannelId; readonly credentialId: CredentialId | null };

/**
 * The places where conversations were answered, so that their next turns go there too: a provider keeps the prompt of
 * a conversation in the cache of one account, and signs what only this account can read.
 */
export class Affinities {
  readonly #places = new Map<string, Place>();

  find(conversation: string): Place | null {
    return this.#places.get(conversation) ?? null;
  }

  keep(conversation: string, place: Place): void {
    // A map keeps the order in which its keys were added.
    this.#places.delete(conversation);
    this.#places.set(conversation, place);
    if (this.#places.size > placesMax) {
      const [oldest] = this.#places.keys();
      this.#places.delete(oldest ?? "");
    }
  }
}
