import type { JsonSchema } from "@sluice/contracts/native-route";
import type { Json, Operation } from "./model.ts";
import { asName, freeName, refTo, SharedSchemas } from "./shared-schemas.ts";

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;
type MapSchema = (schema: JsonSchema, hint: string) => JsonSchema;

/** Operations and their shared components, by kind and name. */
export type SharedParts = {
  readonly paths: Paths;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly responses: Readonly<Record<string, Json>>;
  readonly parameters: Readonly<Record<string, Json>>;
};

/**
 * The same operations, with references in place of errors, parameters and schemas that several share: most errors can
 * come from every endpoint, and would be more than half of the description if each endpoint listed them.
 * @param named schemas that already have a name
 */
export function shareParts(paths: Paths, named: Readonly<Record<string, JsonSchema>>): SharedParts {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const errors = new Repeated("responses", operations.flatMap(errorsIn));
  const parameters = new Repeated(
    "parameters",
    operations.flatMap((operation) => operation.parameters ?? []),
  );
  const schemas = new SharedSchemas(named);
  for (const operation of operations) {
    mapSchemas(operation, (schema) => {
      schemas.count(schema);
      return schema;
    });
  }
  const share = (operation: Operation): Operation => {
    const shared = mapSchemas(operation, (schema, hint) => schemas.name(schema, hint));
    const answers = Object.entries(shared.responses).map(([status, answer]) => [
      status,
      isError(status) ? errors.share(answer, errorName(status, answer)) : answer,
    ]);
    const known = shared.parameters?.map((each) => parameters.share(each, asName(String(each["name"]))));
    return {
      ...shared,
      ...(known === undefined ? {} : { parameters: known }),
      responses: Object.fromEntries(answers),
    };
  };
  return {
    paths: mapValues(paths, (methods) => mapValues(methods, share)),
    schemas: schemas.schemas,
    responses: errors.shared,
    parameters: parameters.shared,
  };
}

/** Finds identical components used in several places. */
class Repeated {
  /** The shared components by name; complete once every component has gone through `share`. */
  readonly shared: Record<string, Json> = {};
  readonly #kind: "responses" | "parameters";
  readonly #places = new Map<string, number>();
  readonly #names = new Map<string, string>();

  constructor(kind: "responses" | "parameters", all: readonly Json[]) {
    this.#kind = kind;
    for (const each of all) {
      const text = JSON.stringify(each);
      this.#places.set(text, (this.#places.get(text) ?? 0) + 1);
    }
  }

  share(value: Json, name: string): Json {
    const text = JSON.stringify(value);
    if ((this.#places.get(text) ?? 0) < 2) {
      return value;
    }
    const known = this.#names.get(text) ?? freeName(this.shared, name);
    this.#names.set(text, known);
    this.shared[known] = value;
    return refTo(this.#kind, known);
  }
}

/** Whether a response of this status is an error. */
export const isError = (status: string): boolean => /^([45]|default$)/.test(status);

const errorsIn = ({ responses }: Operation): Json[] =>
  Object.entries(responses).flatMap(([status, answer]) => (isError(status) ? [answer] : []));

/** The name of an error: its status and first code, or the status alone where only the message tells errors apart. */
function errorName(status: string, { description }: Json): string {
  const [, code = ""] = /^`(\w+)`/.exec(String(description)) ?? [];
  return asName(`error_${status}_${code}`);
}

/** A copy with the schemas of the body and successful responses mapped by a function. Errors are shared whole. */
function mapSchemas(operation: Operation, map: MapSchema): Operation {
  const { requestBody, responses, operationId } = operation;
  const inContent = (part: Json, hint: string): Json => {
    const content = part["content"] as Content | undefined;
    return content === undefined
      ? part
      : { ...part, content: mapValues(content, (each) => ({ ...each, schema: map(each.schema, hint) })) };
  };
  const answers = Object.entries(responses).map(([status, answer]) => [
    status,
    isError(status) ? answer : inContent(answer, `${operationId}_response`),
  ]);
  return {
    ...operation,
    ...(requestBody === undefined ? {} : { requestBody: inContent(requestBody, `${operationId}_request`) }),
    responses: Object.fromEntries(answers),
  };
}

function mapValues<Value, Mapped>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value) => Mapped,
): Record<string, Mapped> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
