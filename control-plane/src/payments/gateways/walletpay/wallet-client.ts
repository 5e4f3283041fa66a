import { type HttpClient, HttpClientError } from "@sluice/http-client/model";
import { z } from "zod";
import { AppError } from "../../../platform/errors.ts";

export type WalletResponse = { readonly code: string; readonly message: string; readonly result: unknown };

const answerSchema = z.object({
  ret_code: z.string(),
  ret_msg: z.string().default(""),
  // A refusal may come without a result.
  result: z.unknown().optional(),
});

/** The code of a successful response; the HTTP status is always 200. */
export const walletSuccess = "000100";
/** The gateway has no record of what was queried. */
export const walletUnknown = "000021";

/** Amounts are strings in its examples and numbers in its tables. */
export const amountText = z.union([z.string(), z.number().transform(String)]);

const answerBytesMax = 256 * 1024;
const wordsMax = 300;

/** Posts signed forms to the wallet gateway. */
export class WalletClient {
  readonly #http: HttpClient;
  readonly #base: URL;
  readonly #timeoutMs: number;

  constructor(http: HttpClient, baseUrl: string, timeoutMs: number) {
    this.#http = http;
    this.#base = new URL(baseUrl);
    this.#timeoutMs = timeoutMs;
  }

  /**
   * @throws AppError `payment_gateway_failed` when no readable response came; it is then unknown whether the gateway
   * did what was asked
   */
  async post(path: string, fields: Readonly<Record<string, string>>): Promise<WalletResponse> {
    const { protocol, hostname, port, pathname } = this.#base;
    try {
      const response = await this.#http.send({
        protocol: protocol === "https:" ? "https:" : "http:",
        hostname,
        port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
        method: "POST",
        target: `${pathname.replace(/\/$/, "")}${path}`,
        headers: [
          ["content-type", "application/x-www-form-urlencoded"],
          ["accept", "application/json"],
          ["user-agent", "sluice"],
        ],
        body: Buffer.from(encodeForm(fields)),
        signal: AbortSignal.timeout(this.#timeoutMs),
        limits: {
          connectTimeoutMs: this.#timeoutMs,
          firstByteTimeoutMs: this.#timeoutMs,
          idleTimeoutMs: this.#timeoutMs,
          totalTimeoutMs: this.#timeoutMs,
          responseBytesMax: answerBytesMax,
        },
      });
      const bytes = await response.body.bytes(answerBytesMax);
      return readAnswer(response.status, bytes);
    } catch (error) {
      if (error instanceof HttpClientError) {
        throw new AppError("payment_gateway_failed", { internal: { path, kind: error.kind }, cause: error });
      }
      throw error;
    }
  }
}

/** The gateway's message, written for people. */
export function wordsOf({ code, message }: WalletResponse): string {
  return `${code} ${message}`.slice(0, wordsMax);
}

export function encodeForm(fields: Readonly<Record<string, string>>): string {
  return new URLSearchParams(fields).toString();
}

function readAnswer(status: number, bytes: Uint8Array): WalletResponse {
  const answer = status === 200 ? answerSchema.safeParse(parseJson(bytes)) : null;
  if (answer?.success !== true) {
    throw new AppError("payment_gateway_failed", { internal: { status, bytes: bytes.length } });
  }
  return { code: answer.data.ret_code, message: answer.data.ret_msg, result: answer.data.result };
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return null;
  }
}
