import type { Stripe } from "stripe";

type Package = typeof Stripe;

let loaded: Package | null = null;

/** The gateway's package, loaded when it is first needed, because it takes 4 MB and most services have no card gateway. */
export async function loadCardPackage(): Promise<Package> {
  loaded ??= (await import("stripe")).Stripe;
  return loaded;
}

type PackageErrors = Package["errors"];
type ErrorKind = "StripeError" | "StripeCardError" | "StripeInvalidRequestError";

/** Whether the package has thrown this error. Before it is loaded, it has thrown none. */
export function isPackageError<Kind extends ErrorKind>(
  error: unknown,
  kind: Kind,
): error is InstanceType<PackageErrors[Kind]> {
  return loaded !== null && error instanceof loaded.errors[kind];
}
