import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { parseDecimal } from "@sluice/contracts/money";
import { PaymentScene } from "../../support/payments/payment-scene.ts";
import type { WalletRequest } from "../../support/payments/wallet-gateway.ts";

let scene: PaymentScene;

beforeAll(async () => {
  scene = await PaymentScene.create();
});

afterEach(() => {
  scene.wallet.override = null;
  scene.wallet.listsRefunds = true;
  scene.card.override = null;
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

const first = {
  refundNo: "R1",
  orderNo: "S1",
  account: "default",
  transactionId: "pi_1",
  amountUsd: parseDecimal("4.50"),
  currency: "USD",
  isFirst: true,
};
const again = { ...first, isFirst: false };
const unknown = { code: "payment_gateway_failed" };

describe("a refund at the card gateway", () => {
  const list = (data: object[], hasMore = false): Response =>
    Response.json({ object: "list", data, has_more: hasMore, url: "/v1/refunds" });
  const refuses = (code: string) => () =>
    Response.json({ error: { type: "invalid_request_error", code, message: "no" } }, { status: 400 });

  test("is requested once under its number, whatever was lost on the way", async () => {
    expect(await scene.payments.card.refund(first)).toEqual({ kind: "done", gatewayRefundId: "re_pi_1_1" });
    expect(scene.card.requests.at(-1)).toMatchObject({ idempotencyKey: "refund:R1", fields: { amount: "450" } });
    expect(await scene.payments.card.refund(again)).toEqual({ kind: "done", gatewayRefundId: "re_pi_1_1" });
    expect(await scene.payments.card.refund({ ...first, refundNo: "R2" })).toEqual({
      kind: "done",
      gatewayRefundId: "re_pi_1_2",
    });
    expect(scene.card.refunds.get("pi_1")).toHaveLength(2);
  });

  test("can be pending, and have an unknown outcome", async () => {
    scene.card.refundStatus = "pending";
    expect(await scene.payments.card.refund({ ...first, transactionId: "pi_2" })).toEqual({ kind: "pending" });
    scene.card.refundStatus = "succeeded";
    scene.card.override = () => new Response("oops", { status: 500 });
    await expect(scene.payments.card.refund({ ...first, transactionId: "pi_4" })).rejects.toMatchObject(unknown);
  });

  test("fails only by a code that is known to mean that nothing is sent", async () => {
    const asked = { ...first, transactionId: "pi_3" };
    for (const [code, kind] of [
      ["charge_disputed", "failed"],
      ["insufficient_funds", "failed"],
      ["charge_already_refunded", "unclear"],
      ["a_code_of_tomorrow", "unclear"],
    ] as const) {
      scene.card.override = ({ method }) => (method === "GET" ? list([]) : refuses(code)());
      const text = kind === "failed" ? { error: code } : { message: code };
      expect(await scene.payments.card.refund(asked)).toEqual({ kind, ...text } as never);
      // After a lost response, a refusal may be due to the result of the first request.
      expect(await scene.payments.card.refund({ ...asked, isFirst: false })).toEqual({
        kind: "unclear",
        message: code,
      });
    }
  });

  test("that the gateway has on record as failed has failed, even after a lost response", async () => {
    const record = { id: "re_1", object: "refund", status: "failed", failure_reason: "lost_or_stolen_card" };
    scene.card.override = () => list([{ ...record, metadata: { refund_no: "R1" } }]);
    expect(await scene.payments.card.refund(again)).toEqual({ kind: "failed", error: "lost_or_stolen_card" });
  });

  test("is not requested if the refunds of its payment can't all be seen", async () => {
    scene.card.override = () => list([], true);
    const asked = scene.card.requests.length;
    expect(await scene.payments.card.refund(again)).toMatchObject({ kind: "unclear" });
    expect(scene.card.requests.slice(asked).map(({ method }) => method)).toEqual(["GET"]);
  });
});

describe("a refund at the wallet gateway", () => {
  const pathOf = ({ path }: WalletRequest): string => path.split("/").at(-1) ?? "";
  const says = (code: string, result?: object): Response => Response.json({ ret_code: code, ret_msg: "so", result });
  const copyOf = (answer: Response | null | undefined): Response | null =>
    (answer?.clone() as Response | undefined) ?? null;
  let serial = 0;

  function payment(): typeof first {
    serial += 1;
    const { transactionNo = "" } = scene.wallet.pay(`S-refunded-${serial}`);
    return { ...first, refundNo: `RW${serial}`, transactionId: transactionNo };
  }

  /** Answers of the kind are lost after the gateway did what was asked. */
  function lose(path: string): void {
    scene.wallet.override = (request) => {
      if (pathOf(request) !== path) {
        return null;
      }
      scene.wallet.answerOf(request);
      return new Response("lost", { status: 502 });
    };
  }

  test("carries our number and is signed", async () => {
    const asked = payment();
    const done = { kind: "done", gatewayRefundId: `refund-of-${asked.refundNo}` } as const;
    expect(await scene.payments.wallet.refund(asked)).toEqual(done);
    const { transactionId: transactionNo } = asked;
    expect(scene.wallet.refunds.get(asked.refundNo)).toMatchObject({ refundAmount: "4.50", transactionNo });
    scene.wallet.override = () => new Promise(() => undefined);
    await expect(scene.payments.wallet.refund(payment())).rejects.toMatchObject(unknown);
  });

  test.each(["000020", "000021", "000022", "000023", "000030", "000040"])(
    "fails by the code %s, with a result or without, when it was requested for the first time",
    async (code) => {
      for (const result of [undefined, {}]) {
        scene.wallet.override = () => says(code, result);
        expect(await scene.payments.wallet.refund(first)).toEqual({ kind: "failed", error: `${code} so` });
      }
    },
  );

  test.each(["000000", "000080", "000092", "000099", ""])("is left open by the code %p", async (code) => {
    scene.wallet.override = () => says(code);
    expect(await scene.payments.wallet.refund(first)).toEqual({ kind: "unclear", message: `${code} so` });
  });

  test.each([true, false])(
    "whose first response was lost is found at the gateway, and not requested again (with its payment: %p)",
    async (isListed) => {
      const asked = payment();
      lose("refund");
      await expect(scene.payments.wallet.refund(asked)).rejects.toMatchObject(unknown);
      scene.wallet.override = null;
      scene.wallet.listsRefunds = isListed;
      const requests = scene.wallet.requests.length;
      expect(await scene.payments.wallet.refund({ ...asked, isFirst: false })).toEqual({
        kind: "done",
        gatewayRefundId: `refund-of-${asked.refundNo}`,
      });
      expect(new Set(scene.wallet.requests.slice(requests).map(pathOf))).toEqual(new Set(["tran-query"]));
    },
  );

  test("whose first request never arrived there is requested again, once the gateway reports that it knows of none", async () => {
    const asked = { ...payment(), isFirst: false };
    expect(await scene.payments.wallet.refund(asked)).toMatchObject({ kind: "done" });
    expect(scene.wallet.refunds.has(asked.refundNo)).toBe(true);
  });

  test("is not requested again while the gateway can't say whether it knows of it", async () => {
    const asked = { ...payment(), isFirst: false };
    for (const [payments, refunds] of [
      [says("000080"), says("000021")],
      [says("000021"), says("000021")],
      [says("000100"), says("000021")],
      [says("000100", { transactionNo: asked.transactionId, status: "reversed" }), says("000021")],
      [null, says("000000")],
      [null, says("000100", { transactionNo: "1", transactionType: "payment", status: "success" })],
    ]) {
      scene.wallet.override = (request) => {
        if (pathOf(request) !== "tran-query") {
          return null;
        }
        return copyOf(request.fields["reference"] === undefined ? payments : refunds);
      };
      expect(await scene.payments.wallet.refund(asked)).toMatchObject({ kind: "unclear" });
      expect(scene.wallet.refunds.has(asked.refundNo)).toBe(false);
    }
  });

  test("that is refused after a lost response stays open, whatever the code", async () => {
    const asked = { ...payment(), isFirst: false };
    for (const code of ["000021", "000023", "000092"]) {
      scene.wallet.override = (request) => (pathOf(request) === "refund" ? says(code) : null);
      expect(await scene.payments.wallet.refund(asked)).toEqual({ kind: "unclear", message: `${code} so` });
    }
  });

  test.each([
    ["fail", "4.50", "failed"],
    ["closed", "4.50", "failed"],
    ["pending", "4.50", "pending"],
    ["dealing", 4.5, "pending"],
    ["success", 4.5, "done"],
    ["success", "4.49", "unclear"],
  ])("on record as %s over %p is %s", async (status, amount, kind) => {
    const asked = { ...payment(), isFirst: false };
    const record = { transactionNo: "9", transactionType: "refund", status, amount };
    scene.wallet.override = ({ fields }) => (fields["reference"] === asked.refundNo ? says("000100", record) : null);
    expect((await scene.payments.wallet.refund(asked)).kind as string).toBe(kind);
  });

  test.each([
    ["done", "done", {}],
    ["done", "done", { status: "success", refundAmount: 4.5 }],
    ["failed", "unclear", { status: "fail" }],
    ["pending", "pending", { status: "pending" }],
    ["pending", "pending", { status: "processing", refundTransactionNo: undefined }],
    ["unclear", "unclear", { refundAmount: "4.49" }],
    ["unclear", "unclear", { refundReference: "another one" }],
  ])("that the gateway accepts is %s at first and %s later if its response adds %p", async (atFirst, later, said) => {
    for (const [isFirst, kind] of [
      [true, atFirst],
      [false, later],
    ] as const) {
      const asked = { ...payment(), isFirst };
      const usual = { refundReference: asked.refundNo, refundAmount: "4.50", refundTransactionNo: "9" };
      scene.wallet.override = (request) =>
        pathOf(request) === "refund" ? says("000100", { ...usual, ...said }) : null;
      expect((await scene.payments.wallet.refund(asked)).kind as string).toBe(kind);
    }
  });

  test.each(["refunded", "reversed"])("is found with a payment that is on record as %s by now", async (status) => {
    const asked = { ...payment(), isFirst: false };
    const refundInfo = [{ refundReference: asked.refundNo, refundAmount: "4.50", refundTransactionId: "9" }];
    const record = { transactionNo: asked.transactionId, status, refundInfo };
    scene.wallet.override = ({ fields }) => (fields["reference"] === undefined ? says("000100", record) : null);
    expect(await scene.payments.wallet.refund(asked)).toEqual({ kind: "done", gatewayRefundId: "9" });
  });

  test("is found under its number if the gateway's record of the payment leaves it open", async () => {
    const asked = { ...payment(), isFirst: false };
    scene.wallet.refunds.set(asked.refundNo, { refundReference: asked.refundNo, refundAmount: "4.50" });
    for (const ofPayment of [says("000080"), says("000100", { transactionNo: "1", status: "refunded" })]) {
      scene.wallet.override = ({ fields }) => (fields["reference"] === undefined ? ofPayment : null);
      expect(await scene.payments.wallet.refund(asked)).toMatchObject({ kind: "done" });
    }
  });
});

describe("a query about a payment at the wallet gateway", () => {
  const paid = { transactionId: "1", orderNo: "S-asked", amountUsd: parseDecimal("10.00"), currency: "USD" };
  const says = (code: string, result?: object): Response => Response.json({ ret_code: code, ret_msg: "so", result });

  test("counts it as missing only by a response about it; any other response counts as none", async () => {
    const record = { transactionNo: "1", reference: "S-asked", status: "success", amount: "10.00", currency: "USD" };
    const answers = async (answer: Response): Promise<unknown> => {
      scene.wallet.override = () => answer;
      return await scene.payments.wallet.confirm(paid).catch(({ code }: { code: unknown }) => code);
    };
    expect(await answers(says("000100", record))).toBe("agrees");
    expect(await answers(says("000100", { ...record, amount: 10 }))).toBe("agrees");
    expect(await answers(says("000100", { ...record, amount: 10.01 }))).toBe("differs");
    expect(await answers(says("000021"))).toBe("differs");
    expect(await answers(says("000100", { ...record, amount: "9.99" }))).toBe("differs");
    expect(await answers(says("000100", { ...record, status: "pending" }))).toBe("differs");
    for (const answer of [says("000000"), says("000080", {}), says("000099"), says("000100"), says("000100", {})]) {
      expect(await answers(answer)).toBe("payment_gateway_failed");
    }
  });
});
