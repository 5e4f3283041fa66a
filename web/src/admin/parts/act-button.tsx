import type { AdminOperation } from "@sluice/contracts/admin-rights";
import { type ComponentProps, type JSX, splitProps } from "solid-js";
import { Button } from "../../kit/button.tsx";
import { IfAllowed } from "./rights.tsx";

/** A button that carries out an operation or opens its form, for admins who may do it. */
export function ActButton(props: ComponentProps<typeof Button> & { readonly operation: AdminOperation }): JSX.Element {
  const [own, rest] = splitProps(props, ["operation"]);
  return (
    <IfAllowed operation={own.operation}>
      <Button {...rest} />
    </IfAllowed>
  );
}
