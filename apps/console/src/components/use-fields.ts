import { useState, type ChangeEvent } from 'react';
import { fieldProblem } from '../api/problem';

type TextInput = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/**
 * The values of a form. `text('name', problem)` gives an input its value and what the server said about that field.
 *
 *     const fields = useFields({ name: '', tier: 'free' });
 *     <TextInput label="Name" {...fields.text('name', mutation.error)} />
 */
export function useFields<T extends Record<string, string>>(initial: T) {
  const [values, setValues] = useState(initial);
  const set = (patch: Partial<T>) => setValues((before) => ({ ...before, ...patch }));
  const text = (name: keyof T & string, problem?: unknown) => ({
    name,
    value: values[name] ?? '',
    onChange: (event: ChangeEvent<TextInput>) => set({ [name]: event.currentTarget.value } as Partial<T>),
    error: fieldProblem(problem, name),
  });
  return { values, set, text };
}

/** A whole number that was typed, or null for an empty field. What is not a number goes to the server as it is, to be refused in its words. */
export function toNumber(text: string): number | null {
  const plain = text.replace(/[\s,]/g, '');
  if (plain === '') return null;
  return Number.isFinite(Number(plain)) ? Number(plain) : (text as unknown as number);
}
