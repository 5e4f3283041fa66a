import { For, type JSX, Show } from "solid-js";
import { Button } from "../../../kit/button.tsx";
import { Status } from "../../../kit/status.tsx";
import { actFor } from "../../acting-for.ts";
import type { Organisation } from "../../parts/organisation-queries.ts";
import { organisationArea } from "./messages/messages.ts";
import styles from "./organisation.module.css";

/** The organisations of the user, each with a way to change to it. */
export function OrganisationList(props: { readonly organisations: readonly Organisation[] }): JSX.Element {
  const texts = organisationArea.texts();
  return (
    <ul class={`plain-list ${styles["rows"]}`}>
      <For each={props.organisations}>
        {({ organisation_id, name, role, status }) => (
          <li class={styles["row"]}>
            <div>
              <strong>
                <bdi>{name}</bdi>
              </strong>{" "}
              <Show when={status === "suspended"}>
                <Status tone="bad">{texts.suspended}</Status>
              </Show>
              <div class="muted">{texts.roles[role]}</div>
            </div>
            <Button
              aria-label={`${texts.open}: ${name}`}
              onClick={() => actFor({ id: String(organisation_id), name, role }, "/console/organisation/")}
            >
              {texts.open}
            </Button>
          </li>
        )}
      </For>
    </ul>
  );
}
