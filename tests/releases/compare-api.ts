/** A schema of an OpenAPI description, as far as the comparison reads it. */
type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
};

type Content = { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
type Parameter = { readonly name: string; readonly in: string; readonly required?: boolean };
/** A parameter that several operations share is described once. */
type GivenParameter = Parameter | { readonly $ref: string };

type Operation = {
  readonly parameters?: readonly GivenParameter[];
  readonly requestBody?: Content;
  readonly responses?: Readonly<Record<string, Content>>;
};

/** An OpenAPI description. */
export type Description = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
  };
};

type Field = { readonly types: Set<string>; isRequired: boolean };
type Fields = Map<string, Field>;

const depthMax = 12;
const success = "200";

const jsonOf = (content: Content | undefined): Schema | undefined => content?.content?.["application/json"]?.schema;

/** Every field of a schema by its path, such as `orders[].order_no`; choices are taken together. */
function fieldsOf(description: Description, root: Schema | undefined): Fields {
  const fields: Fields = new Map();
  const walk = (given: Schema | undefined, at: string, depth: number): void => {
    const name = given?.$ref?.split("/").at(-1);
    const schema = name === undefined ? given : description.components?.schemas?.[name];
    if (schema === undefined || depth > depthMax) {
      return;
    }
    const field = fields.get(at);
    for (const type of [schema.type ?? []].flat()) {
      // Whole numbers are numbers, too.
      field?.types.add(type === "integer" ? "number" : type);
    }
    for (const part of [schema.anyOf, schema.oneOf, schema.allOf].flatMap((parts) => parts ?? [])) {
      walk(part, at, depth + 1);
    }
    for (const [key, property] of Object.entries(schema.properties ?? {})) {
      const path = at === "" ? key : `${at}.${key}`;
      const isRequired = schema.required?.includes(key) === true;
      const known = fields.get(path);
      fields.set(path, { types: known?.types ?? new Set(), isRequired: (known?.isRequired ?? true) && isRequired });
      walk(property, path, depth + 1);
    }
    walk(schema.items, `${at}[]`, depth + 1);
  };
  walk(root, "", 0);
  return fields;
}

function parametersOf(description: Description, { parameters = [] }: Operation): Fields {
  const resolved = parameters.flatMap((given): readonly Parameter[] => {
    const found = "$ref" in given ? description.components?.parameters?.[given.$ref.split("/").at(-1) ?? ""] : given;
    return found === undefined ? [] : [found];
  });
  return new Map(
    resolved.map(({ name, in: place, required }) => [
      `${place} ${name}`,
      { types: new Set<string>(), isRequired: required === true },
    ]),
  );
}

const haveCommon = (before: Field, now: Field): boolean =>
  before.types.size === 0 || now.types.size === 0 || [...before.types].some((type) => now.types.has(type));

function findLost(before: Fields, now: Fields): string[] {
  return [...before].flatMap(([path, field]) => {
    const current = now.get(path);
    if (current === undefined) {
      return [`${path} is gone`];
    }
    return haveCommon(field, current) ? [] : [`${path} was ${[...field.types]}, and is ${[...current.types]}`];
  });
}

/** What has to be sent now and did not have to be; a part of something new does not matter. */
function findDemanded(before: Fields, now: Fields): string[] {
  return [...now].flatMap(([path, { isRequired }]) => {
    const parent = path.includes(".") ? path.slice(0, path.lastIndexOf(".")).replace(/(\[\])+$/, "") : "";
    const isNew = parent !== "" && !before.has(parent);
    return isRequired && !isNew && before.get(path)?.isRequired !== true ? [`${path} is now required`] : [];
  });
}

function compareOperation(descriptions: readonly [Description, Description], pair: readonly [Operation, Operation]) {
  const fields = (choose: (operation: Operation) => Schema | undefined): [Fields, Fields] => [
    fieldsOf(descriptions[0], choose(pair[0])),
    fieldsOf(descriptions[1], choose(pair[1])),
  ];
  const parameters = [parametersOf(descriptions[0], pair[0]), parametersOf(descriptions[1], pair[1])] as const;
  const input = fields(({ requestBody }) => jsonOf(requestBody));
  const output = fields(({ responses }) => jsonOf(responses?.[success]));
  return [
    ...[...findLost(...parameters), ...findDemanded(...parameters)],
    ...[...findLost(...input), ...findDemanded(...input)].map((fault) => `input ${fault}`),
    ...findLost(...output).map((fault) => `output ${fault}`),
  ];
}

/** What a client of the one API misses in the other: operations, parameters and fields, or what it has to send. */
export function findApiBreaks(before: Description, now: Description): string[] {
  return Object.entries(before.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      const current = now.paths[path]?.[method];
      const faults = current === undefined ? ["is gone"] : compareOperation([before, now], [operation, current]);
      return faults.map((fault) => `${method} ${path}: ${fault}`);
    }),
  );
}
