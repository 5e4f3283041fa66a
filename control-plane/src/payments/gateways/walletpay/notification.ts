import { sha256 } from "../../../platform/crypto/digest.ts";
import { AppError } from "../../../platform/errors.ts";
import { type GatewayNotice, type NoticeMeaning, readAmount } from "../model.ts";

const idPattern = /^[A-Za-z0-9_.-]{1,64}$/;
const currencyPattern = /^[A-Z]{3}$/;
const statusPattern = /^[a-z_]{1,20}$/;

/** We have one account at this gateway. */
const account = "default";

/**
 * The meaning of a notification with a valid signature. The values are read field by field; the signed text itself is
 * ambiguous and is never parsed.
 * @throws AppError `invalid_value` for a missing or malformed field, `account_mismatch`
 */
export function readWalletNotice(fields: ReadonlyMap<string, string>, merchantNo: string): GatewayNotice {
  const merchant = fields.get("merchantNo");
  if (merchant !== undefined && merchant !== merchantNo) {
    throw new AppError("account_mismatch");
  }
  const transactionId = readField(fields, "transactionNo", idPattern);
  const status = readField(fields, "status", statusPattern);
  const orderNo = readField(fields, "reference", idPattern);
  return {
    gateway: "walletpay",
    account,
    // The message has no id; each transaction has one for each state.
    eventId: `${transactionId}:${status}`,
    eventKind: status,
    orderNo,
    contentHash: sha256(JSON.stringify([...fields].sort(([one], [other]) => (one < other ? -1 : 1)))),
    meaning: meaningOf(status, fields, { transactionId, orderNo }),
  };
}

function meaningOf(
  status: string,
  fields: ReadonlyMap<string, string>,
  ids: { readonly transactionId: string; readonly orderNo: string },
): NoticeMeaning {
  if (status === "reversed") {
    return { kind: "reversal", transactionId: ids.transactionId, what: { kind: "total", backUsd: null } };
  }
  if (status !== "success") {
    return { kind: "other" };
  }
  const currency = readField(fields, "currency", currencyPattern);
  const amountUsd = readAmount(fields.get("amount") ?? "");
  if (amountUsd === null) {
    throw new AppError("invalid_value", { param: "amount", internal: { amount: fields.get("amount") ?? null } });
  }
  return { kind: "paid", paid: { ...ids, amountUsd, currency }, isLive: null };
}

function readField(fields: ReadonlyMap<string, string>, name: string, pattern: RegExp): string {
  const value = fields.get(name) ?? "";
  if (!pattern.test(value)) {
    throw new AppError("invalid_value", { param: name });
  }
  return value;
}
