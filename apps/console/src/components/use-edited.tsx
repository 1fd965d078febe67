import { useState } from 'react';
import { differences, type Described } from './changed-fields';
import { toProblem } from '../api/problem';
import { useRefusal } from './use-fields';
import { Banner } from './banner';

/**
 * A resource while a form changes it. `begun` is what the form was filled from, and `base` is what it is saved against: the same,
 * so that a change that came first is never overwritten unseen. Once it was refused for that, `theirs` says what the other
 * change has done, and `base` is the newest version.
 */
export function useEdited<T>(resource: T, describe: (resource: NonNullable<T>) => Described) {
  const [begun] = useState(resource);
  const [isOvertaken, setOvertaken] = useState(false);
  const { problem, keep: keepProblem } = useRefusal();
  const keep = (error: unknown): never => {
    if (toProblem(error).status === 412) setOvertaken(true);
    return keepProblem(error);
  };
  const base = isOvertaken ? resource : begun;
  const theirs = begun && base ? differences(describe(begun), describe(base)) : [];
  return {
    begun,
    base,
    problem,
    keep,
    theirs,
    /** What has come first concerns nothing of the form, such as a rotation of the key in another tab. */
    isUnaffected: base !== begun && theirs.length === 0,
  };
}

export type Edited = ReturnType<typeof useEdited>;

export function TheirChanges({ theirs }: { theirs: readonly string[] }) {
  if (theirs.length === 0) return null;
  return (
    <Banner tone="warn" title="Changed by another person since you opened this:">
      <ul>
        {theirs.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      What you have not changed here stays as they left it.
    </Banner>
  );
}
