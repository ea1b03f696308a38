// Holds JSON against the schemas of the API document: the few words of JSON Schema that the document uses.

type Schema = Readonly<Record<string, unknown>>;

const WORDS = new Set(['type', 'properties', 'required', 'additionalProperties', 'items', 'description', '$ref']);

/** What in a value is not as the schema says, by path. A word of the schema that is not known here is an error too. */
export function mismatches(schema: Schema, value: unknown, at = '$'): string[] {
  const unknown = Object.keys(schema).filter((word) => !WORDS.has(word));
  if (unknown.length > 0) return [`${at}: schema has ${unknown.join(', ')}`];
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => isOf(type as string, value)))
    return [`${at}: ${JSON.stringify(value)} is not ${types.join(' or ')}`];
  if (Array.isArray(value)) {
    const items = (schema.items ?? {}) as Schema;
    return value.flatMap((one, i) => mismatches(items, one, `${at}[${i}]`));
  }
  return typeof value === 'object' && value !== null ? keyMismatches(schema, value as Schema, at) : [];
}

function keyMismatches(schema: Schema, value: Schema, at: string): string[] {
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  const missing = ((schema.required ?? []) as string[]).filter((key) => !Object.hasOwn(value, key));
  const found = missing.map((key) => `${at}: ${key} is missing`);
  for (const [key, one] of Object.entries(value)) {
    if (Object.hasOwn(properties, key)) found.push(...mismatches(properties[key], one, `${at}.${key}`));
    else if (schema.additionalProperties === false) found.push(`${at}: ${key} is not in the schema`);
    else if (typeof schema.additionalProperties === 'object')
      found.push(...mismatches(schema.additionalProperties as Schema, one, `${at}.${key}`));
  }
  return found;
}

function isOf(type: string, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}
