import type { IconName } from "../kit/icon.tsx";

/** One page in the sidebar. */
export type NavEntry = {
  /** The path below the base of the entry, such as `/keys/`. */
  readonly path: string;
  readonly label: string;
  readonly icon: IconName;
  /** The letter after `g` that opens it. */
  readonly key?: string;
  /** The heading above the first entry of a group. */
  readonly group?: string;
};
