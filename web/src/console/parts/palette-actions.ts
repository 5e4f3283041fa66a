import type { PaletteEntry } from "../../shell/palette-entries.ts";
import { acting, mayDo } from "../acting-for.ts";
import { frameArea } from "../messages/frame.ts";

/** What the palette offers to begin, as far as the role in the organisation allows it. */
export function ownActions(open: (href: string) => void): readonly PaletteEntry[] {
  const texts = frameArea.texts().console;
  const offered = [
    { label: texts.createKey, href: "/console/keys/?create", isAllowed: mayDo("own_keys") },
    { label: texts.topUp, href: "/console/billing/", isAllowed: mayDo("billing") },
    {
      label: texts.inviteMember,
      href: "/console/organisation/?create",
      isAllowed: acting !== null && mayDo("members"),
    },
  ];
  return offered
    .filter(({ isAllowed }) => isAllowed)
    .map(({ label, href }) => ({ label, kind: texts.kindAction, onSelect: () => open(href) }));
}
