import type { Operation } from "@sluice/control-plane/api-description/model.ts";
import Ajv2020, { type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

type Responses = Operation["responses"];

/** Checks responses against a description without references, with an independent validator. */
export class AnswerJudge {
  /** A schema checks few responses: checking it or optimizing its code takes longer than it saves. */
  readonly #ajv = new Ajv2020({ strict: false, allErrors: false, validateSchema: false, code: { optimize: false } });
  /** By the text of the schema: the errors of all operations have the same one, and to compile it takes long. */
  readonly #validators = new Map<string, ValidateFunction>();

  constructor() {
    addFormats(this.#ajv);
  }

  /** What is undeclared in a response; null if nothing is. */
  judge(responses: Responses, answer: Answered): string | null {
    const status = findStatus(responses, answer.status);
    if (status === null) {
      return `${answer.status} is not described: ${answer.text.slice(0, 200)}`;
    }
    const content = (responses[status]?.["content"] ?? {}) as Record<string, { readonly schema?: object }>;
    const type = (answer.type ?? "").split(";")[0]?.trim() ?? "";
    if (type === "" && (Object.keys(content).length === 0 || answer.text === "")) {
      return null;
    }
    const described = [type, "*/*"].find((each) => each in content);
    if (described === undefined) {
      return `${answer.status} ${type} is not described`;
    }
    if (described !== "application/json") {
      return null;
    }
    const schema = content[described]?.schema ?? {};
    const text = JSON.stringify(schema);
    const validate = this.#validators.get(text) ?? this.#ajv.compile(schema);
    this.#validators.set(text, validate);
    const isRight = validate(JSON.parse(answer.text)) === true;
    return isRight ? null : `${answer.status} ${this.#ajv.errorsText(validate.errors)}: ${answer.text.slice(0, 300)}`;
  }
}

export type Answered = { readonly status: number; readonly type: string | null; readonly text: string };

function findStatus(responses: Responses, status: number): string | null {
  return [String(status), ...(status >= 400 ? ["default"] : [])].find((each) => each in responses) ?? null;
}
