import { TextInput } from '@mantine/core';
import type { useFields } from './use-fields';
import { dayOf } from './day';

type Field = ReturnType<ReturnType<typeof useFields<Record<string, string>>>['text']>;

/** When what a form raises goes back to what it is now; empty for never. */
export function UntilInput({ what, field }: { what: string; field: Field }) {
  return (
    <TextInput
      type="datetime-local"
      label="Until"
      description={`For an increase that ends: ${what} then. Empty for one that stays.`}
      {...field}
    />
  );
}

const pad = (value: number) => String(value).padStart(2, '0');

/** An instant as an input of the type `datetime-local` wants it, in the reader's zone. */
export function toLocalInput(at: string | null): string {
  if (at === null) return '';
  const time = new Date(at);
  return `${dayOf(time)}T${pad(time.getHours())}:${pad(time.getMinutes())}`;
}

/** The other way round; null for an empty input. */
export function fromLocalInput(text: string): string | null {
  if (text === '') return null;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? text : time.toISOString();
}
