import type { userAnswer } from "@sluice/contracts/accounts";
import type { AnswerOf } from "@sluice/contracts/wire";

export type User = AnswerOf<typeof userAnswer>["user"];
