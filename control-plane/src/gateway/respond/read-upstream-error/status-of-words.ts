import type { ErrorWords } from "@sluice/messages-conversion/errors/read-error-words";

/** What providers call their errors, without case and separators, and the status that goes with it. */
const statusByName: ReadonlyMap<string, number> = new Map(
  Object.entries({
    400: "invalidrequest invalidrequesterror invalidargument invalidprompt contextlengthexceeded contentpolicyviolation",
    401: "authenticationerror invalidapikey unauthenticated",
    402: "billingerror insufficientcredits",
    403: "permissionerror permissiondenied",
    404: "notfound notfounderror modelnotfound",
    413: "requesttoolarge",
    429: "ratelimiterror ratelimitexceeded ratelimit resourceexhausted insufficientquota toomanyrequests",
    500: "apierror servererror internal internalerror internalservererror",
    503: "unavailable serviceunavailable",
    504: "timeout timeouterror deadlineexceeded",
    529: "overloaded overloadederror serverisoverloaded serveroverloaded engineoverloaded",
  }).flatMap(([status, names]) => names.split(" ").map((name): [string, number] => [name, Number(status)])),
);

/** The status that an error inside a response with status 200 would have had; null if it does not say. */
export function statusOfWords({ status, code, type }: ErrorWords): number | null {
  return status ?? statusOfName(code) ?? statusOfName(type);
}

function statusOfName(name: string | null): number | null {
  return statusByName.get((name ?? "").replaceAll(/[_\W]/g, "").toLowerCase()) ?? null;
}
