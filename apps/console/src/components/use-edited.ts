import { useState } from 'react';
import { toProblem } from '../api/problem';
import { useRefusal } from './use-refusal';

/** What a reader knows a thing by: the names of its settings, and each as a text. */
export type Described = [name: string, text: string][];

/**
 * A thing while a form changes it. `begun` is what the form was filled from, and `base` is what it is saved against: the same,
 * so that a change that came first is never overwritten unseen. Once it was refused for that, `theirs` says what the other
 * change has done, and `base` is the newest version.
 */
export function useEdited<T>(thing: T, describe: (thing: NonNullable<T>) => Described) {
  const [begun] = useState(thing);
  const [isOvertaken, setOvertaken] = useState(false);
  const { problem, keep: keepProblem } = useRefusal();
  const keep = (error: unknown): never => {
    if (toProblem(error).status === 412) setOvertaken(true);
    return keepProblem(error);
  };
  const base = isOvertaken ? thing : begun;
  return {
    begun,
    base,
    problem,
    keep,
    theirs: begun && base ? differences(describe(begun), describe(base)) : [],
  };
}

/**
 * The parts of a form that differ from what it was filled with. Only they are sent, so that what another person has changed
 * meanwhile stays as they left it. The order within a list does not count.
 */
export function changedFields<T extends object>(filled: T, now: T): Partial<T> {
  const isChanged = (name: string) =>
    comparable(filled[name as keyof T]) !== comparable(now[name as keyof T]);
  return Object.fromEntries(Object.entries(now).filter(([name]) => isChanged(name))) as Partial<T>;
}

function comparable(value: unknown): string | undefined {
  return JSON.stringify(Array.isArray(value) ? [...value].sort() : value);
}

/** What differs between two versions of a thing, one sentence for each setting. */
export function differences(before: Described, after: Described): string[] {
  const texts = new Map(after);
  return before.flatMap(([name, was]) =>
    texts.get(name) === was ? [] : [`${name}: was “${was}”, is “${texts.get(name)}”`],
  );
}
