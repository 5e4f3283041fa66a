import type { SideAnswer } from "../../../platform/side-thread.ts";
import { type DrawnInvoice, drawInvoice } from "./draw-invoice.ts";

/* The code of the thread that draws invoices; the counterpart of `render-invoice.ts`. */

addEventListener("message", ({ data }: MessageEvent<DrawnInvoice>) => {
  drawInvoice(data).then(
    (result) => postMessage({ result } satisfies SideAnswer),
    (error: unknown) => postMessage({ error: error instanceof Error ? error.message : "unknown" } satisfies SideAnswer),
  );
});
