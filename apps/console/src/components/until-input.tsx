import { TextInput } from '@mantine/core';
import type { useFields } from './use-fields';

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
