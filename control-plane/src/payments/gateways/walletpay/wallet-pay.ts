import type { GatewayRequest } from "@sluice/contracts/payments";
import type { HttpClient } from "@sluice/http-client/model";
import { z } from "zod";
import type { SecretReader } from "../../../admin/secrets/service.ts";
import { AppError } from "../../../platform/errors.ts";
import { type Checkout, type GatewayNotice, type PaidFacts, readAmount, type WalletCheckoutRequest } from "../model.ts";
import type { Confirmation, RefundAnswer, RefundRequest, WalletGateway } from "../port.ts";
import { readWalletNotice } from "./notification.ts";
import { readWalletFields } from "./read-fields.ts";
import { type RefundLookup, readRefundRecord, readSentRefund } from "./refund-records.ts";
import {
  checkoutFields,
  type QueriedTransaction,
  queryFields,
  refundFields,
  type WalletCredentials,
  walletPaths,
} from "./requests.ts";
import { hasWalletSignature, withWalletSignature } from "./signature.ts";
import {
  amountText,
  encodeForm,
  WalletClient,
  type WalletResponse,
  walletSuccess,
  walletUnknown,
} from "./wallet-client.ts";

export type WalletSettings = {
  /** Null: the client never sends anything. */
  readonly baseUrl: string | null;
  readonly vendors: readonly string[];
  readonly timeoutMs: number;
  /** Whether a notification only counts once the gateway itself confirms it. */
  readonly isConfirmed: boolean;
  /** The base URL of this service, without a trailing slash: for notifications and returning payers. */
  readonly publicBaseUrl: string;
};

export const walletSecrets = {
  merchantNo: "walletpay.merchant_no",
  storeNo: "walletpay.store_no",
  token: "walletpay.token",
} as const;

/** A shorter token could be guessed, and every notification forged with it. */
const tokenLengthMin = 16;

const checkoutResult = z.object({ cashierUrl: z.url({ protocol: /^https?$/ }), transactionNo: z.string().optional() });
const queryResult = z.object({
  transactionNo: z.string(),
  reference: z.string(),
  status: z.string(),
  amount: amountText,
  currency: z.string(),
});

export class WalletPay implements WalletGateway {
  readonly #settings: WalletSettings;
  readonly #secrets: SecretReader;
  readonly #http: HttpClient;

  constructor(settings: WalletSettings, secrets: SecretReader, http: HttpClient) {
    this.#settings = settings;
    this.#secrets = secrets;
    this.#http = http;
  }

  get vendors(): readonly string[] {
    return this.#settings.vendors;
  }

  offers(vendor: string): boolean {
    return this.vendors.includes(vendor);
  }

  async requireReady(isDryRun: boolean): Promise<void> {
    await this.#credentials();
    if (!isDryRun) {
      this.#client();
    }
  }

  async describeCheckout(request: WalletCheckoutRequest): Promise<GatewayRequest> {
    const fields = await this.#signedCheckout(request);
    return {
      method: "POST",
      path: walletPaths.checkout,
      content_type: "application/x-www-form-urlencoded",
      fields,
      body: encodeForm(fields),
    };
  }

  async openCheckout(request: WalletCheckoutRequest): Promise<Checkout> {
    const fields = await this.#signedCheckout(request);
    const answer = await this.#client().post(walletPaths.checkout, fields);
    const result = checkoutResult.safeParse(answer.result);
    if (answer.code !== walletSuccess || !result.success) {
      throw refusalOf(answer);
    }
    const { cashierUrl, transactionNo } = result.data;
    return { url: cashierUrl, reference: transactionNo ?? request.order.orderNo };
  }

  async readNotice(bytes: Uint8Array, contentType: string | null): Promise<GatewayNotice> {
    const { token, merchantNo } = await this.#credentials();
    const fields = readWalletFields(bytes, contentType);
    if (!hasWalletSignature(fields, token)) {
      throw new AppError("invalid_signature");
    }
    return readWalletNotice(fields, merchantNo);
  }

  async confirm(paid: PaidFacts): Promise<Confirmation> {
    if (!this.#settings.isConfirmed) {
      return "not_asked";
    }
    const answer = await this.#query({ reference: paid.orderNo });
    if (answer.code === walletUnknown) {
      return "differs";
    }
    const result = queryResult.safeParse(answer.result);
    // Any other response says nothing about the payment, so it is treated like a missing one.
    if (answer.code !== walletSuccess || !result.success) {
      throw refusalOf(answer);
    }
    const { transactionNo, reference, status, amount, currency } = result.data;
    const agrees =
      status === "success" &&
      transactionNo === paid.transactionId &&
      reference === paid.orderNo &&
      currency === paid.currency &&
      readAmount(amount) === paid.amountUsd;
    return agrees ? "agrees" : "differs";
  }

  async refund(request: RefundRequest): Promise<RefundAnswer> {
    const known = request.isFirst ? null : await this.#findRefund(request);
    return known ?? (await this.#sendRefund(request));
  }

  /**
   * The gateway's record of a refund that may have been requested before, with the payment or under the refund's
   * number; null when neither has one.
   */
  async #findRefund(request: RefundRequest): Promise<RefundAnswer | null> {
    const lookups: RefundLookup[] = [
      { of: "payment", queried: { transactionNo: request.transactionId } },
      { of: "refund", queried: { reference: request.refundNo } },
    ];
    let unclear: RefundAnswer | null = null;
    for (const { of, queried } of lookups) {
      const record = readRefundRecord(await this.#query(queried), of, request);
      if (record !== null && record.kind !== "unclear") {
        return record;
      }
      unclear ??= record;
    }
    return unclear;
  }

  async #sendRefund(request: RefundRequest): Promise<RefundAnswer> {
    const credentials = await this.#credentials();
    const fields = withWalletSignature(refundFields(credentials, request), credentials.token);
    return readSentRefund(await this.#client().post(walletPaths.refund, fields), request);
  }

  async #query(queried: QueriedTransaction): Promise<WalletResponse> {
    const credentials = await this.#credentials();
    const fields = withWalletSignature(queryFields(credentials, queried), credentials.token);
    return await this.#client().post(walletPaths.query, fields);
  }

  async #signedCheckout(request: WalletCheckoutRequest): Promise<Record<string, string>> {
    const credentials = await this.#credentials();
    const { publicBaseUrl } = this.#settings;
    const addresses = {
      ipnUrl: `${publicBaseUrl}/backend/payment/walletpay/ipn/`,
      callbackUrl: `${publicBaseUrl}/console/billing/?order_no=${request.order.orderNo}`,
    };
    return withWalletSignature(checkoutFields(credentials, request, addresses), credentials.token);
  }

  async #credentials(): Promise<WalletCredentials> {
    const [merchantNo, storeNo, token] = await Promise.all([
      this.#secrets.read(walletSecrets.merchantNo),
      this.#secrets.read(walletSecrets.storeNo),
      this.#secrets.read(walletSecrets.token),
    ]);
    if (!merchantNo || !storeNo || token === null || token.trim().length < tokenLengthMin) {
      throw new AppError("gateway_not_configured", { internal: { gateway: "walletpay", missing: "credentials" } });
    }
    return { merchantNo, storeNo, token };
  }

  #client(): WalletClient {
    const { baseUrl, timeoutMs } = this.#settings;
    if (baseUrl === null) {
      throw new AppError("gateway_not_configured", {
        internal: { gateway: "walletpay", missing: "WALLETPAY_BASE_URL" },
      });
    }
    return new WalletClient(this.#http, baseUrl, timeoutMs);
  }
}

function refusalOf({ code, message }: WalletResponse): AppError {
  return new AppError("payment_gateway_failed", {
    internal: { gateway: "walletpay", code, said: message.slice(0, 300) },
  });
}
