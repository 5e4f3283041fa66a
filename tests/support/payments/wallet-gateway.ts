import { createHash } from "node:crypto";

export const walletToken = "5cbfb079f15b150122261c8537086d77a";

export type WalletFields = Readonly<Record<string, string>>;

/** The gateway's response to a query about a transaction. */
export type WalletTransaction = {
  readonly transactionNo: string;
  readonly status: string;
  readonly amount: string;
  readonly currency: string;
  /** Default: the order in the query. */
  readonly reference?: string;
};

export type WalletRequest = { readonly path: string; readonly fields: WalletFields };

/** Signs like the gateway; implemented from its documentation, independently of the product. */
export function signLikeWallet(fields: WalletFields, token = walletToken): WalletFields {
  const md5 = (text: string): string => createHash("md5").update(text, "utf8").digest("hex");
  const names = Object.keys(fields).filter((name) => name !== "verifySign");
  names.sort();
  const joined = names.map((name) => `${name}=${fields[name]}&`).join("");
  return { ...fields, verifySign: md5(joined + md5(token)) };
}

/** A server that speaks the wire format of the wallet gateway; it refuses anything that is not signed correctly. */
export class LocalWalletGateway {
  readonly requests: WalletRequest[] = [];
  /** By the number of the order. */
  readonly transactions = new Map<string, WalletTransaction>();
  readonly refunds = new Map<string, WalletFields>();
  /** Whether it includes the refunds of a queried payment. */
  listsRefunds = true;
  /** Replaces the next responses, until it is reset. */
  override: ((request: WalletRequest) => Response | null | Promise<Response | null>) | null = null;
  readonly #server: Bun.Server<undefined>;
  #serial = 0;

  constructor() {
    this.#server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => this.#answer(request) });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  /** A payment is made: the gateway knows the transaction from now on. Returns the signed notification. */
  pay(orderNo: string, said: Partial<WalletTransaction> = {}): WalletFields {
    this.#serial += 1;
    const transactionNo = `29755364037870${Date.now()}${this.#serial}`;
    const transaction = { transactionNo, status: "success", amount: "10.00", currency: "USD", ...said };
    this.transactions.set(orderNo, transaction);
    return signLikeWallet(notificationOf(orderNo, transaction));
  }

  async stop(): Promise<void> {
    await this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    const fields = Object.fromEntries(new URLSearchParams(await request.text()));
    const received = { path: new URL(request.url).pathname, fields };
    this.requests.push(received);
    return (await this.override?.(received)) ?? this.answerOf(received);
  }

  /** What it does and says by itself. */
  answerOf({ path, fields }: WalletRequest): Response {
    if (fields["verifySign"] !== signLikeWallet(fields)["verifySign"]) {
      return answer("000022", "signature does not match");
    }
    switch (path) {
      case "/online/v3/secure-pay":
        return answer("000100", "success", {
          cashierUrl: `${this.url}/cashier/${fields["reference"]}`,
          reference: fields["reference"],
          amount: fields["amount"],
          currency: fields["currency"],
        });
      case "/app-data-search/v3/tran-query":
        return this.#query(fields);
      case "/app-data-search/v3/refund":
        return this.#refund(fields);
      default:
        return new Response("not found", { status: 404 });
    }
  }

  /** A payment by its order or its number, with the refunds of it; a refund by the number that was given to it. */
  #query({ reference = "", transactionNo }: WalletFields): Response {
    const refund = this.refunds.get(reference);
    if (refund !== undefined) {
      const of = { reference, transactionType: "refund", status: "success", amount: refund["refundAmount"] };
      return answer("000100", "success", { ...of, transactionNo: `refund-of-${reference}` });
    }
    const known = [...this.transactions].find(
      ([orderNo, each]) => orderNo === reference || each.transactionNo === transactionNo,
    );
    if (known === undefined) {
      return answer("000021", "no related information");
    }
    const [paidOrderNo, transaction] = known;
    const refundInfo = [...this.refunds.values()]
      .filter((each) => each["transactionNo"] === transaction.transactionNo)
      .map(({ refundReference, refundAmount }) => {
        return { refundReference, refundAmount, refundTransactionNo: `refund-of-${refundReference}` };
      });
    const of = { reference: paidOrderNo, settleCurrency: "USD", transactionType: "payment", ...transaction };
    return answer("000100", "success", this.listsRefunds && refundInfo.length > 0 ? { ...of, refundInfo } : of);
  }

  #refund(fields: WalletFields): Response {
    const reference = fields["refundReference"] ?? "";
    const isKnown = [...this.transactions.values()].some(
      ({ transactionNo }) => transactionNo === fields["transactionNo"],
    );
    if (!isKnown) {
      return answer("000021", "no related information");
    }
    if (this.refunds.has(reference)) {
      return answer("000092", "refundReference already exists");
    }
    this.refunds.set(reference, fields);
    return answer("000100", "success", { refundTransactionNo: `refund-of-${reference}`, refundReference: reference });
  }
}

/** The fields of a notification before they are signed. */
export function notificationOf(orderNo: string, transaction: WalletTransaction): WalletFields {
  return {
    transactionNo: transaction.transactionNo,
    status: transaction.status,
    amount: transaction.amount,
    currency: transaction.currency,
    settleCurrency: "USD",
    time: "20261121120000",
    reference: orderNo,
    vendorId: "2026112122001400001",
    note: "",
  };
}

/** A refusal has no result. */
function answer(code: string, message: string, result?: object): Response {
  return Response.json({ ret_code: code, ret_msg: message, result });
}
