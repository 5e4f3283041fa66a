import { useSearchParams } from "@solidjs/router";
import { createEffect } from "solid-js";

/**
 * Opens the form of a page when its address has `?create`, as the palette and the steps of a new account lead there, and takes
 * that off the address.
 */
export function onAskedToCreate(open: () => void): void {
  const [params, setParams] = useSearchParams();
  createEffect(() => {
    if (params["create"] !== undefined) {
      setParams({ create: null }, { replace: true });
      open();
    }
  });
}
