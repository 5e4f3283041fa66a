import ownPackage from "../../package.json" with { type: "json" };

/** Set by the build of the one file; a checkout has its commit in git. */
declare const SLUICE_COMMIT: string | undefined;

/** What this program was built from. `commit` is null in a checkout. */
export const buildFacts: { readonly version: string; readonly commit: string | null } = {
  version: ownPackage.version,
  commit: typeof SLUICE_COMMIT === "string" ? SLUICE_COMMIT : null,
};
