import type { planListAnswer } from "@sluice/contracts/billing";
import type { AnswerOf } from "@sluice/contracts/wire";

export type Plan = AnswerOf<typeof planListAnswer>["plans"][number];
