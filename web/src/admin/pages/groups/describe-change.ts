import { shownCount } from "../../shown.ts";
import type { GroupDetail } from "./group.ts";

export type LoadedGroup = GroupDetail["group"];
export type TypedGroup = Pick<LoadedGroup, "multiplier" | "visibility"> & { readonly rank: number };

const counted = (count: number | string, one: string, more: string): string =>
  `${shownCount(count)} ${Number(count) === 1 ? one : more}`;

/** What the change of a group would do, in sentences; none if nothing that matters changes. */
export function describeChange(
  before: TypedGroup,
  typed: TypedGroup,
  row: Readonly<Record<"accounts" | "members" | "keys", number | string>>,
): string[] {
  const holders = counted(Number(row.accounts) + Number(row.members), "account has it", "accounts have it");
  const keys = counted(row.keys, "live key names it", "live keys name it");
  const way = Number(typed.multiplier) > Number(before.multiplier) ? "more" : "less";
  const isSamePrice = Number(typed.multiplier) === Number(before.multiplier);
  const isPublic = typed.visibility === "public";
  return [
    ...(isSamePrice
      ? []
      : [
          `Calls in this group cost × ${typed.multiplier} instead of × ${before.multiplier} from now on, which is ${way}. ${holders}, and ${keys}.`,
        ]),
    ...(before.visibility === "public" && !isPublic
      ? [`Keys that name it are refused if their users lose it. ${keys}.`]
      : []),
    ...(before.visibility !== "public" && isPublic ? ["Every user may name it for their keys from now on."] : []),
    ...(typed.rank === before.rank
      ? []
      : [`Keys that name no group may change theirs, and with it their price. ${holders}.`]),
  ];
}
