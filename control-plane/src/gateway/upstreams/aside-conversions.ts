import type { AbortNotice } from "@sluice/http-client/model";
import type {
  AnswerOrder,
  ConversionOrder,
  ConversionRefusal,
  ConvertedAnswer,
  ConvertedOrder,
} from "./conversion-order.ts";

/** Conversions on another thread. The signal fires when the client is gone: what waits is then not done. */
export interface AsideConversions {
  /** @throws AppError `temporarily_unavailable` when too many wait, `client_closed_request` */
  convert(order: ConversionOrder, signal: AbortNotice): Promise<ConvertedOrder | ConversionRefusal>;
  /** The same for a whole response; null for one that can't be converted. */
  convertAnswer(order: AnswerOrder, signal: AbortNotice): Promise<ConvertedAnswer | null>;
}
