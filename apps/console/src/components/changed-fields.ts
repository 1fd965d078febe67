/** How a resource is described: the names of its settings, and each as a text. */
export type Described = [name: string, text: string][];

/**
 * The parts of a form that differ from what it was filled with. Only they are sent, so that what another person has changed
 * meanwhile stays as they left it. The order within a list does not count.
 */
export function changedFields<T extends object>(filled: T, now: T): Partial<T> {
  const isChanged = (name: string) =>
    comparable(filled[name as keyof T]) !== comparable(now[name as keyof T]);
  return Object.fromEntries(Object.entries(now).filter(([name]) => isChanged(name))) as Partial<T>;
}

const comparable = (value: unknown): string | undefined =>
  JSON.stringify(Array.isArray(value) ? [...value].sort() : value);

export function differences(before: Described, after: Described): string[] {
  const texts = new Map(after);
  return before.flatMap(([name, was]) =>
    texts.get(name) === was ? [] : [`${name}: was “${was}”, is “${texts.get(name)}”`],
  );
}
