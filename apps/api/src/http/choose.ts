type SnakeCase<S extends string, Done extends string = ''> = S extends `${infer First}${infer Rest}`
  ? SnakeCase<Rest, First extends Uncapitalize<First> ? `${Done}${First}` : `${Done}_${Lowercase<First>}`>
  : Done;

type OnWire<V> = V extends Date ? string : V;

type Field<View, Name extends keyof View> = {
  [N in Name as SnakeCase<N & string>]: OnWire<View[N]>;
};

/** In the order of the list, without the comments of the view, which are not for callers. */
type Chosen<View, Names extends readonly unknown[]> = Names extends readonly [
  infer Name extends keyof View,
  ...infer Rest,
]
  ? Field<View, Name> & Chosen<View, Rest>
  : unknown;

/** The named fields of a view as the wire has them: in snake_case, times as texts. What is not named stays inside. */
export function choose<View extends object, const Names extends readonly (keyof View & string)[]>(
  view: View,
  ...names: Names
): Chosen<View, Names> {
  const fields = names.map((name) => [toSnakeCase(name), onWire(view[name])]);
  return Object.fromEntries(fields) as Chosen<View, Names>;
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function onWire(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}
