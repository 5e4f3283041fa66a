import { type JSX, Show } from "solid-js";
import { dash } from "../shown.ts";

/** A link to everything about a user; without an id only the address, for an unclaimed order. */
export function UserLink(props: {
  readonly userId: number | string | null;
  readonly email?: string | null;
}): JSX.Element {
  return (
    <Show when={props.userId} fallback={props.email ?? dash}>
      {(userId) => <a href={`/admin/users/${userId()}/`}>{props.email ?? `user ${userId()}`}</a>}
    </Show>
  );
}
