import { TextInput } from '@mantine/core';
import { fieldProblem } from '../api/problem';
import { Choice, toNumber, type useFields } from './fields';
import { TAGS_HINT, toExternalId, toTags } from './labels';

export const plainText = (value: string | number | boolean | null) => (value === null ? '' : String(value));
export const listText = (items: string[] | null) => items?.join(' ') ?? '';

/** What a field shows of a value, and the value of what was typed. */
export type SettingForm = [shown: (value: never) => string, read: (text: string) => unknown];

export const SETTING_FORMS = {
  name: [plainText, (text) => text],
  text: [plainText, toExternalId],
  tags: [listText, toTags],
  count: [plainText, toNumber],
} satisfies Record<string, SettingForm>;

export function SettingInput<N extends string>(props: {
  name: N;
  field: { kind: string; label: string; hint: string | null; required: boolean };
  /** What an empty field means; null where nothing says it. */
  none: string | null;
  fields: ReturnType<typeof useFields<Record<N, string>>>;
  /** What refuses it; the form's, unless something else does too. */
  problem?: unknown;
}) {
  const { name, field, none, fields, problem = props.fields.problem } = props;
  const { kind, label, hint, required } = field;
  if (kind === 'flag')
    return (
      <Choice
        label={label}
        description={hint}
        data={[
          { value: '', label: none ?? 'None' },
          { value: 'true', label: 'Yes' },
          { value: 'false', label: 'No' },
        ]}
        value={fields.values[name]}
        onPick={(value) => fields.set({ [name]: value } as Record<N, string>)}
        error={fieldProblem(problem, name)}
      />
    );
  return (
    <TextInput
      label={label}
      description={kind === 'tags' ? TAGS_HINT : hint}
      required={required}
      {...(kind === 'count' && { inputMode: 'numeric', placeholder: none ?? undefined })}
      {...(kind === 'tags' && { placeholder: 'trial team:red' })}
      {...(kind === 'time' && { type: 'datetime-local' })}
      {...fields.text(name, problem)}
    />
  );
}
