import { type ComponentProps, type JSX, Show, splitProps } from "solid-js";
import { createMe, mayOpen } from "./rights.tsx";

/** A link to another page of the admin; for admins whose role does not have the page, its text or nothing. */
export function PageLink(
  props: ComponentProps<"a"> & {
    readonly href: string;
    /** Of a link that names nothing, such as "Open". A link that looks like a button is always left out. */
    readonly otherwise?: "nothing";
  },
): JSX.Element {
  const me = createMe();
  const [own, rest] = splitProps(props, ["otherwise"]);
  const isLeftOut = (): boolean => own.otherwise === "nothing" || rest.class === "button";
  return (
    <Show when={mayOpen(me.admin(), rest.href)} fallback={isLeftOut() ? null : rest.children}>
      <a {...rest} />
    </Show>
  );
}
