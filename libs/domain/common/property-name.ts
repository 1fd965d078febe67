/** What TypeScript calls a setting that the wire and a column have in snake_case. */
export type CamelCase<S extends string> = S extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : S;

export function propertyOf<N extends string>(name: N): CamelCase<N> {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()) as CamelCase<N>;
}
