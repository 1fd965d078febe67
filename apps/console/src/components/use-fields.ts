import { readTypedNumber } from '@app/domain/common/typed-number';
import { useState, type ChangeEvent, type InvalidEvent } from 'react';
import { fieldProblem } from '../api/problem';
import { whatIsWrong } from './what-is-wrong';

type TextInput = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/**
 * The values of a form. `text('name', problem)` gives an input its value and what is wrong with it, in a sentence at the field:
 * what the browser finds before it sends the form, in place of its bubble, or what the server said.
 *
 *     const fields = useFields({ name: '', tier: 'free' });
 *     <TextInput label="Name" {...fields.text('name', mutation.error)} />
 */
export function useFields<T extends Record<string, string>>(initial: T) {
  const [values, setValues] = useState(initial);
  const [wrong, setWrong] = useState<Partial<Record<keyof T, string>>>({});
  const set = (patch: Partial<T>) => {
    setValues((before) => ({ ...before, ...patch }));
    // What is typed again is checked again when it is sent.
    const remaining = Object.entries(wrong).filter(([name]) => !(name in patch));
    if (remaining.length < Object.keys(wrong).length) setWrong(Object.fromEntries(remaining) as typeof wrong);
  };
  const text = (name: keyof T & string, problem?: unknown) => ({
    name,
    value: values[name] ?? '',
    onChange: (event: ChangeEvent<TextInput>) => set({ [name]: event.currentTarget.value } as Partial<T>),
    onInvalid: (event: InvalidEvent<TextInput>) => {
      const sentence = sayInstead(event);
      setWrong((before) => ({ ...before, [name]: sentence }));
    },
    error: wrong[name] ?? fieldProblem(problem, name),
  });
  return { values, set, text };
}

/** Keeps the browser from showing its bubble, brings the cursor to the first such field, and returns what to say there. */
function sayInstead(event: InvalidEvent<TextInput>): string {
  event.preventDefault();
  const input = event.currentTarget;
  if (input.form?.querySelector(':is(input, textarea, select):invalid') === input) input.focus();
  return whatIsWrong(input);
}

/** A number that was typed, or null for an empty field. What is not a number goes to the server as it is, to be refused in its words. */
export function toNumber(text: string): number | null {
  const read = readTypedNumber(text);
  return 'value' in read ? read.value : (text as unknown as number);
}

/** What refused a form, for its fields: `await call.catch(refusal.keep)`. */
export function useRefusal() {
  const [problem, setProblem] = useState<unknown>(null);
  const keep = (error: unknown): never => {
    setProblem(error);
    throw error;
  };
  return { problem, keep };
}
