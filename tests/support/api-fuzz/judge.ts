import type { ApiDocument, Operation } from "@sluice/control-plane/api-description/model.ts";
import Ajv2020, { type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

type Responses = Operation["responses"];

/** Checks responses against the description, with an independent validator. */
export class AnswerJudge {
  readonly #ajv: Ajv2020;
  /** By the text of the schema: the errors of all operations have the same one, and to compile it takes long. */
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: ApiDocument) {
    this.#ajv = new Ajv2020({ strict: false, allErrors: false });
    addFormats(this.#ajv);
    this.#ajv.addSchema(document, "api");
  }

  /** What is undeclared in a response; null if nothing is. */
  judge(path: string, method: string, responses: Responses, answer: Answered): string | null {
    const status = findStatus(responses, answer.status);
    if (status === null) {
      return `${answer.status} is not described: ${answer.text.slice(0, 200)}`;
    }
    const content = (responses[status]?.["content"] ?? {}) as Record<string, { readonly schema?: unknown }>;
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
    const text = JSON.stringify(content[described]?.schema);
    const validate = this.#validators.get(text) ?? this.#compile([path, method, status]);
    this.#validators.set(text, validate);
    const isRight = validate(JSON.parse(answer.text)) === true;
    return isRight ? null : `${answer.status} ${this.#ajv.errorsText(validate.errors)}: ${answer.text.slice(0, 300)}`;
  }

  #compile([path, method, status]: readonly [path: string, method: string, status: string]): ValidateFunction {
    const steps = ["paths", path, method, "responses", status, "content", "application/json", "schema"];
    const pointer = steps.map((step) => encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
    return this.#ajv.compile({ $ref: `api#/${pointer}` });
  }
}

export type Answered = { readonly status: number; readonly type: string | null; readonly text: string };

function findStatus(responses: Responses, status: number): string | null {
  return [String(status), ...(status >= 400 ? ["default"] : [])].find((each) => each in responses) ?? null;
}
